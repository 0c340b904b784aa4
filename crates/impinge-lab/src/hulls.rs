//! Time of building hulls, compared with other libraries on the same points.
//!
//! Each peer is a separate program (`peers/hulls-parry`). It reads the points that `--points`
//! writes and prints one line of JSON for each set; `--peers` reads these lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::convex::Hull;
use impinge::{Mesh, Vec3};

use crate::bodies::direction;
use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};
use crate::timing;
use impinge::internals::Random;

/// Arguments of `impinge-lab hulls`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Mesh files, or folders that are searched for them recursively. Their vertices are point
    /// sets, in addition to the random ones.
    files: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
    /// Only writes the points to `DIR/NAME.xyz`, for the peers.
    #[arg(long, value_name = "DIR")]
    points: Option<PathBuf>,
    /// Output of peers for the same points: a line of JSON for each set.
    #[arg(long, value_name = "FILE")]
    peers: Vec<PathBuf>,
    /// Meshes with fewer vertices are skipped.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    min_vertices: usize,
    /// Seconds for each set; the hull is built in at least three batches, and the fastest counts.
    #[arg(long, default_value_t = 0.5, value_name = "S")]
    budget: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The result of one library for one set of points.
#[derive(Clone, Debug)]
struct Built {
    ms: f64,
    vertices: u64,
    faces: u64,
    /// The reason for which there is no hull.
    failed: Option<String>,
}

/// Results by set and by peer.
type PeerResults = BTreeMap<String, BTreeMap<String, Built>>;

/// Builds every hull and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit_seconds(&mut arguments.budget, 0.01);
    let arguments = &arguments;
    let mut sets = generated(arguments);
    sets.extend(read(arguments)?);
    if let Some(folder) = &arguments.points {
        return sets.iter().try_for_each(|(name, points)| write(folder, name, points));
    }
    let peer_results = peer_results(&arguments.peers)?;
    let mut progress = Progress::new(sets.len());
    let mut rows = Vec::new();
    for (name, points) in &sets {
        progress.step(&format!("{name}: {} points", points.len()));
        rows.push((name.as_str(), points.len(), build_with_impinge(points, arguments.budget)?));
    }
    println!("{}", report(arguments, &rows, &peer_results)?.display());
    Ok(())
}

/// Random points, and a grid of points, many of which are coplanar.
fn generated(arguments: &Arguments) -> Vec<(String, Vec<Vec3>)> {
    let mut random = Random::new(arguments.seed);
    let share = if arguments.common.quick { 100 } else { 1 };
    let mut sets = Vec::new();
    for n in [10_000, 100_000, 1_000_000].map(|n| n / share) {
        let mut in_ball = || loop {
            let p = random.in_cube();
            if p.length_squared() <= 1.0 {
                return p;
            }
        };
        sets.push((format!("ball-{n}"), (0..n).map(|_| in_ball()).collect()));
    }
    for n in [1000, 10_000, 100_000].map(|n| n / share) {
        sets.push((format!("sphere-{n}"), (0..n).map(|_| direction(&mut random)).collect()));
    }
    let side = if arguments.common.quick { 5_usize } else { 40 };
    let at =
        |i: usize| Vec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
    sets.push((format!("grid-{side}-cubed"), (0..side.pow(3)).map(at).collect()));
    sets
}

fn read(arguments: &Arguments) -> Result<Vec<(String, Vec<Vec3>)>> {
    let mut files = Vec::new();
    for path in &arguments.files {
        collect(path, &mut files).with_context(|| path.display().to_string())?;
    }
    files.sort();
    let mut sets: Vec<(String, Vec<Vec3>)> = Vec::new();
    for file in files {
        // Folders may contain other files.
        let Ok(mesh) = Mesh::load(&file) else { continue };
        if mesh.vertices().len() >= arguments.min_vertices {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            sets.push((name, mesh.vertices().to_vec()));
        }
    }
    sets.sort_by(|x, y| x.0.cmp(&y.0));
    sets.dedup_by(|x, y| x.0 == y.0);
    Ok(sets)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, points: &[Vec3]) -> Result<()> {
    let mut text = String::new();
    for p in points {
        writeln!(text, "{} {} {}", p.x, p.y, p.z)?;
    }
    fs::create_dir_all(folder)?;
    Ok(fs::write(folder.join(format!("{name}.xyz")), text)?)
}

fn build_with_impinge(points: &[Vec3], budget: f64) -> Result<Built> {
    let hull = Hull::new(points)?;
    let ms = 1e3 * timing::preparation(budget, || Hull::new(points));
    let (vertices, faces) = (hull.vertices().len() as u64, hull.face_count() as u64);
    Ok(Built { ms, vertices, faces, failed: None })
}

