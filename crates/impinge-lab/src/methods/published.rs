//! Checks by the methods of `impinge-papers` for pairs of bodies, beside the costs that they
//! estimate for the world.

use std::hint::black_box;

use anyhow::{Context, Result};
use impinge::internals::Random;
use impinge::pair::Budget;
use impinge::shapes;
use impinge::world::{Body, Geometry, PairQuery, World};
use impinge::{Pose, Shape};
use impinge_papers::METHODS;

use super::Arguments;
use super::check::fastest;
use crate::bodies;
use crate::report::{Report, Table, count, short};

/// The facets of the tori around the axis and around the tube.
const TORI: [[usize; 2]; 3] = [[12, 8], [40, 25], [128, 80]];

/// The vertices of the hulls.
const HULLS: [usize; 3] = [8, 60, 400];

/// A method for two copies of a body.
struct Row {
    method: String,
    body: String,
    /// Nanoseconds a check.
    measured: f64,
    estimated: f64,
}

/// The times of all published methods.
pub(super) struct Published(Vec<Row>);

impl Published {
    pub(super) fn measure(arguments: &Arguments) -> Result<Self> {
        let mut random = Random::new(arguments.seed);
        let mut shapes: Vec<(String, Shape)> = Vec::new();
        for [around, tube] in TORI {
            let torus = Shape::solid(shapes::torus(1.0, 0.4, around, tube)?)?;
            shapes
                .push((format!("torus of {} triangles", count((2 * around * tube) as u64)), torus));
        }
        for vertices in HULLS {
            let hull = bodies::Shape::Ellipsoid.hull(vertices, &mut random)?;
            shapes.push((format!("hull of {vertices} vertices"), hull.into()));
        }
        let flight = flight()?;
        let mut rows = Vec::new();
        for kind in METHODS {
            let method = kind.make().with_context(|| format!("{kind} is made by a world"))?;
            for (name, shape) in &shapes {
                let geometry = Geometry::from(shape.clone());
                let part = geometry.parts().first().context("a shape is one part")?;
                let mut world = World::new();
                let a = world.add(Body::new(geometry.clone()))?;
                let b = world.add(Body::new(geometry.clone()))?;
                let traits = world.explain(a, b)?.traits;
                if !method.applies(&traits) {
                    continue;
                }
                let measured = fastest(flight.len(), arguments.budget / 4.0, || {
                    let mut checker = method.checker(part, part);
                    for pose in &flight {
                        let query = PairQuery { a: part, b: part, pose };
                        black_box(checker.check(&query, &mut Budget::unlimited()));
                    }
                    0
                });
                rows.push(Row {
                    method: kind.to_string(),
                    body: name.clone(),
                    measured,
                    estimated: method.nanoseconds(&traits),
                });
            }
        }
        Ok(Self(rows))
    }

    pub(super) fn report(&self, report: &mut Report) {
        report.heading("Published methods");
        report.paragraph(
            "Nanoseconds a check of two copies in flight, past and through each other, and what the method estimates for the world's choice.",
        );
        let mut table = Table::new(["method", "two copies of a", "measured", "estimated"]);
        for row in &self.0 {
            table.row(&[
                row.method.clone(),
                row.body.clone(),
                short(row.measured),
                short(row.estimated),
            ]);
        }
        report.table(&table);
    }
}

/// Poses of one copy that passes the other and turns.
fn flight() -> Result<Vec<Pose>> {
    let pose = |step: i32| {
        let turned = [0.1, 0.2 + 0.005 * f64::from(step), 0.3, 1.0];
        Pose::from_quaternion(turned, [0.02 * f64::from(step), 0.9, 0.4])
    };
    Ok((-100..100).map(pose).collect::<Result<_, _>>()?)
}
