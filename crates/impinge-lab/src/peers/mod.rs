//! Our rows in the peer measurements: the same files and the same timing as the peers. Each row is
//! a line with a JSON object.
//!
//! A workload is a folder `mesh/NAME` or `convex/NAME` with `a.obj`, `b.obj` and `poses-REGIME.txt`
//! (twelve numbers a line, the row-major matrix `[R | t]` of B in A's frame).

pub(crate) mod broad;
pub(crate) mod convex;
pub(crate) mod mesh;
pub(crate) mod table;
pub(crate) mod workloads;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::{Mesh, Pose};

use crate::common::Common;

/// Arguments of `impinge-lab peers` and `peers-convex`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The folder with the workloads, which are in its subfolders `mesh/` and `convex/`.
    #[arg(long, env = "PEER_WORK", value_name = "DIR")]
    work: PathBuf,
    /// Folder for the answers, which the report compares with those of the peers.
    #[arg(long, env = "PEER_OUT", value_name = "DIR")]
    answers: Option<PathBuf>,
    /// Seconds for each row.
    #[arg(long, env = "PEER_BUDGET_S", default_value_t = 1.5, value_name = "S")]
    budget: f64,
    /// Only workloads whose names begin with one of these.
    names: Vec<String>,
}

/// The number of poses per regime with `--quick`.
const QUICK_POSES: usize = 3;

impl Arguments {
    fn limited(mut self) -> Self {
        self.common.limit_seconds(&mut self.budget, 0.001);
        self
    }
}

/// Prints the rows of a run, and writes them to a file in the folder of the results.
struct RowFile(File);

impl RowFile {
    fn create(common: &Common, name: &str) -> Result<Self> {
        let path = common.out.join(format!("{name}.jsonl"));
        let place = || format!("{}: not writable", path.display());
        fs::create_dir_all(&common.out).with_context(place)?;
        Ok(Self(File::create(&path).with_context(place)?))
    }

    fn write_row(&self, row: &str) -> Result<()> {
        println!("{row}");
        Ok(writeln!(&self.0, "{row}")?)
    }
}

/// Two bodies, and the poses of the second by regime.
struct Workload<'a> {
    arguments: &'a Arguments,
    rows: &'a RowFile,
    name: String,
    a: Mesh,
    b: Mesh,
    /// Sorted by name.
    regimes: Vec<(String, Vec<Pose>)>,
}

impl Workload<'_> {
    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let (arguments, rows, workload) = (self.arguments, self.rows, self.name.as_str());
        self.regimes.iter().map(move |(regime, poses)| Cell {
            arguments,
            rows,
            workload,
            regime,
            poses,
        })
    }
}

/// Runs all selected workloads of the folder `kind`.
fn run_workloads(
    arguments: &Arguments,
    kind: &str,
    run: impl Fn(&Workload<'_>) -> Result<()>,
) -> Result<()> {
    let rows = RowFile::create(&arguments.common, &format!("peers-{kind}"))?;
    let folder = arguments.work.join(kind);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("{}: cannot be read; run `impinge-lab workloads` first, or name another folder with --work", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if arguments.names.is_empty()
            || arguments.names.iter().any(|n| name.starts_with(n.as_str()))
        {
            read(&path, &name, arguments, &rows)
                .and_then(|workload| run(&workload))
                .with_context(|| name)?;
        }
    }
    Ok(())
}

fn read<'a>(
    path: &Path,
    name: &str,
    arguments: &'a Arguments,
    rows: &'a RowFile,
) -> Result<Workload<'a>> {
    let (a, b) = (Mesh::load(path.join("a.obj"))?, Mesh::load(path.join("b.obj"))?);
    let mut regimes = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let regime = file.file_name().and_then(|f| f.to_str());
        if let Some(regime) = regime.and_then(|f| f.strip_prefix("poses-")?.strip_suffix(".txt")) {
            let mut poses = poses(&file)?;
            arguments.common.shorten(&mut poses, QUICK_POSES);
            regimes.push((regime.to_owned(), poses));
        }
    }
    regimes.sort_by(|x, y| x.0.cmp(&y.0));
    Ok(Workload { arguments, rows, name: name.to_owned(), a, b, regimes })
}

