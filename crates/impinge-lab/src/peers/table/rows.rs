//! The lines and answers of all peers, and which of them are right.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// A number may be off by this much, or by this share of itself, whichever is more; beyond it is
/// wrong. The bodies are 0.2 to 2 long.
const OFF: f64 = 1e-5;
const SHARE: f64 = 1e-3;

/// Our own name among the peers.
const OURS: &str = "impinge";

/// A question: one of `bool`, `dist` and `signed`, cold or warm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    pub(super) workload: String,
    pub(super) regime: String,
    pub(super) mode: String,
}

impl Question {
    /// What is asked, however it is answered.
    pub(super) fn base(&self) -> &str {
        base(&self.mode)
    }

    fn is_warm(&self) -> bool {
        self.mode.ends_with(WARM)
    }
}

const WARM: &str = "-warm";

fn base(mode: &str) -> &str {
    mode.split('-').next().unwrap_or(mode)
}

/// How a peer did on one question.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The peer's name, and its mode where that says more than the question.
    pub(super) peer: String,
    pub(super) us: f64,
    /// Answers that are wrong, of so many.
    pub(super) wrong: usize,
    pub(super) of: usize,
    /// The largest error of a distance.
    pub(super) worst: f64,
}

/// One question with our time and the peers', the fastest first.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) question: Question,
    pub(super) ours: f64,
    pub(super) peers: Vec<Entry>,
}

impl Row {
    /// The fastest of the peers that are right throughout.
    pub(super) fn best(&self) -> Option<&Entry> {
        self.peers.iter().find(|entry| entry.wrong == 0)
    }

    /// How many times as long the fastest right peer takes.
    pub(super) fn times(&self) -> Option<f64> {
        self.best().map(|entry| entry.us / self.ours)
    }

    /// The peers that are faster than the best one, and wrong somewhere.
    pub(super) fn wrong_ones(&self) -> impl Iterator<Item = &Entry> {
        let limit = self.best().map_or(f64::INFINITY, |entry| entry.us);
        self.peers.iter().filter(move |entry| entry.us < limit)
    }
}

/// Microseconds a query by question and peer, of the fastest pass of all runs.
type Times = BTreeMap<(Question, String), f64>;

