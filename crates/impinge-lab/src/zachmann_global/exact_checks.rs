//! Section 5.5.2, with exact checks after the broad phase: from which number of objects a broad
//! phase saves time.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::broad::PhaseKind;
use impinge::world::{Body, Geometry, Handle, MethodKind, World, WorldOptions};
use impinge::{Mesh, Pose, Vec3};
use impinge_papers::klosowski::dynamic_tree::TREE;
use impinge_papers::zachmann::broad::GRID;
use impinge_samples::shapes::{self, Model};

use super::Arguments;
use super::cage::poses;
use crate::report::{Progress, Report, Table, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of tetrahedra.
const TETRAHEDRA: [usize; 6] = [5, 10, 20, 50, 100, 200];
/// The broad phases compared.
const PHASES: [PhaseKind; 3] = [PhaseKind::ALL_PAIRS, GRID, PhaseKind::NEIGHBOURS];

/// The number of progress steps.
pub(super) const STEPS: usize = TETRAHEDRA.len() + 2;

/// Moving and fixed bodies.
pub(super) struct Scene {
    pub(super) moving: Vec<Geometry>,
    /// The poses of the moving bodies, for each frame.
    pub(super) poses: Vec<Vec<Pose>>,
    pub(super) fixed: Vec<(Geometry, Pose)>,
}

impl Scene {
    /// Microseconds per frame of a world with this broad phase and this method for all pairs
    /// (`None`: the world chooses), and the mean number of pairs checked per frame.
    pub(super) fn time(
        &self,
        phase: PhaseKind,
        method: Option<MethodKind>,
        passes: usize,
    ) -> Result<(f64, f64)> {
        let mut best = vec![f64::INFINITY; self.poses.len() - 1];
        let mut checked = 0;
        for _ in 0..passes.max(1) {
            let mut world = World::with_options(WorldOptions::default().phase(phase));
            let mut handles: Vec<Handle> = Vec::new();
            for (geometry, pose) in self.moving.iter().zip(&self.poses[0]) {
                handles.push(world.add(Body::new(geometry.clone()).at(*pose))?);
            }
            let moving_count = handles.len();
            for (geometry, pose) in &self.fixed {
                // Pairs of fixed bodies are not checked.
                handles.push(world.add(Body::new(geometry.clone()).at(*pose).groups(2).mask(1))?);
            }
            for i in 0..if method.is_some() { moving_count } else { 0 } {
                for j in i + 1..handles.len() {
                    world.set_method(handles[i], handles[j], method)?;
                }
            }
            world.update();
            checked = 0;
            for (frame, best) in self.poses[1..].iter().zip(&mut best) {
                let start = Instant::now();
                for (handle, pose) in handles.iter().zip(frame) {
                    world.move_to(*handle, *pose)?;
                }
                world.update();
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                checked += world.report().stats().checked;
            }
        }
        let frames = best.len() as f64;
        Ok((best.iter().sum::<f64>() / frames, checked as f64 / frames))
    }
}

/// The mesh scaled to a longest side of one and centered at the origin.
pub(super) fn to_unit_size(mesh: &Mesh) -> Result<Mesh> {
    let bounds = mesh.bounds();
    let size = bounds.extent().max_element();
    let vertices: Vec<Vec3> =
        mesh.vertices().iter().map(|v| (*v - bounds.center()) / size).collect();
    Ok(Mesh::from_triangles(vertices, mesh.triangles().to_vec())?)
}

/// `count` tetrahedra in a cage.
pub(super) fn tetrahedra(count: usize, side: f64, frames: usize, seed: u64) -> Result<Scene> {
    let form: Geometry = Arc::new(to_unit_size(&shapes::tetrahedron(1.0)?)?).into();
    Ok(Scene {
        moving: vec![form; count],
        poses: poses(count, side, frames, seed)?,
        fixed: Vec::new(),
    })
}

/// Spheres, tori, arrays of cubes and tetra-flakes of 50 to `max_polygons` polygons in a cage of
/// six walls.
pub(super) fn mixed_objects(
    count: usize,
    side: f64,
    max_polygons: usize,
    frames: usize,
    seed: u64,
) -> Result<Scene> {
    const KINDS: [Model; 4] = [Model::Sphere, Model::Torus, Model::CubeArray, Model::TetraFlake];
    let mut moving = Vec::new();
    for i in 0..count {
        let polygons = 50 + (max_polygons - 50) * (i % 7) / 6;
        let mesh = to_unit_size(&KINDS[i % 4].generate(polygons, seed)?)?;
        moving.push(Arc::new(mesh).into());
    }
    let mut fixed = Vec::new();
    for axis in 0..3 {
        for end in [-0.1, side + 0.1] {
            let (mut size, mut at) = ([side; 3], Vec3::splat(0.5 * side));
            (size[axis], at[axis]) = (0.2, end);
            fixed.push((shapes::cuboid(size)?.into(), Pose::from_translation(at)?));
        }
    }
    Ok(Scene { moving, poses: poses(count, side, frames, seed)?, fixed })
}

/// One small body among 500 tetra-flakes on a lattice.
fn one_among_many(frames: usize, seed: u64) -> Result<Scene> {
    let flake: Geometry = Arc::new(to_unit_size(&Model::TetraFlake.generate(52, seed)?)?).into();
    let mover: Geometry = Arc::new(to_unit_size(&Model::Icosphere.generate(20, seed)?)?).into();
    let mut fixed = Vec::new();
    for i in 0..500 {
        let at = Vec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64));
        fixed.push((flake.clone(), Pose::from_translation(at * 1.5 + Vec3::splat(0.75))?));
    }
    Ok(Scene { moving: vec![mover], poses: poses(1, 12.0, frames, seed)?, fixed })
}

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    report.heading("Figure 5.22: a grid before exact checks of tetrahedra");
    report.paragraph("Tetrahedra with boxes of 1 in a cage with sides of 5; whole frames of a `World`, microseconds. Every broad phase passes on the same pairs, those whose boxes overlap.");
    let mut table = Table::new(
        std::iter::once("tetrahedra".to_owned())
            .chain(PHASES.map(|p| format!("{p}, \u{3bc}s")))
            .chain(["pairs checked".to_owned()]),
    );
    let mut rows = Vec::new();
    for count in TETRAHEDRA {
        progress.step(&format!("{count} tetrahedra, exact"));
        let scene = tetrahedra(count, 5.0, arguments.frames, arguments.seed)?;
        let mut timed = Vec::new();
        for phase in PHASES {
            timed.push(scene.time(phase, None, arguments.passes)?);
        }
        let mut cells = vec![count.to_string()];
        cells.extend(timed.iter().map(|t| short(t.0)));
        cells.push(short(timed[0].1));
        table.row(&cells);
        rows.push((count, timed));
    }
    report.table(&table);
    let first_faster_row = rows.iter().find(|(_, t)| t[1].0 < t[0].0).map(|r| r.0);
    report.paragraph(&format!(
        "**Thesis:** the goal was to find the complexity from which a grid saves time; \"even 100\u{b2}/2 bounding box checks are very cheap compared to some superfluous exact collision detections\". **Ours:** a grid is faster than all pairs {}. The two differ: the thesis' grid passes on pairs that share a cell, ours only those whose boxes overlap, as all pairs does.",
        first_faster_row.map_or("at no measured number of objects".to_owned(), |n| format!("from {n} objects on")),
    ));
    let mut chart = Chart::new(
        "Exact checks of tetrahedra",
        Axis::log("tetrahedra"),
        Axis::log("\u{3bc}s a frame"),
    )
    .caption("In a cage with sides of 5; the thesis' Figure 5.22.");
    for (k, phase) in PHASES.into_iter().enumerate() {
        let points = rows.iter().map(|(n, t)| (*n as f64, t[k].0)).collect();
        chart = chart.series(phase.to_string(), Mark::LineAndDots, points);
    }
    report.figure("exact", "Time of exact checks over the number of tetrahedra", &chart)?;
    thirty_moving(arguments, progress, report)?;
    one_moving(arguments, progress, report)
}