fn poses(file: &Path) -> Result<Vec<Pose>> {
    let text = fs::read_to_string(file)?;
    let parse = |line: &str| -> Result<Pose> {
        let numbers: Vec<f64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let matrix_row =
            |k: usize| -> Option<[f64; 4]> { numbers.get(4 * k..4 * k + 4)?.try_into().ok() };
        let [Some(x), Some(y), Some(z)] = [matrix_row(0), matrix_row(1), matrix_row(2)] else {
            anyhow::bail!("a pose needs twelve numbers in a line");
        };
        Ok(Pose::from_matrix([x, y, z])?)
    };
    let place = |i: usize| format!("{}, line {}", file.display(), i + 1);
    text.lines().enumerate().map(|(i, line)| parse(line).with_context(|| place(i))).collect()
}

/// A workload and a regime with its poses. With a mode, it identifies a row of the report.
struct Cell<'a> {
    arguments: &'a Arguments,
    rows: &'a RowFile,
    workload: &'a str,
    regime: &'a str,
    poses: &'a [Pose],
}

/// The measurements of a row.
struct Measured {
    /// Microseconds per query: of each pose, or of each pass over all poses.
    us: Vec<f64>,
    passes: usize,
    /// The answer for each pose: 0 or 1, a number of pairs, or a distance.
    answers: Vec<f64>,
}

impl Cell<'_> {
    /// Writes the row, and the answers to the file that the report reads.
    fn write_results(&self, mode: &str, measured: &Measured) -> Result<()> {
        self.rows.write_row(&self.row(mode, measured))?;
        let text: String = measured.answers.iter().map(|answer| format!("{answer}\n")).collect();
        self.write(&format!("{mode}.txt"), &text)
    }

    /// Writes a file of this cell to the folder of the answers, if there is one.
    fn write(&self, what: &str, text: &str) -> Result<()> {
        if let Some(answers) = &self.arguments.answers {
            let folder = answers.join("impinge");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{}.{}.{what}", self.workload, self.regime)), text)?;
        }
        Ok(())
    }

    fn row(&self, mode: &str, measured: &Measured) -> String {
        row([self.workload, self.regime, mode], self.poses.len(), measured)
    }
}

/// The JSON row of a workload, regime and mode. `poses` is the number of poses in the workload,
/// which may exceed the number of answers.
fn row([workload, regime, mode]: [&str; 3], poses: usize, measured: &Measured) -> String {
    let Measured { us, passes, answers } = measured;
    let mut us = us.clone();
    us.sort_by(f64::total_cmp);
    let last = us.len().saturating_sub(1);
    let at = |share: f64| us.get((last as f64 * share) as usize).copied().unwrap_or(0.0);
    let total: f64 = answers.iter().sum();
    let is_distance = mode.starts_with("dist") || mode.starts_with("signed");
    let colliding = answers.iter().filter(|&&a| (a > 0.0) != is_distance).count();
    let sum = match mode {
        _ if is_distance => format!(r#","sum_dist":{total:.9}"#),
        _ if mode.starts_with("all") => format!(r#","pairs":{total}"#),
        _ => String::new(),
    };
    format!(
        r#"{{"peer":"impinge","workload":"{}","regime":"{}","mode":"{mode}","n":{},"of":{},"reps":{passes},"mean_us":{:.4},"median_us":{:.4},"min_us":{:.4},"p95_us":{:.4},"colliding":{colliding}{sum}}}"#,
        workload,
        regime,
        answers.len(),
        poses,
        us.iter().sum::<f64>() / us.len().max(1) as f64,
        at(0.5),
        at(0.0),
        at(0.95),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_row(mode: &str, answers: &[f64]) -> String {
        let us = vec![3.0, 1.0, 2.0];
        row(["w", "r", mode], 4, &Measured { us, passes: 2, answers: answers.to_vec() })
    }

    #[test]
    fn a_row_has_the_fields_of_the_report() {
        let row = cell_row("all", &[0.0, 5.0, 2.0]);
        assert!(
            row.contains(r#""n":3,"of":4,"reps":2,"mean_us":2.0000,"median_us":2.0000"#),
            "{row}"
        );
        assert!(row.ends_with(r#""colliding":2,"pairs":7}"#), "{row}");
        assert!(cell_row("bool", &[1.0, 0.0, 0.0]).ends_with(r#""colliding":1}"#));
        let row = cell_row("dist", &[0.0, 0.25, 0.5]);
        assert!(row.ends_with(r#""colliding":1,"sum_dist":0.750000000}"#), "{row}");
        let row = cell_row("signed-warm", &[-0.5, 0.25, 0.5, -0.25]);
        assert!(row.contains(r#""n":4,"of":4"#), "{row}");
        assert!(row.ends_with(r#""colliding":2,"sum_dist":0.000000000}"#), "{row}");
    }
}
