//! Generated workloads for the peer commands: meshes and hulls, and poses of every regime.
//!
//! | regime of meshes | poses |
//! | --- | --- |
//! | `far` | boxes 0.001 to 0.02 apart |
//! | `near` | surfaces 0.01 to 0.05 apart |
//! | `touch` | surfaces 0.0005 apart |
//! | `shallow` | 10 to 100 pairs of triangles intersect |
//! | `deep` | the center of B at 30 % of the distance of first contact |
//! | `flight` | consecutive; one degree and up to 0.03 per step |
//!
//! Hulls are moved along a ray, to -0.05, -0.001, 0.001, 0.05 and 0.5 of A's longest side beyond
//! first contact. All meshes have a longest side of two.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use impinge::convex::Hull;
use impinge::{Aabb, Mesh, Pose, Vec3, pair};
use impinge_samples::shapes::Model;

use crate::bodies::{self, direction};
use crate::common::Common;
use impinge::internals::Random;

/// Arguments of `impinge-lab workloads`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Poses per regime.
    #[arg(long, default_value_t = 200, value_name = "N")]
    poses: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Pairs of meshes: names, models, and numbers of polygons.
const MESHES: [(&str, [Model; 2], usize); 4] = [
    ("torus-torus", [Model::Torus, Model::Torus], 20_000),
    ("flake-flake", [Model::TetraFlake, Model::TetraFlake], 16_000),
    ("gear-lamp", [Model::Gear, Model::Lamp], 20_000),
    ("hand-deformed", [Model::Hand, Model::DeformedTorus], 50_000),
];

/// The numbers of vertices of the hulls.
const HULL_VERTICES: [usize; 3] = [20, 100, 500];

/// Distances of the hulls beyond first contact, as shares of A's longest side.
const GAPS: [f64; 5] = [-0.05, -0.001, 0.001, 0.05, 0.5];

/// Writes all workloads to the folder `work` of the results, which must be empty or not exist.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.poses, 5)]);
    let quick = arguments.common.quick;
    let folder = &arguments.common.out.join("work");
    let is_empty = !folder.exists() || fs::read_dir(folder)?.next().is_none();
    ensure!(is_empty, "{}: the folder is not empty; choose another with --out", folder.display());
    let poses = arguments.poses;
    let mut random = Random::new(arguments.seed);
    for (name, models, polygons) in MESHES {
        let polygons = if quick { polygons / 20 } else { polygons };
        let make = |model: Model| to_size_two(&model.generate(polygons, arguments.seed)?);
        let (a, b) = (make(models[0])?, make(models[1])?);
        write_meshes(&folder.join("mesh").join(name), (&a, &b), poses, &mut random)
            .with_context(|| name)?;
        println!("mesh/{name}: {} and {} triangles", a.triangles().len(), b.triangles().len());
    }
    for shape in [bodies::Shape::Ellipsoid, bodies::Shape::Rod, bodies::Shape::Plate] {
        for n in if quick { &HULL_VERTICES[..1] } else { &HULL_VERTICES } {
            let name = format!("{}-{n}", shape.name());
            let (a, b) = (shape.hull(*n, &mut random)?, shape.hull(*n, &mut random)?);
            write_hulls(&folder.join("convex").join(&name), (&a, &b), 5 * poses, &mut random)
                .with_context(|| name.clone())?;
            println!("convex/{name}: {n} vertices each");
        }
    }
    println!("run them: impinge-lab peers --work {0}, peers-convex --work {0}", folder.display());
    Ok(())
}

/// The mesh scaled to a longest side of two, with the center of its box at the origin.
fn to_size_two(mesh: &Mesh) -> Result<Mesh> {
    let Aabb { min, max } = mesh.bounds();
    let (center, scale) = (0.5 * (min + max), 2.0 / (max - min).max_element());
    let vertices: Vec<Vec3> = mesh.vertices().iter().map(|v| (*v - center) * scale).collect();
    Ok(Mesh::from_triangles(vertices, mesh.triangles().to_vec())?)
}

fn write_obj(file: &Path, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<()> {
    let mut text = String::new();
    for v in vertices {
        writeln!(text, "v {} {} {}", v.x, v.y, v.z)?;
    }
    for t in triangles {
        writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1)?;
    }
    Ok(fs::write(file, text)?)
}

fn write_poses(folder: &Path, regime: &str, poses: &[Pose]) -> Result<()> {
    let mut text = String::new();
    for pose in poses {
        for (k, [x, y, z, t]) in pose.to_matrix().into_iter().enumerate() {
            let end = if k == 2 { '\n' } else { ' ' };
            write!(text, "{x:?} {y:?} {z:?} {t:?}{end}")?;
        }
    }
    Ok(fs::write(folder.join(format!("poses-{regime}.txt")), text)?)
}

/// Poses of B in a random orientation along a ray from the center of A.
struct Ray {
    rotation: Pose,
    axis: Vec3,
}

impl Ray {
    fn new(random: &mut Random) -> Result<Self> {
        let rotation = Pose::from_axis_angle(direction(random), PI * random.signed())?;
        Ok(Self { rotation, axis: direction(random) })
    }

    fn at(&self, r: f64) -> Result<Pose> {
        Ok(Pose::from_translation(self.axis * r)?.compose(&self.rotation)?)
    }

