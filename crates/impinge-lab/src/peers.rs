//! Our row in the peer measurements: the same files, the same way of timing, one JSON object a line and cell.
//!
//! A workload is a folder `mesh/NAME` with `a.obj`, `b.obj` and `poses-REGIME.txt` (twelve numbers a line, the row-major matrix `[R | t]` of B in A's frame). Each pose is
//! timed alone and keeps its fastest pass, of at most five within the budget; median and mean are over the poses. A first pass that takes twice the budget stops there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use impinge::pair::{Cache, Collect, First, first_pair_cached, traverse};
use impinge::{Mesh, Pose, distance};

use crate::timing::{self, Timed};

/// Where the workloads are and what to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder that holds `mesh/`.
    #[arg(long, env = "PEER_WORK", value_name = "DIR")]
    work: PathBuf,
    /// Where to write the pairs of the first poses, for the report's comparison with the exact ones.
    #[arg(long, env = "PEER_OUT", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds a cell may take.
    #[arg(long, env = "PEER_BUDGET_S", default_value_t = 1.5, value_name = "S")]
    budget: f64,
    /// Only workloads whose names begin so.
    names: Vec<String>,
}

/// Poses whose pairs are written.
const DUMPED: usize = 20;

/// Runs every workload asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = arguments.work.join("mesh");
    let mut workloads: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("{}: make the workloads first", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    workloads.sort();
    for path in workloads {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if arguments.names.is_empty()
            || arguments.names.iter().any(|n| name.starts_with(n.as_str()))
        {
            workload(&path, &name, arguments).with_context(|| name)?;
        }
    }
    Ok(())
}

fn workload(path: &Path, name: &str, arguments: &Arguments) -> Result<()> {
    let (a, b) = (Mesh::load(path.join("a.obj"))?, Mesh::load(path.join("b.obj"))?);
    let build = timing::build(&a, 5);
    let triangles = a.triangles().len();
    println!(
        r#"{{"peer":"impinge","workload":"{name}","regime":"build","mode":"build","triangles":{triangles},"build_ms":{:.3},"bytes_per_tri":{:.1}}}"#,
        build.as_secs_f64() * 1e3,
        a.tree().bytes() as f64 / triangles as f64
    );
    let (_, _) = (a.tree(), b.tree());
    let mut regimes: Vec<(String, PathBuf)> = fs::read_dir(path)?
        .filter_map(|entry| {
            let file = entry.ok()?.path();
            let regime = file
                .file_name()?
                .to_str()?
                .strip_prefix("poses-")?
                .strip_suffix(".txt")?
                .to_owned();
            Some((regime, file))
        })
        .collect();
    regimes.sort();
    for (regime, file) in regimes {
        let poses = poses(&file)?;
        let cell = Cell { arguments, workload: name, regime: &regime, poses: &poses };
        cell.time("bool", |pose| {
            let mut first = First::default();
            traverse(&a, &b, pose, &mut first);
            f64::from(u8::from(first.pair.is_some()))
        })?;
        if regime == "flight" {
            let mut cache = Cache::default();
            cell.time("bool-cached", |pose| {
                f64::from(u8::from(first_pair_cached(&a, &b, pose, &mut cache).is_some()))
            })?;
        }
        cell.time("all", |pose| {
            let mut all = Collect::default();
            traverse(&a, &b, pose, &mut all);
            all.pairs.len() as f64
        })?;
        // A mesh without triangles is infinitely far away.
        cell.time("dist", |pose| distance(&a, &b, pose).map_or(f64::INFINITY, |d| d.upper))?;
        if let Some(out) = &arguments.out {
            dump(out, name, &regime, &a, &b, &poses)?;
        }
    }
    Ok(())
}

fn poses(file: &Path) -> Result<Vec<Pose>> {
    let text = fs::read_to_string(file)?;
    let parse = |line: &str| -> Result<Pose> {
        let numbers: Vec<f64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let row = |k: usize| -> Option<[f64; 4]> { numbers.get(4 * k..4 * k + 4)?.try_into().ok() };
        let [Some(x), Some(y), Some(z)] = [row(0), row(1), row(2)] else {
            anyhow::bail!("twelve numbers a line are needed");
        };
        Ok(Pose::from_matrix([x, y, z])?)
    };
    let place = |i: usize| format!("{}, line {}", file.display(), i + 1);
    text.lines().enumerate().map(|(i, line)| parse(line).with_context(|| place(i))).collect()
}

