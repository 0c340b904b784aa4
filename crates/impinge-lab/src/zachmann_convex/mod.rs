//! The experiments of Zachmann 1994, section 3.4: clipping and perceptron planes on convex bodies,
//! and 6.6: a race of the two.

mod clipping;
mod planes;
mod race;

use std::time::Instant;

use anyhow::Result;
use impinge::convex::Hull;
use impinge::shapes;
use impinge::{Mesh, Pose};
use impinge_papers::leung::separating::{self, Options, Prepared, Query, Scratch, SeparatingCache};

use crate::box_tree::bouncing_pair::bouncing_pair;
use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab zachmann-3-4`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of a flight where clipping is timed; the thesis took 10,000.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    frames: usize,
    /// Frames of the flight where errors of planes are counted; the thesis took 10,000.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    plane_frames: usize,
    /// Passes over a flight; each frame keeps its fastest.
    #[arg(long, default_value_t = 3, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Measures everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.frames, 10),
        (&mut arguments.plane_frames, 50),
        (&mut arguments.passes, 1),
    ]);
    let arguments = &arguments;
    let mut progress = Progress::new(1 + clipping::STEPS + planes::STEPS + race::STEPS);
    let mut report = Report::new(
        &arguments.common.out,
        "zachmann-3-4",
        "Zachmann 1994, section 3.4: convex bodies by clipping and by planes",
    );
    report.paragraph(
        "Two equal convex bodies fly in a cage and bounce off each other and the walls; a frame is one query whether they intersect. Bodies are generated, of the same kind and number of polygons, with a radius of about one; the cage is as wide as a factor times both bodies, \
         which is how we read the thesis' `-e`. Times are means over the frames, each frame the fastest of several passes, one thread unless a table says otherwise. Every method must agree with the exact decision, or the report is not written; planes may err in one direction. The thesis' \
         figures 3.15 and 3.16 are curves without numbers in our copy; ours are compared with the numbers and statements of its text.",
    );
    clipping::report(arguments, &mut progress, &mut report)?;
    planes::report(arguments, &mut progress, &mut report)?;
    race::report(arguments, &mut progress, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The thesis' two convex bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sphere,
    Cone,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Sphere, Self::Cone];

    fn name(self) -> &'static str {
        match self {
            Self::Sphere => "spheres",
            Self::Cone => "cones",
        }
    }

    /// A body of about `polygons` polygons: its hull, and the mesh of the hull's polygons.
    fn body(self, polygons: usize) -> Result<(Hull, Mesh)> {
        let mesh = match self {
            Self::Cone => shapes::cone(1.0, 2.0, polygons.saturating_sub(1).max(3))?,
            Self::Sphere => {
                // Rounded vertices are not coplanar, so the hull has two triangles for most
                // quadrangles.
                let rings = ((polygons as f64 / 4.0).sqrt().round() as usize).max(2) + 1;
                shapes::uv_sphere(1.0, rings, (polygons / (2 * rings - 2)).max(3))?
            }
        };
        let hull = Hull::new(mesh.vertices())?;
        let mesh = Mesh::from_polygons(hull.vertices().to_vec(), hull.faces())?;
        Ok((hull, mesh))
    }
}

/// A flight of two equal bodies, with the correct verdict of every frame.
struct Flight {
    hull: Hull,
    mesh: Mesh,
    poses: Vec<Pose>,
    meets: Vec<bool>,
}

impl Flight {
    fn new(kind: Kind, polygons: usize, frames: usize, cage_scale: f64, seed: u64) -> Result<Self> {
        let (hull, mesh) = kind.body(polygons)?;
        let poses = bouncing_pair(&mesh, frames, cage_scale, seed)?;
        let meets = {
            let body = Prepared::new(&hull);
            let (mut cache, mut scratch) = (SeparatingCache::default(), Scratch::default());
            let meet = |pose: &Pose| {
                let query = Query { a: &body, b: &body, pose, options: Options::THESIS };
                separating::decide(query, &mut cache, &mut scratch).is_intersecting()
            };
            poses.iter().map(meet).collect()
        };
        Ok(Self { hull, mesh, poses, meets })
    }

    fn hits(&self) -> usize {
        self.meets.iter().filter(|m| **m).count()
    }

    /// Mean microseconds of a frame. A wrong verdict of the method is an error.
    fn time(&self, passes: usize, mut meet: impl FnMut(&Pose) -> bool) -> Result<f64> {
        let mut best = vec![f64::INFINITY; self.poses.len()];
        for _ in 0..passes.max(1) {
            for ((pose, best), expected) in self.poses.iter().zip(&mut best).zip(&self.meets) {
                let start = Instant::now();
                let found = meet(pose);
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                anyhow::ensure!(
                    found == *expected,
                    "the method returned {found} instead of {expected} at {pose:?}"
                );
            }
        }
        Ok(best.iter().sum::<f64>() / best.len().max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_about_the_requested_polygons() {
        for kind in Kind::ALL {
            for n in [60, 120, 250] {
                let (hull, mesh) = kind.body(n).unwrap();
                assert_eq!(hull.face_count(), mesh.polygon_count());
                assert!(
                    hull.face_count().abs_diff(n) * 3 < n,
                    "{kind:?} {n} {}",
                    hull.face_count()
                );
            }
        }
    }

    #[test]
    fn a_flight_has_frames_of_both_verdicts() {
        let flight = Flight::new(Kind::Cone, 50, 300, 1.0, 1).unwrap();
        assert!(flight.hits() > 3 && flight.hits() < 297, "{}", flight.hits());
    }
}