fn peer_results(files: &[PathBuf]) -> Result<PeerResults> {
    let mut peer_results = PeerResults::new();
    for file in files {
        let place = |i: usize| format!("{}, line {}", file.display(), i + 1);
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        for (i, line) in text.lines().enumerate() {
            let value: serde_json::Value = serde_json::from_str(line).with_context(|| place(i))?;
            let number = |key: &str| value[key].as_u64().unwrap_or(0);
            let (Some(peer), Some(set)) = (value["peer"].as_str(), value["set"].as_str()) else {
                anyhow::bail!("{}: \"peer\" and \"set\" are missing or not strings", place(i));
            };
            let built = Built {
                ms: value["ms"].as_f64().unwrap_or(f64::NAN),
                vertices: number("vertices"),
                faces: number("faces"),
                failed: value["failed"].as_str().map(str::to_owned),
            };
            peer_results.entry(set.to_owned()).or_default().insert(peer.to_owned(), built);
        }
    }
    Ok(peer_results)
}

fn report(
    arguments: &Arguments,
    rows: &[(&str, usize, Built)],
    peer_results: &PeerResults,
) -> Result<PathBuf> {
    let mut peers: Vec<&str> =
        peer_results.values().flat_map(BTreeMap::keys).map(String::as_str).collect();
    peers.sort_unstable();
    peers.dedup();
    let mut report = Report::new(&arguments.common.out, "hulls", "Building convex hulls");
    report.paragraph(
        "`Hull::new` is exact: corners, polygonal faces and neighbours are those of real arithmetic on the given coordinates. One thread, milliseconds of processor time, the fastest of several runs, all on one core one after the other. *ball*, *sphere*: random points in a ball and on a sphere; *grid*: the points of a cubic grid; the other sets are the vertices of meshes. \
         The peers build triangles in floating point with a tolerance: they may find fewer or more vertices and faces than the hull has, and a point may lie outside. *times*: the time of the peer divided by ours.",
    );
    if peers.is_empty() {
        report.paragraph("No peers were measured; see `--points` and `--peers` of this command.");
    }
    let mut headings: Vec<String> =
        ["points", "n", "corners", "faces", "impinge, ms"].map(str::to_owned).to_vec();
    for peer in &peers {
        headings.extend([format!("{peer}, ms"), "times".to_owned(), format!("{peer}: corners")]);
    }
    let mut table = Table::new(&headings);
    let mut gains: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, n, built) in rows {
        let mut cells = vec![(*name).to_owned(), count(*n as u64)];
        cells.extend([count(built.vertices), count(built.faces), short(built.ms)]);
        for peer in &peers {
            match peer_results.get(*name).and_then(|built| built.get(*peer)) {
                Some(Built { failed: Some(reason), .. }) => {
                    cells.extend([reason.clone(), String::new(), String::new()]);
                }
                Some(theirs) => {
                    let gain = theirs.ms / built.ms;
                    gains.entry(peer).or_default().push(gain);
                    cells.extend([short(theirs.ms), format!("{gain:.2}"), count(theirs.vertices)]);
                }
                None => cells.extend([const { String::new() }; 3]),
            }
        }
        table.row(&cells);
    }
    report.table(&table);
    for (peer, mut gains) in gains {
        gains.sort_by(f64::total_cmp);
        report.paragraph(&format!(
            "Compared with {peer}, on {} sets: {:.2} to {:.2} times as fast, the median {:.2} times.",
            gains.len(),
            gains[0],
            gains[gains.len() - 1],
            gains[gains.len() / 2]
        ));
    }
    report.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_grid_is_a_cube() {
        let at = |i: usize| Vec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64);
        let points: Vec<Vec3> = (0..64).map(at).collect();
        let built = build_with_impinge(&points, 0.0).unwrap();
        assert_eq!((built.vertices, built.faces), (8, 6));
        assert!(built.ms > 0.0);
    }

    #[test]
    fn rows_of_peers_are_read() {
        let file =
            std::env::temp_dir().join(format!("impinge-lab-hull-peers-{}", std::process::id()));
        let lines = "{\"peer\":\"p\",\"set\":\"s\",\"ms\":2.5,\"vertices\":8,\"faces\":12}\n{\"peer\":\"q\",\"set\":\"s\",\"failed\":\"flat\"}\n";
        fs::write(&file, lines).unwrap();
        let peer_results = peer_results(std::slice::from_ref(&file)).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!((peer_results["s"]["p"].ms, peer_results["s"]["p"].vertices), (2.5, 8));
        assert_eq!(peer_results["s"]["q"].failed.as_deref(), Some("flat"));
    }
}