/// One workload, regime and its poses: what a line of the report is about, save the mode.
struct Cell<'a> {
    arguments: &'a Arguments,
    workload: &'a str,
    regime: &'a str,
    poses: &'a [Pose],
}

impl Cell<'_> {
    /// Times the query on the poses, always in their order, so that a query that remembers the last one can gain by it. The answer is 0 or 1, a number of
    /// pairs, or a distance. Prints the line, and writes the answers where the report looks for them.
    fn time(&self, mode: &str, mut query: impl FnMut(&Pose) -> f64) -> Result<()> {
        let budget = Duration::from_secs_f64(self.arguments.budget);
        let warm_up = Instant::now();
        for pose in self.poses.iter().take(20) {
            std::hint::black_box(query(pose));
            if warm_up.elapsed() > budget / 5 {
                break;
            }
        }
        let Timed { us, answers, passes } = timing::time(budget, self.poses, query);
        println!("{}", self.line(mode, passes, us, &answers));
        if let Some(out) = &self.arguments.out {
            let text: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
            let folder = out.join("impinge");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{}.{}.{mode}.txt", self.workload, self.regime)), text)?;
        }
        Ok(())
    }

    fn line(&self, mode: &str, passes: usize, mut best: Vec<f64>, answers: &[f64]) -> String {
        best.sort_by(f64::total_cmp);
        let n = best.len().max(1);
        let at = |share: f64| best.get(((n - 1) as f64 * share) as usize).copied().unwrap_or(0.0);
        let total: f64 = answers.iter().sum();
        let is_distance = mode.starts_with("dist");
        let colliding = answers.iter().filter(|&&a| (a > 0.0) != is_distance).count();
        let sum = match mode {
            _ if is_distance => format!(r#","sum_dist":{total:.9}"#),
            _ if mode.starts_with("all") => format!(r#","pairs":{total}"#),
            _ => String::new(),
        };
        format!(
            r#"{{"peer":"impinge","workload":"{}","regime":"{}","mode":"{mode}","n":{},"of":{},"reps":{passes},"mean_us":{:.4},"median_us":{:.4},"min_us":{:.4},"p95_us":{:.4},"colliding":{colliding}{sum}}}"#,
            self.workload,
            self.regime,
            best.len(),
            self.poses.len(),
            best.iter().sum::<f64>() / n as f64,
            at(0.5),
            at(0.0),
            at(0.95),
        )
    }
}

/// Writes the pairs of the first poses, one line each: pose, triangle of A, triangle of B.
fn dump(
    out: &Path,
    workload: &str,
    regime: &str,
    a: &Mesh,
    b: &Mesh,
    poses: &[Pose],
) -> Result<()> {
    use std::fmt::Write as _;

    let folder = out.join("impinge");
    fs::create_dir_all(&folder)?;
    let mut text = String::new();
    for (i, pose) in poses.iter().take(DUMPED).enumerate() {
        for (t, u) in impinge::pair::intersecting_pairs(a, b, pose) {
            writeln!(text, "{i} {t} {u}")?;
        }
    }
    fs::write(folder.join(format!("{workload}.{regime}.pairs")), text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_line(mode: &str, answers: &[f64]) -> String {
        let arguments =
            Arguments { work: PathBuf::new(), out: None, budget: 1.0, names: Vec::new() };
        let poses = [Pose::IDENTITY; 4];
        let cell = Cell { arguments: &arguments, workload: "w", regime: "r", poses: &poses };
        cell.line(mode, 2, vec![3.0, 1.0, 2.0], answers)
    }

    #[test]
    fn a_line_has_what_the_report_reads() {
        let line = cell_line("all", &[0.0, 5.0, 2.0]);
        assert!(
            line.contains(r#""n":3,"of":4,"reps":2,"mean_us":2.0000,"median_us":2.0000"#),
            "{line}"
        );
        assert!(line.ends_with(r#""colliding":2,"pairs":7}"#), "{line}");
        assert!(cell_line("bool", &[1.0, 0.0, 0.0]).ends_with(r#""colliding":1}"#));
        let line = cell_line("dist", &[0.0, 0.25, 0.5]);
        assert!(line.ends_with(r#""colliding":1,"sum_dist":0.750000000}"#), "{line}");
    }
}