    /// Bisects for an `r` between `low` and `high`, to `1e-9`, where `holds` changes from true to
    /// false. `holds` is taken as true at `low` and false at `high`.
    fn bisect(&self, mut low: f64, mut high: f64, holds: impl Fn(&Pose) -> bool) -> Result<f64> {
        while high - low > 1e-9 {
            let middle = 0.5 * (low + high);
            if holds(&self.at(middle)?) { low = middle } else { high = middle }
        }
        Ok(low)
    }
}

fn write_meshes(
    folder: &Path,
    (a, b): (&Mesh, &Mesh),
    count: usize,
    random: &mut Random,
) -> Result<()> {
    fs::create_dir_all(folder)?;
    write_obj(&folder.join("a.obj"), a.vertices(), a.triangles())?;
    write_obj(&folder.join("b.obj"), b.vertices(), b.triangles())?;
    // Larger than the distance of any two points of both meshes in contact.
    let far_away = 8.0;
    let meets = |pose: &Pose| pair::first_pair(a, b, pose).is_some();
    let closer = |pose: &Pose, gap: f64| pair::distance(a, b, pose).is_some_and(|d| d.lower < gap);
    let boxes_within = |pose: &Pose, gap: f64| {
        let (bounds_a, bounds_b) = (a.bounds(), b.bounds_at(pose));
        (0..3).all(|k| {
            bounds_a.min[k] - gap <= bounds_b.max[k] && bounds_b.min[k] - gap <= bounds_a.max[k]
        })
    };
    let mut regimes: [(&str, Vec<Pose>); 5] =
        ["far", "near", "touch", "shallow", "deep"].map(|name| (name, Vec::new()));
    while regimes[4].1.len() < count {
        let n = regimes[4].1.len();
        let ray = Ray::new(random)?;
        let contact = ray.bisect(0.0, far_away, meets)?;
        if contact < 0.1 {
            continue; // B passes through a hole of A
        }
        let has_pairs =
            |pose: &Pose, min_pairs: usize| pair::intersecting_pairs(a, b, pose).len() >= min_pairs;
        let shallow =
            ray.bisect(0.0, contact + 1e-9, |pose| has_pairs(pose, 10 + 90 * n / count))?;
        let apart = 0.001 + 0.019 * n as f64 / count as f64;
        let near = 0.01 * (1 + n % 5) as f64;
        let radii = [
            ray.bisect(0.0, far_away, |pose| boxes_within(pose, apart))? + 1e-9,
            ray.bisect(contact, far_away, |pose| closer(pose, near))? + 1e-9,
            ray.bisect(contact, far_away, |pose| closer(pose, 0.0005))? + 1e-9,
            shallow,
            0.3 * contact,
        ];
        for ((_, poses), r) in regimes.iter_mut().zip(radii) {
            poses.push(ray.at(r)?);
        }
    }
    for (name, poses) in &regimes {
        write_poses(folder, name, poses)?;
    }
    let steps = 10 * count;
    let axis = direction(random);
    let flight: Vec<Pose> = (0..steps)
        .map(|n| {
            let rotation = Pose::from_axis_angle(axis, (n as f64).to_radians())?;
            let phase = 0.01 * n as f64;
            let position =
                Vec3::new(2.0 * phase.sin(), 1.5 * (1.3 * phase).cos(), (0.7 * phase).sin());
            Ok(Pose::from_translation(position)?.compose(&rotation)?)
        })
        .collect::<Result<_>>()?;
    write_poses(folder, "flight", &flight)
}

fn write_hulls(
    folder: &Path,
    (a, b): (&Hull, &Hull),
    count: usize,
    random: &mut Random,
) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (name, hull) in [("a.obj", a), ("b.obj", b)] {
        let triangles: Vec<[u32; 3]> = hull
            .faces()
            .flat_map(|corners| {
                (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]])
            })
            .collect();
        write_obj(&folder.join(name), hull.vertices(), &triangles)?;
    }
    let Aabb { min, max } = Aabb::from_points(a.vertices().iter().copied());
    let side = (max - min).max_element();
    for gap in GAPS {
        let poses: Vec<Pose> = (0..count)
            .map(|_| bodies::approach(a, b, gap * side, random))
            .collect::<Result<_>>()?;
        write_poses(folder, &gap.to_string(), &poses)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regimes_have_their_properties() {
        let folder = std::env::temp_dir().join(format!("impinge-workloads-{}", std::process::id()));
        let arguments = || {
            let common = Common { out: folder.clone(), quick: true };
            Arguments { common, poses: 3, seed: 1 }
        };
        run(arguments()).expect("an empty folder is written to");
        assert!(run(arguments()).is_err(), "a second run overwrites the workloads");
        for (name, ..) in MESHES {
            let path = folder.join("work/mesh").join(name);
            let load = |file: &str| Mesh::load(path.join(file)).expect("the mesh was written");
            let (a, b) = (load("a.obj"), load("b.obj"));
            for (regime, min_pairs, max_pairs) in [
                ("far", 0, 0),
                ("near", 0, 0),
                ("touch", 0, 0),
                ("shallow", 1, 300),
                ("deep", 1, usize::MAX),
            ] {
                let poses = super::super::poses(&path.join(format!("poses-{regime}.txt")));
                for pose in poses.expect("the poses were written") {
                    let pairs = pair::intersecting_pairs(&a, &b, &pose).len();
                    assert!((min_pairs..=max_pairs).contains(&pairs), "{name} {regime}: {pairs}");
                }
            }
        }
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
