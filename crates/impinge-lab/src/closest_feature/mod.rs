//! Closest-feature tracking, the baseline that Leung 1996 compares with. The search steps from one
//! pair of features (vertices, edges, faces) to a closer one, until each feature lies in the
//! Voronoi region of the other.
//!
//! M. Lin, J. Canny 1991, "A fast algorithm for incremental distance calculation"; the rules for
//! edges and for bodies that penetrate are those of B. Mirtich 1998, "V-Clip: fast and robust
//! polyhedral collision detection". Rounding can make a walk cycle. The exact closest points then
//! replace it, as a linear program does in I-COLLIDE; `Found::fell_back` reports this.

mod polytope;
mod walk;

pub(crate) use polytope::{Feature, Polytope};

use impinge::internals::decide::{Hint, closest};
use impinge::{Pose, Vec3};
use polytope::View;
use walk::Move;

/// The pair of features of the last frame; one per pair of bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked {
    a: Feature,
    b: Feature,
}

impl Default for Tracked {
    fn default() -> Self {
        Self { a: Feature::Vertex(0), b: Feature::Vertex(0) }
    }
}

/// The result of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Whether the bodies share a point, up to rounding.
    pub(crate) meet: bool,
    /// Their distance, zero if they intersect.
    pub(crate) distance: f64,
    /// Number of feature pairs visited.
    pub(crate) steps: u32,
    /// Whether the walk reached its step limit, and the exact closest points were used.
    pub(crate) fell_back: bool,
}

/// The distance of two polytopes, B at `pose` in A's frame. The walk starts at the features of the
/// last frame.
pub(crate) fn track(a: &Polytope, b: &Polytope, pose: &Pose, tracked: &mut Tracked) -> Found {
    let p = View { polytope: a, pose: None };
    let q = View { polytope: b, pose: Some(pose) };
    let limit = (a.feature_count() + b.feature_count()) as u32;
    for steps in 1..=limit {
        match walk::step(&p, tracked.a, &q, tracked.b) {
            Move::To(fa, fb) => (tracked.a, tracked.b) = (fa, fb),
            Move::Apart(distance) => {
                return Found { meet: false, distance, steps, fell_back: false };
            }
            Move::Meet => return Found { meet: true, distance: 0.0, steps, fell_back: false },
        }
    }
    exact_fallback(&p, &q, limit, tracked)
}

#[cold]
fn exact_fallback(p: &View<'_>, q: &View<'_>, steps: u32, tracked: &mut Tracked) -> Found {
    let points = |view: &View<'_>| -> Vec<Vec3> {
        (0..view.vertex_count()).map(|v| view.vertex(v)).collect()
    };
    let found = closest(&points(p), &points(q), &Hint::NONE);
    let (distance, pair) =
        found.map_or((0.0, None), |c| (c.upper, c.pairs.as_slice().first().copied()));
    if let Some([v, w]) = pair {
        *tracked = Tracked { a: Feature::Vertex(v), b: Feature::Vertex(w) };
    }
    Found { meet: distance == 0.0, distance, steps, fell_back: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::convex::Hull;
    use impinge::internals::Random;

    fn bodies(random: &mut Random) -> Vec<Hull> {
        let mut hulls = Vec::new();
        for axes in
            [Vec3::new(1.0, 0.7, 0.5), Vec3::new(1.0, 0.06, 0.06), Vec3::new(1.0, 1.0, 0.06)]
        {
            for n in [6, 20, 80] {
                let points: Vec<Vec3> = (0..n)
                    .map(|_| (random.in_cube() + Vec3::splat(1e-3)).normalize() * axes)
                    .collect();
                hulls.push(Hull::new(&points).unwrap());
            }
        }
        let grid = (0..27_u32)
            .map(|i| Vec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) * 0.5);
        hulls.push(Hull::new(&grid.collect::<Vec<_>>()).unwrap());
        hulls
    }

    /// Distances and verdicts are those of the exact closest points, from the default features and
    /// tracked over moving bodies.
    #[test]
    fn distances_are_exact_to_rounding() {
        let mut random = Random::new(1);
        let hulls = bodies(&mut random);
        let polytopes: Vec<Polytope> = hulls.iter().map(|h| Polytope::new(h).unwrap()).collect();
        let (mut met, mut apart, mut fallbacks) = (0, 0, 0);
        for round in 0..120 {
            let (i, j) = (round % hulls.len(), (round * 7 + 3) % hulls.len());
            let axis = random.in_cube() + Vec3::splat(1e-3);
            let (mut at, step) = (random.in_cube() * 2.0, random.in_cube() * 0.05);
            let mut tracked = Tracked::default();
            for frame in 0..25 {
                at += step;
                let angle = f64::from(frame) * 0.1;
                // Some rounds without rotation, so that faces and edges are parallel.
                let turn = if round % 5 == 0 {
                    Pose::IDENTITY
                } else {
                    Pose::from_axis_angle(axis, angle).unwrap()
                };
                let pose = Pose::from_translation(at).unwrap().compose(&turn).unwrap();
                let moved: Vec<Vec3> =
                    hulls[j].vertices().iter().map(|v| pose.transform_point(*v)).collect();
                let expected = closest(hulls[i].vertices(), &moved, &Hint::NONE).unwrap();
                for found in [
                    track(&polytopes[i], &polytopes[j], &pose, &mut tracked),
                    track(&polytopes[i], &polytopes[j], &pose, &mut Tracked::default()),
                ] {
                    assert!(
                        (found.distance - expected.upper).abs() < 1e-9,
                        "{i} {j} {found:?} {}",
                        expected.upper
                    );
                    assert!(found.meet == (expected.upper == 0.0) || expected.upper < 1e-9);
                    fallbacks += u32::from(found.fell_back);
                    if found.meet { met += 1 } else { apart += 1 }
                }
            }
        }
        assert!(met > 300 && apart > 1000, "{met} {apart}");
        assert!(fallbacks * 100 < met + apart, "{fallbacks} of {}", met + apart);
    }
}