fn thirty_moving(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    progress.step("thirty objects, exact");
    report.heading("Section 5.5.2: 30 moving objects of 50 to 750 polygons");
    let scene = mixed_objects(30, 5.0, 750, arguments.frames / 2, arguments.seed)?;
    let mut table = Table::new([
        "method",
        "\u{3bc}s a frame",
        "gain",
        "thesis: ms a frame",
        "thesis: gain",
        "pairs checked",
        "thesis: pairs after grid",
    ]);
    let rows = [
        ("no grid, no trees (sweep)", PhaseKind::ALL_PAIRS, Some(MethodKind::SWEEP), 260.0, "615"),
        ("no grid, with trees", PhaseKind::ALL_PAIRS, Some(MethodKind::TRIANGLES), 234.0, "615"),
        ("with grid, with trees", GRID, Some(MethodKind::TRIANGLES), 219.0, "155"),
        ("neighbours, methods as chosen", PhaseKind::NEIGHBOURS, None, f64::NAN, ""),
    ];
    let mut first = None;
    let mut gains = Vec::new();
    for (name, phase, method, thesis, pairs) in rows {
        let (us, checked) = scene.time(phase, method, arguments.passes)?;
        let gain = *first.get_or_insert(us) / us;
        gains.push(gain);
        let known = |text: String| if thesis.is_nan() { String::new() } else { text };
        table.row([
            name.to_owned(),
            short(us),
            format!("{gain:.2}"),
            known(short(thesis)),
            known(format!("{:.2}", 260.0 / thesis)),
            short(checked),
            pairs.to_owned(),
        ]);
    }
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** trees gain a factor of 1.11, the grid after them 1.07. **Ours:** {} and {}. Without trees the thesis compares edges with polygons after pre-checks, we sweep over the boxes of triangles; and our grid passes on the same pairs as all pairs does.",
        short(gains[1]),
        short(gains[2] / gains[1]),
    ));
    Ok(())
}

