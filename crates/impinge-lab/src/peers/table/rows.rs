//! The rows and answers of all peers, and which answers are correct.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// The absolute tolerance of a number; the larger of both tolerances applies. The bodies are 0.2 to
/// 2 long.
const ABSOLUTE_TOLERANCE: f64 = 1e-5;
/// The tolerance of a number relative to its value.
const RELATIVE_TOLERANCE: f64 = 1e-3;

/// Our own name among the peers.
const IMPINGE: &str = "impinge";

/// A query: its mode is `bool`, `dist` or `signed`, cold or warm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PeerQuery {
    pub(super) workload: String,
    pub(super) regime: String,
    pub(super) mode: String,
}

impl PeerQuery {
    /// The mode without its suffix.
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

/// The result of a peer for a query.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The peer's name, and the suffix of its mode where that differs from the query's.
    pub(super) peer: String,
    pub(super) us: f64,
    /// The number of wrong answers.
    pub(super) wrong: usize,
    /// The number of answers.
    pub(super) of: usize,
    /// The largest error of a distance.
    pub(super) worst: f64,
}

/// A query with our time and the results of the peers, the fastest first.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) query: PeerQuery,
    pub(super) ours: f64,
    pub(super) peers: Vec<Entry>,
}

impl Row {
    /// The fastest of the peers whose answers are all correct.
    pub(super) fn best(&self) -> Option<&Entry> {
        self.peers.iter().find(|entry| entry.wrong == 0)
    }

    /// The time of the fastest correct peer divided by ours.
    pub(super) fn times(&self) -> Option<f64> {
        self.best().map(|entry| entry.us / self.ours)
    }

    /// The peers that are faster than the best one; they have wrong answers.
    pub(super) fn faster_but_wrong(&self) -> impl Iterator<Item = &Entry> {
        let limit = self.best().map_or(f64::INFINITY, |entry| entry.us);
        self.peers.iter().filter(move |entry| entry.us < limit)
    }
}

/// Microseconds per query, by query and peer, of the fastest pass of all runs.
type TimesByQuery = BTreeMap<(PeerQuery, String), f64>;