/// Reads all `*.jsonl` of `lines` and what the peers answered under `answers`.
pub(super) fn read(lines: &Path, answers: &Path) -> Result<Vec<Row>> {
    let mut files: Vec<PathBuf> = fs::read_dir(lines)
        .with_context(|| format!("{}: no such folder", lines.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut times = Times::new();
    for file in files {
        add(&fs::read_to_string(&file)?, &mut times).with_context(|| file.display().to_string())?;
    }
    rows(&times, answers)
}

fn add(text: &str, times: &mut Times) -> Result<()> {
    for (i, line) in text.lines().enumerate() {
        let value: Value = serde_json::from_str(line).with_context(|| format!("line {}", i + 1))?;
        let word = |key: &str| value[key].as_str().map(str::to_owned);
        let (Some(peer), Some(workload), Some(regime), Some(mode), Some(us)) = (
            word("peer"),
            word("workload"),
            word("regime"),
            word("mode"),
            value["min_us"].as_f64(),
        ) else {
            continue;
        };
        if ["bool", "dist", "signed"].contains(&base(&mode)) {
            let key = (Question { workload, regime, mode }, peer);
            times.entry(key).and_modify(|least| *least = us.min(*least)).or_insert(us);
        }
    }
    Ok(())
}

fn rows(times: &Times, answers: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ((question, peer), ours) in times {
        if peer != OURS {
            continue;
        }
        let truth = answers_of(
            answers,
            OURS,
            &Question { mode: question.base().to_owned(), ..question.clone() },
        )?;
        let mut peers = Vec::new();
        for ((other, peer), us) in times {
            let is_same = other.workload == question.workload
                && other.regime == question.regime
                && other.base() == question.base()
                // A peer may answer a warm question the cold way, if that is faster.
                && (question.is_warm() || !other.is_warm());
            if peer == OURS || !is_same {
                continue;
            }
            let told = answers_of(answers, peer, other)?;
            anyhow::ensure!(
                told.len() == truth.len(),
                "{peer}: {} answers to {other:?}, not {}",
                told.len(),
                truth.len()
            );
            let errors = told.iter().zip(&truth).map(|(told, truth)| (told - truth).abs());
            let wrong = |(told, truth): &(&f64, &f64)| !is_right(question.base(), **told, **truth);
            peers.push(Entry {
                peer: label(peer, other, question),
                us: *us,
                wrong: told.iter().zip(&truth).filter(wrong).count(),
                of: truth.len(),
                worst: errors.fold(0.0, |worst, e| if e > worst || e.is_nan() { e } else { worst }),
            });
        }
        peers.sort_by(|x, y| x.us.total_cmp(&y.us));
        rows.push(Row { question: question.clone(), ours: *ours, peers });
    }
    Ok(rows)
}

/// The peer, with what is special about its mode.
fn label(peer: &str, mode: &Question, question: &Question) -> String {
    let own = mode.mode.strip_prefix(question.base()).unwrap_or_default().trim_start_matches('-');
    match own {
        "" if question.is_warm() => format!("{peer}, cold"),
        "" | "warm" => peer.to_owned(),
        _ if question.is_warm() => format!("{peer}, {own}, cold"),
        _ => format!("{peer}, {own}"),
    }
}

fn is_right(base: &str, told: f64, truth: f64) -> bool {
    if base == "bool" {
        return (told > 0.0) == (truth > 0.0);
    }
    // NaN is off by more than anything.
    (told - truth).abs() <= OFF.max(SHARE * truth.abs())
}

fn answers_of(folder: &Path, peer: &str, question: &Question) -> Result<Vec<f64>> {
    let Question { workload, regime, mode } = question;
    let file = folder.join(peer).join(format!("{workload}.{regime}.{mode}.txt"));
    let place = || format!("{}: the answers are needed to tell right from wrong", file.display());
    let text = fs::read_to_string(&file).with_context(place)?;
    text.lines().map(|line| line.parse().with_context(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_right_if_it_is_close() {
        assert!(is_right("dist", 1.0009, 1.0) && !is_right("dist", 1.002, 1.0));
        assert!(is_right("signed", 0.0, -9e-6) && !is_right("signed", 1e-3, -1e-3));
        assert!(!is_right("dist", f64::NAN, 1.0));
        assert!(is_right("bool", 1.0, 1.0) && !is_right("bool", 0.0, 1.0));
    }

    #[test]
    fn the_fastest_right_peer_is_found() {
        let folder = std::env::temp_dir().join(format!("impinge-lab-rows-{}", std::process::id()));
        let answers = [
            ("impinge", "bool", "1\n0\n1\n"),
            ("impinge", "bool-warm", "1\n0\n1\n"),
            ("fast", "bool", "1\n0\n0\n"),
            ("fast", "bool-early", "1\n0\n1\n"),
            ("warm", "bool-warm", "1\n0\n1\n"),
        ];
        let mut lines = String::new();
        for (i, (peer, mode, text)) in answers.iter().enumerate() {
            fs::create_dir_all(folder.join(peer)).unwrap();
            fs::write(folder.join(peer).join(format!("w.r.{mode}.txt")), text).unwrap();
            for us in [i as f64 + 2.0, i as f64 + 1.0] {
                lines += &format!(
                    "{{\"peer\":\"{peer}\",\"workload\":\"w\",\"regime\":\"r\",\"mode\":\"{mode}\",\"min_us\":{us}}}\n"
                );
            }
        }
        fs::write(folder.join("all.jsonl"), lines).unwrap();
        let rows = read(&folder, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let [cold, warm] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((cold.question.mode.as_str(), cold.ours), ("bool", 1.0));
        assert_eq!(cold.best().unwrap().peer, "fast, early");
        assert_eq!(cold.times(), Some(4.0));
        let wrong: Vec<_> = cold.wrong_ones().map(|e| (e.peer.as_str(), e.wrong, e.of)).collect();
        assert_eq!(wrong, [("fast", 1, 3)]);
        assert_eq!((warm.ours, warm.peers.len()), (2.0, 3));
        assert_eq!(warm.best().unwrap().peer, "fast, early, cold");
    }
}
