//! Moving boxes: one row for each broad phase, timed as the others are. What began and ended is
//! reported in every frame, within the time; boxes are not fattened in what is reported.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use impinge::broad::{Bounds, Moved, PhaseKind};
use impinge_papers::zachmann::broad::{BROAD_PHASES, phase_by_name};

use super::Lines;
use crate::boxes::file::Recording;
use crate::boxes::follow::{Followed, bears, with_threads};
use crate::common::Common;

/// Arguments of `impinge-lab peers-broad`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The folder that holds the workloads, `broad/`.
    #[arg(long, env = "PEER_WORK", value_name = "DIR")]
    work: PathBuf,
    /// How many threads share the work.
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// Only these broad phases, by name.
    #[arg(long, value_delimiter = ',', value_parser = phase_by_name, value_name = "NAMES")]
    phases: Vec<PhaseKind>,
    /// Tells which boxes moved, as an application would; otherwise all may have.
    #[arg(long)]
    movers: bool,
    /// Only workloads whose names contain one of these.
    names: Vec<String>,
}

/// Seconds after which a cell ends.
const LONGEST: f64 = 60.0;

/// Runs every workload asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let lines = Lines::create(&arguments.common, "peers-broad")?;
    let folder = arguments.work.join("broad");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("{}: make the workloads first", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_asked = |part: &String| name.contains(part.as_str());
        if path.extension().is_none_or(|e| e != "bin")
            || !(arguments.names.is_empty() || arguments.names.iter().any(is_asked))
        {
            continue;
        }
        let recording = Recording::read(&path)?;
        let movers = arguments.movers.then(|| movers(&recording));
        for choice in BROAD_PHASES {
            let is_asked = if arguments.phases.is_empty() {
                bears(*choice, recording.boxes())
            } else {
                arguments.phases.contains(choice)
            };
            if is_asked {
                let followed = with_threads(arguments.threads, || {
                    follow(&recording, movers.as_deref(), *choice, &arguments.common)
                })?;
                lines.tell(&line(&peer(*choice, arguments), &name, &followed))?;
            }
        }
    }
    Ok(())
}

fn follow(
    recording: &Recording,
    movers: Option<&[Vec<u32>]>,
    choice: PhaseKind,
    common: &Common,
) -> Followed {
    let mut longest = LONGEST;
    common.limit_seconds(&mut longest, 0.1);
    let mut followed = Followed::new(choice);
    let start = Instant::now();
    for (i, bounds) in recording.frames().enumerate() {
        let moved = movers.map_or(Moved::All, |movers| Moved::Only(&movers[i]));
        followed.frame(bounds, moved);
        if start.elapsed().as_secs_f64() > longest {
            break;
        }
    }
    followed
}

/// Which boxes differ from those of the frame before; all in the first.
fn movers(recording: &Recording) -> Vec<Vec<u32>> {
    let mut before: &[Bounds] = &[];
    let list = |bounds: &[Bounds], before: &[Bounds]| {
        let differs = |i: &u32| before.get(*i as usize) != Some(&bounds[*i as usize]);
        (0..bounds.len() as u32).filter(differs).collect()
    };
    recording.frames().map(|bounds| list(bounds, std::mem::replace(&mut before, bounds))).collect()
}

fn peer(choice: PhaseKind, arguments: &Arguments) -> String {
    let mut name = format!("impinge-{choice}");
    if arguments.movers {
        name.push_str("-movers");
    }
    if arguments.threads > 1 {
        name.push_str(&format!("-{}T", arguments.threads));
    }
    name
}

fn line(peer: &str, workload: &str, followed: &Followed) -> String {
    format!(
        r#"{{"peer":"{peer}","workload":"{workload}","regime":"broad","mode":"broad","frames":{},"first_ms":{:.3},"mean_ms":{:.4},"median_ms":{:.4},"pairs":{},"last_pairs":{}}}"#,
        followed.frames(),
        followed.first(),
        followed.mean(),
        followed.median(),
        followed.pairs(),
        followed.live(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_the_report_reads() {
        let at = |x: f32| [0.0, x].map(|x| Bounds { min: [x; 3], max: [x + 1.0; 3] });
        let mut followed = Followed::new(PhaseKind::TREE);
        for x in [0.5, 0.25, 3.0] {
            followed.frame(&at(x), Moved::All);
        }
        let line = line("impinge-tree", "two", &followed);
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["frames"], 3);
        assert_eq!((&json["pairs"], &json["last_pairs"]), (&2.into(), &0.into()));
        assert!(json["median_ms"].as_f64().unwrap() >= 0.0);
        assert_eq!((&json["regime"], &json["mode"]), (&"broad".into(), &"broad".into()));
    }
}
