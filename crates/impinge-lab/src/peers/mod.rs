//! Our rows in the peer measurements: the same files, the same way of timing, one JSON object a
//! line and cell.
//!
//! A workload is a folder `mesh/NAME` or `convex/NAME` with `a.obj`, `b.obj` and `poses-REGIME.txt`
//! (twelve numbers a line, the row-major matrix `[R | t]` of B in A's frame).

pub(crate) mod broad;
pub(crate) mod convex;
pub(crate) mod mesh;
pub(crate) mod table;
pub(crate) mod workloads;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::{Mesh, Pose};

/// Where the workloads are and what to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder that holds the workloads, `mesh/` and `convex/`.
    #[arg(long, env = "PEER_WORK", value_name = "DIR")]
    work: PathBuf,
    /// Where to write the answers, for the report's comparison with those of the others.
    #[arg(long, env = "PEER_OUT", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds a cell may take.
    #[arg(long, env = "PEER_BUDGET_S", default_value_t = 1.5, value_name = "S")]
    budget: f64,
    /// Only workloads whose names begin so.
    names: Vec<String>,
}

/// A folder of two bodies and the poses of the second.
struct Workload<'a> {
    arguments: &'a Arguments,
    name: String,
    a: Mesh,
    b: Mesh,
    /// By their names in order.
    regimes: Vec<(String, Vec<Pose>)>,
}

impl Workload<'_> {
    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let (arguments, workload) = (self.arguments, self.name.as_str());
        self.regimes.iter().map(move |(regime, poses)| Cell { arguments, workload, regime, poses })
    }
}

/// Runs every workload asked for of those in the folder `kind`.
fn each(
    arguments: &Arguments,
    kind: &str,
    run: impl Fn(&Workload<'_>) -> Result<()>,
) -> Result<()> {
    let folder = arguments.work.join(kind);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("{}: make the workloads first", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if arguments.names.is_empty()
            || arguments.names.iter().any(|n| name.starts_with(n.as_str()))
        {
            read(&path, &name, arguments)
                .and_then(|workload| run(&workload))
                .with_context(|| name)?;
        }
    }
    Ok(())
}

fn read<'a>(path: &Path, name: &str, arguments: &'a Arguments) -> Result<Workload<'a>> {
    let (a, b) = (Mesh::load(path.join("a.obj"))?, Mesh::load(path.join("b.obj"))?);
    let mut regimes = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let regime = file.file_name().and_then(|f| f.to_str());
        if let Some(regime) = regime.and_then(|f| f.strip_prefix("poses-")?.strip_suffix(".txt")) {
            regimes.push((regime.to_owned(), poses(&file)?));
        }
    }
    regimes.sort_by(|x, y| x.0.cmp(&y.0));
    Ok(Workload { arguments, name: name.to_owned(), a, b, regimes })
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

/// What was measured in a cell.
struct Measured {
    /// Microseconds a query: of each pose, or of each pass over all poses.
    us: Vec<f64>,
    passes: usize,
    /// Of each pose: 0 or 1, a number of pairs, or a distance.
    answers: Vec<f64>,
}

impl Cell<'_> {
    /// Prints the line, and writes the answers where the report looks for them.
    fn tell(&self, mode: &str, measured: &Measured) -> Result<()> {
        println!("{}", self.line(mode, measured));
        let text: String = measured.answers.iter().map(|answer| format!("{answer}\n")).collect();
        self.write(&format!("{mode}.txt"), &text)
    }

    /// Writes a file about this cell, if answers are to be written.
    fn write(&self, what: &str, text: &str) -> Result<()> {
        if let Some(out) = &self.arguments.out {
            let folder = out.join("impinge");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{}.{}.{what}", self.workload, self.regime)), text)?;
        }
        Ok(())
    }

    fn line(&self, mode: &str, measured: &Measured) -> String {
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
            self.workload,
            self.regime,
            answers.len(),
            self.poses.len(),
            us.iter().sum::<f64>() / us.len().max(1) as f64,
            at(0.5),
            at(0.0),
            at(0.95),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_line(mode: &str, answers: &[f64]) -> String {
        let arguments =
            Arguments { work: PathBuf::new(), out: None, budget: 1.0, names: Vec::new() };
        let poses = [Pose::IDENTITY; 4];
        let cell = Cell { arguments: &arguments, workload: "w", regime: "r", poses: &poses };
        let us = vec![3.0, 1.0, 2.0];
        cell.line(mode, &Measured { us, passes: 2, answers: answers.to_vec() })
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
        let line = cell_line("signed-warm", &[-0.5, 0.25, 0.5, -0.25]);
        assert!(line.contains(r#""n":4,"of":4"#), "{line}");
        assert!(line.ends_with(r#""colliding":2,"sum_dist":0.000000000}"#), "{line}");
    }
}
