//! Our row in the peer measurements: the same files, the same way of timing, one JSON object a line and cell.
//!
//! A workload is a folder `mesh/NAME` with `a.obj`, `b.obj` and `poses-REGIME.txt` (twelve numbers a line, the row-major matrix `[R | t]` of B in A's frame). Each pose is
//! timed alone and keeps its fastest pass, of at most five within the budget; median and mean are over the poses.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use impinge::pair::{Collect, First, traverse};
use impinge::tree::Tree;
use impinge::{Mesh, Pose};

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
    let build = (0..5)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(Tree::build(&a));
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
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
        let mut cell = Cell {
            workload: name,
            regime: &regime,
            budget: Duration::from_secs_f64(arguments.budget),
        };
        cell.time("bool", &poses, |pose| {
            let mut first = First::default();
            traverse(&a, &b, pose, &mut first);
            usize::from(first.pair.is_some())
        });
        cell.time("all", &poses, |pose| {
            let mut all = Collect::default();
            traverse(&a, &b, pose, &mut all);
            all.pairs.len()
        });
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

struct Cell<'a> {
    workload: &'a str,
    regime: &'a str,
    budget: Duration,
}

impl Cell<'_> {
    fn time(&mut self, mode: &str, poses: &[Pose], query: impl Fn(&Pose) -> usize) {
        let mut best = vec![f64::INFINITY; poses.len()];
        let (mut found, mut colliding, mut passes) = (0, 0, 0);
        let start = Instant::now();
        while passes < 5 && (passes == 0 || start.elapsed() < self.budget) {
            (found, colliding) = (0, 0);
            for (pose, best) in poses.iter().zip(&mut best) {
                let start = Instant::now();
                let answer = std::hint::black_box(query(pose));
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                found += answer;
                colliding += usize::from(answer > 0);
            }
            passes += 1;
        }
        best.sort_by(f64::total_cmp);
        let n = best.len().max(1);
        let at = |share: f64| best.get(((n - 1) as f64 * share) as usize).copied().unwrap_or(0.0);
        let pairs = if mode == "all" { format!(r#","pairs":{found}"#) } else { String::new() };
        println!(
            r#"{{"peer":"impinge","workload":"{}","regime":"{}","mode":"{mode}","n":{},"of":{},"reps":{passes},"mean_us":{:.4},"median_us":{:.4},"min_us":{:.4},"p95_us":{:.4},"colliding":{colliding}{pairs}}}"#,
            self.workload,
            self.regime,
            best.len(),
            best.len(),
            best.iter().sum::<f64>() / n as f64,
            at(0.5),
            at(0.0),
            at(0.95),
        );
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