/// Reads all files `*.jsonl` in `rows_folder`, and the answers of the peers in `answers`.
pub(super) fn read(rows_folder: &Path, answers: &Path) -> Result<Vec<Row>> {
    let mut files: Vec<PathBuf> = fs::read_dir(rows_folder)
        .with_context(|| format!("{}: the folder of rows cannot be read", rows_folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut times = TimesByQuery::new();
    for file in files {
        add(&fs::read_to_string(&file)?, &mut times).with_context(|| file.display().to_string())?;
    }
    rows(&times, answers)
}

fn add(text: &str, times: &mut TimesByQuery) -> Result<()> {
    for (i, line) in text.lines().enumerate() {
        let value: Value = serde_json::from_str(line).with_context(|| format!("line {}", i + 1))?;
        let string = |key: &str| value[key].as_str().map(str::to_owned);
        let (Some(peer), Some(workload), Some(regime), Some(mode), Some(us)) = (
            string("peer"),
            string("workload"),
            string("regime"),
            string("mode"),
            value["min_us"].as_f64(),
        ) else {
            continue;
        };
        if ["bool", "dist", "signed"].contains(&base(&mode)) {
            let key = (PeerQuery { workload, regime, mode }, peer);
            times.entry(key).and_modify(|best| *best = us.min(*best)).or_insert(us);
        }
    }
    Ok(())
}

fn rows(times: &TimesByQuery, answers: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ((query, peer), ours) in times {
        if peer != IMPINGE {
            continue;
        }
        let expected = answers_of(
            answers,
            IMPINGE,
            &PeerQuery { mode: query.base().to_owned(), ..query.clone() },
        )?;
        let mut peers = Vec::new();
        for ((other, peer), us) in times {
            let is_same_query = other.workload == query.workload
                && other.regime == query.regime
                && other.base() == query.base()
                // A peer may answer a warm query in the cold mode, if that is faster.
                && (query.is_warm() || !other.is_warm());
            if peer == IMPINGE || !is_same_query {
                continue;
            }
            let found = answers_of(answers, peer, other)?;
            anyhow::ensure!(
                found.len() == expected.len(),
                "{peer}: {} answers to {other:?}, impinge has {}",
                found.len(),
                expected.len()
            );
            let errors =
                found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
            let wrong =
                |(found, expected): &(&f64, &f64)| !is_correct(query.base(), **found, **expected);
            peers.push(Entry {
                peer: label(peer, other, query),
                us: *us,
                wrong: found.iter().zip(&expected).filter(wrong).count(),
                of: expected.len(),
                worst: errors.fold(0.0, |worst, e| if e > worst || e.is_nan() { e } else { worst }),
            });
        }
        peers.sort_by(|x, y| x.us.total_cmp(&y.us));
        rows.push(Row { query: query.clone(), ours: *ours, peers });
    }
    Ok(rows)
}

/// The peer's name, with the suffix of its mode where that differs from the query's.
fn label(peer: &str, mode: &PeerQuery, query: &PeerQuery) -> String {
    let suffix = mode.mode.strip_prefix(query.base()).unwrap_or_default().trim_start_matches('-');
    match suffix {
        "" if query.is_warm() => format!("{peer}, cold"),
        "" | "warm" => peer.to_owned(),
        _ if query.is_warm() => format!("{peer}, {suffix}, cold"),
        _ => format!("{peer}, {suffix}"),
    }
}

fn is_correct(base: &str, found: f64, expected: f64) -> bool {
    if base == "bool" {
        return (found > 0.0) == (expected > 0.0);
    }
    // False for NaN.
    (found - expected).abs() <= ABSOLUTE_TOLERANCE.max(RELATIVE_TOLERANCE * expected.abs())
}

fn answers_of(folder: &Path, peer: &str, query: &PeerQuery) -> Result<Vec<f64>> {
    let PeerQuery { workload, regime, mode } = query;
    let file = folder.join(peer).join(format!("{workload}.{regime}.{mode}.txt"));
    let place = || {
        format!(
            "{}: cannot be read as a list of answers, which are compared with those of impinge",
            file.display()
        )
    };
    let text = fs::read_to_string(&file).with_context(place)?;
    text.lines().map(|line| line.parse().with_context(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_correct_within_the_tolerance() {
        assert!(is_correct("dist", 1.0009, 1.0) && !is_correct("dist", 1.002, 1.0));
        assert!(is_correct("signed", 0.0, -9e-6) && !is_correct("signed", 1e-3, -1e-3));
        assert!(!is_correct("dist", f64::NAN, 1.0));
        assert!(is_correct("bool", 1.0, 1.0) && !is_correct("bool", 0.0, 1.0));
    }

    #[test]
    fn the_fastest_correct_peer_is_found() {
        let folder = std::env::temp_dir().join(format!("impinge-lab-rows-{}", std::process::id()));
        let answers = [
            ("impinge", "bool", "1\n0\n1\n"),
            ("impinge", "bool-warm", "1\n0\n1\n"),
            ("fast", "bool", "1\n0\n0\n"),
            ("fast", "bool-early", "1\n0\n1\n"),
            ("warm", "bool-warm", "1\n0\n1\n"),
        ];
        let mut rows_folder = String::new();
        for (i, (peer, mode, text)) in answers.iter().enumerate() {
            fs::create_dir_all(folder.join(peer)).unwrap();
            fs::write(folder.join(peer).join(format!("w.r.{mode}.txt")), text).unwrap();
            for us in [i as f64 + 2.0, i as f64 + 1.0] {
                rows_folder += &format!(
                    "{{\"peer\":\"{peer}\",\"workload\":\"w\",\"regime\":\"r\",\"mode\":\"{mode}\",\"min_us\":{us}}}\n"
                );
            }
        }
        fs::write(folder.join("all.jsonl"), rows_folder).unwrap();
        let rows = read(&folder, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let [cold, warm] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((cold.query.mode.as_str(), cold.ours), ("bool", 1.0));
        assert_eq!(cold.best().unwrap().peer, "fast, early");
        assert_eq!(cold.times(), Some(4.0));
        let wrong: Vec<_> =
            cold.faster_but_wrong().map(|e| (e.peer.as_str(), e.wrong, e.of)).collect();
        assert_eq!(wrong, [("fast", 1, 3)]);
        assert_eq!((warm.ours, warm.peers.len()), (2.0, 3));
        assert_eq!(warm.best().unwrap().peer, "fast, early, cold");
    }
}
