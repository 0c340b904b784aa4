//! Pairs with at least one shape other than a mesh: certified GJK, or a search over the mesh's
//! tree.

use anyhow::Result;
use impinge::convex::{Capsule, Cuboid, Hull, Sphere};
use impinge::shape::{self, ShapeCache};
use impinge::{Aabb, Pose, Shape, Vec3};

use super::check::{Body, fastest};
use super::{Arguments, fit};
use crate::bodies::{self, direction};
use crate::report::{Report, Table, count, short};
use impinge::internals::Random;

/// Measurements in nanoseconds per check.
pub(super) struct WithShapes {
    /// The kinds of shapes, and the times of all their pairs.
    names: Vec<&'static str>,
    pairs: Vec<Vec<f64>>,
    /// Numbers of triangles, and the times of each kind against the mesh.
    meshes: Vec<(usize, Vec<f64>)>,
    /// The constant for two shapes other than meshes.
    pub(super) two_shapes: f64,
    /// The base for a shape and a mesh, and the addition for each doubling of the mesh's triangles.
    pub(super) mesh: (f64, f64),
}

impl WithShapes {
    pub(super) fn measure(bodies: &[Body], arguments: &Arguments) -> Result<Self> {
        let mut random = Random::new(arguments.seed);
        let hull: Hull = bodies::Shape::Ellipsoid.hull(50, &mut random)?;
        let shapes: Vec<(&str, Shape)> = vec![
            ("sphere", Sphere::new(0.6)?.into()),
            ("capsule", Capsule::new(0.6, 0.3)?.into()),
            ("cuboid", Cuboid::new([0.5, 0.4, 0.6])?.into()),
            ("hull of 50 vertices", hull.into()),
        ];
        let time_pair = |a: &Shape, b: &Shape, random: &mut Random| -> Result<f64> {
            let runs: Vec<Vec<Pose>> =
                (0..arguments.poses.max(1)).map(|_| flight(random)).collect::<Result<_>>()?;
            let checks = runs.iter().map(Vec::len).sum();
            Ok(fastest(checks, arguments.budget / 4.0, || {
                let mut meet = 0;
                for run in &runs {
                    let mut cache = ShapeCache::default();
                    for pose in run {
                        let found = shape::intersects_cached(a, b, pose, &mut cache);
                        meet += usize::from(matches!(found, shape::Verdict::Intersecting(_)));
                    }
                }
                meet
            }))
        };
        let mut pairs: Vec<Vec<f64>> = Vec::new();
        for (_, a) in &shapes {
            let row =
                shapes.iter().map(|(_, b)| time_pair(a, b, &mut random)).collect::<Result<_>>()?;
            pairs.push(row);
        }
        let mut meshes = Vec::new();
        for body in bodies {
            let mesh = Shape::from(body.mesh.clone());
            let row = shapes
                .iter()
                .map(|(_, s)| time_pair(&mesh, s, &mut random))
                .collect::<Result<_>>()?;
            meshes.push((body.triangles(), row));
        }
        let all: Vec<f64> = pairs.iter().flatten().copied().collect();
        let two_shapes = fit::constant(&all);
        let points: Vec<(f64, f64)> = meshes
            .iter()
            .flat_map(|(n, row): &(usize, Vec<f64>)| row.iter().map(|ns| ((*n as f64).log2(), *ns)))
            .collect();
        let names = shapes.iter().map(|(name, _)| *name).collect();
        Ok(Self { names, pairs, meshes, two_shapes, mesh: fit::line(&points) })
    }

    pub(super) fn report(&self, report: &mut Report) {
        report.heading("With shapes other than meshes");
        report.paragraph(
            "Nanoseconds a check in flight; the shapes have about the same size as the meshes.",
        );
        let mut headings = vec!["against"];
        headings.extend(&self.names);
        let mut table = Table::new(&headings);
        for (name, row) in self.names.iter().zip(&self.pairs) {
            let mut cells = vec![(*name).to_owned()];
            cells.extend(row.iter().map(|ns| short(*ns)));
            table.row(&cells);
        }
        for (triangles, row) in &self.meshes {
            let mut cells = vec![format!("mesh of {} triangles", count(*triangles as u64))];
            cells.extend(row.iter().map(|ns| short(*ns)));
            table.row(&cells);
        }
        report.table(&table);
    }
}

/// A flight past or through a body of size two; only poses in which boxes of that size overlap.
fn flight(random: &mut Random) -> Result<Vec<Pose>> {
    let (velocity_axis, axis) = (direction(random), direction(random));
    let offset = random.in_cube() * 0.7;
    let overlap_box = Aabb::from_corners(Vec3::splat(-1.4), Vec3::splat(1.4));
    let mut poses = Vec::new();
    for step in -150..150 {
        let at = offset + velocity_axis * (0.02 * f64::from(step));
        let rotation = Pose::from_axis_angle(axis, f64::from(step).to_radians())?;
        if overlap_box.contains(at) {
            poses.push(Pose::from_translation(at)?.compose(&rotation)?);
        }
    }
    Ok(poses)
}