fn one_moving(arguments: &Arguments, progress: &mut Progress, report: &mut Report) -> Result<()> {
    progress.step("one among 500, exact");
    report.heading("Section 5.5.2: one moving object among 500 fixed ones");
    let scene = one_among_many(arguments.frames, arguments.seed)?;
    let mut table = Table::new([
        "broad phase",
        "\u{3bc}s a frame",
        "gain",
        "pairs checked",
        "thesis: ms a frame",
    ]);
    let mut first = None;
    let mut gains = Vec::new();
    for (phase, thesis) in [
        (PhaseKind::ALL_PAIRS, "1.0 (without grid)"),
        (GRID, "0.2 (with grid)"),
        (PhaseKind::NEIGHBOURS, ""),
        (TREE, ""),
    ] {
        let (us, checked) = scene.time(phase, None, arguments.passes)?;
        ensure!(
            checked > 0.5,
            "the moving object has no pair in most frames: {checked} pairs per frame"
        );
        let gain = *first.get_or_insert(us) / us;
        gains.push(gain);
        table.row([
            phase.to_string(),
            short(us),
            format!("{gain:.1}"),
            short(checked),
            thesis.to_owned(),
        ]);
    }
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** the grid gains a factor of 5. **Ours:** {}, but the two differ: our all pairs compares all boxes with each other in every frame, also the fixed ones, while the thesis compares only the moving one.",
        short(gains[1]),
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_broad_phases_check_the_same_pairs() {
        for scene in [
            tetrahedra(40, 4.0, 12, 1).unwrap(),
            mixed_objects(12, 3.0, 200, 6, 1).unwrap(),
            one_among_many(8, 1).unwrap(),
        ] {
            let found: Vec<f64> =
                PHASES.iter().map(|p| scene.time(*p, None, 1).unwrap().1).collect();
            assert!(found[0] > 0.0 && found.iter().all(|f| *f == found[0]), "{found:?}");
        }
        let wall = &mixed_objects(4, 3.0, 100, 3, 1).unwrap().fixed[5].0;
        assert!((wall.bounds().extent() - Vec3::new(3.0, 3.0, 0.2)).length() < 1e-6);
    }
}
