//! Moving boxes: a row for each broad phase, timed as the peers are. The time of a frame includes
//! the report of the pairs that began and ended; these are pairs of the exact boxes, without
//! margins.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use impinge::broad::{BoxF32, Moved, PhaseKind};
use impinge_papers::zachmann::broad::{BROAD_PHASES, phase_by_name};

use super::RowFile;
use crate::boxes::file::Recording;
use crate::boxes::follow::{TimedPhase, is_feasible, with_threads};
use crate::common::Common;

/// Arguments of `impinge-lab peers-broad`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The folder with the workloads, which are in its subfolder `broad/`.
    #[arg(long, env = "PEER_WORK", value_name = "DIR")]
    work: PathBuf,
    /// The number of threads.
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// Only these broad phases, by name.
    #[arg(long, value_delimiter = ',', value_parser = phase_by_name, value_name = "NAMES")]
    phases: Vec<PhaseKind>,
    /// Passes the list of boxes that moved, as an application would; otherwise all count as moved.
    #[arg(long)]
    movers: bool,
    /// Only workloads whose names contain one of these.
    names: Vec<String>,
}

/// Seconds after which a cell ends.
const MAX_SECONDS_PER_ROW: f64 = 60.0;

/// Runs all selected workloads.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rows = RowFile::create(&arguments.common, "peers-broad")?;
    let folder = arguments.work.join("broad");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("{}: cannot be read; write workloads with `impinge-lab broad-scenes --write DIR`, and name DIR with --work", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_selected = |part: &String| name.contains(part.as_str());
        if path.extension().is_none_or(|e| e != "bin")
            || !(arguments.names.is_empty() || arguments.names.iter().any(is_selected))
        {
            continue;
        }
        let recording = Recording::read(&path)?;
        let movers = arguments.movers.then(|| movers(&recording));
        for kind in BROAD_PHASES {
            let is_selected = if arguments.phases.is_empty() {
                is_feasible(*kind, recording.boxes())
            } else {
                arguments.phases.contains(kind)
            };
            if is_selected {
                let timed = with_threads(arguments.threads, || {
                    follow(&recording, movers.as_deref(), *kind, &arguments.common)
                })?;
                rows.write_row(&row(&peer(*kind, arguments), &name, &timed))?;
            }
        }
    }
    Ok(())
}

fn follow(
    recording: &Recording,
    movers: Option<&[Vec<u32>]>,
    kind: PhaseKind,
    common: &Common,
) -> TimedPhase {
    let mut limit_s = MAX_SECONDS_PER_ROW;
    common.limit_seconds(&mut limit_s, 0.1);
    let mut timed = TimedPhase::new(kind);
    let start = Instant::now();
    for (i, bounds) in recording.frames().enumerate() {
        let moved = movers.map_or(Moved::All, |movers| Moved::Only(&movers[i]));
        timed.frame(bounds, moved);
        if start.elapsed().as_secs_f64() > limit_s {
            break;
        }
    }
    timed
}

/// The boxes that differ from those of the previous frame; all boxes in the first frame.
fn movers(recording: &Recording) -> Vec<Vec<u32>> {
    let mut before: &[BoxF32] = &[];
    let moved_since = |bounds: &[BoxF32], before: &[BoxF32]| {
        let differs = |i: &u32| before.get(*i as usize) != Some(&bounds[*i as usize]);
        (0..bounds.len() as u32).filter(differs).collect()
    };
    recording
        .frames()
        .map(|bounds| moved_since(bounds, std::mem::replace(&mut before, bounds)))
        .collect()
}

fn peer(kind: PhaseKind, arguments: &Arguments) -> String {
    let mut name = format!("impinge-{kind}");
    if arguments.movers {
        name.push_str("-movers");
    }
    if arguments.threads > 1 {
        name.push_str(&format!("-{}T", arguments.threads));
    }
    name
}

fn row(peer: &str, workload: &str, timed: &TimedPhase) -> String {
    format!(
        r#"{{"peer":"{peer}","workload":"{workload}","regime":"broad","mode":"broad","frames":{},"first_ms":{:.3},"mean_ms":{:.4},"median_ms":{:.4},"pairs":{},"last_pairs":{}}}"#,
        timed.frames(),
        timed.first(),
        timed.mean(),
        timed.median(),
        timed.pairs(),
        timed.live(),
    )
}

#[cfg(test)]
mod tests {
    use impinge_papers::klosowski::dynamic_tree::TREE;

    use super::*;

    #[test]
    fn a_row_has_the_fields_of_the_report() {
        let at = |x: f32| [0.0, x].map(|x| BoxF32 { min: [x; 3], max: [x + 1.0; 3] });
        let mut timed = TimedPhase::new(TREE);
        for x in [0.5, 0.25, 3.0] {
            timed.frame(&at(x), Moved::All);
        }
        let row = row("impinge-tree", "two", &timed);
        let json: serde_json::Value = serde_json::from_str(&row).unwrap();
        assert_eq!(json["frames"], 3);
        assert_eq!((&json["pairs"], &json["last_pairs"]), (&2.into(), &0.into()));
        assert!(json["median_ms"].as_f64().unwrap() >= 0.0);
        assert_eq!((&json["regime"], &json["mode"]), (&"broad".into(), &"broad".into()));
    }
}
