//! The methods of a pair check, as in the world, with the state that each keeps from frame to
//! frame, and the poses at which they are timed.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use impinge::convex::{self, Hull};
use impinge::internals::pair::{Posed, brute, sweep};
use impinge::pair::{self, First};
use impinge::world::MethodKind;
use impinge::{Mesh, Pose, Vec3};
use impinge_samples::shapes;

use crate::bodies::direction;
use crate::growth::{approach, torus};
use impinge::internals::Random;

/// A mesh with its tree and its hull.
pub(super) struct Body {
    pub(super) mesh: Arc<Mesh>,
    hull: Hull,
}

impl Body {
    /// A body of about `triangles` triangles: a bumpy torus, or a bumpy sheet below 36 triangles.
    pub(super) fn new(triangles: usize) -> Result<Self> {
        let mesh = if triangles < 36 {
            let across = ((triangles as f64 / 2.0).sqrt().round() as usize).max(1);
            let along = (triangles / 2 / across).max(1);
            shapes::hills([1.4, 1.4], [across, along], 0.4, 7)?
        } else {
            torus(triangles)?
        };
        let _ = mesh.tree();
        let hull = Hull::new(mesh.vertices())?;
        Ok(Self { mesh: Arc::new(mesh), hull })
    }

    pub(super) fn triangles(&self) -> usize {
        self.mesh.triangles().len()
    }
}

/// The maximum number of consecutive checks that skip the hulls, as in the world.
const MAX_CHECKS_WITHOUT_HULLS: u8 = 32;

/// The state of all methods for one pair.
#[derive(Default)]
struct State {
    hulls: convex::HullCache,
    meshes: pair::MeshCache,
    checks_to_skip: u8,
    next_skip: u8,
}

impl State {
    /// Whether the two bodies intersect, by a method for meshes.
    fn check(&mut self, method: MethodKind, a: &Body, b: &Body, pose: &Pose) -> bool {
        match method.name() {
            "hulls" => {
                convex::intersects_cached(&a.hull, &b.hull, pose, &mut self.hulls).is_intersecting()
            }
            "hulls-then-triangles" => {
                if self.checks_to_skip == 0 {
                    if !self.check(MethodKind::HULLS, a, b, pose) {
                        self.next_skip = 0;
                        return false;
                    }
                    self.next_skip = (2 * self.next_skip + 1).min(MAX_CHECKS_WITHOUT_HULLS);
                    self.checks_to_skip = self.next_skip;
                } else {
                    self.checks_to_skip -= 1;
                }
                self.check(MethodKind::TRIANGLES, a, b, pose)
            }
            "sweep" | "brute-force" => {
                let (posed_a, posed_b) =
                    (Posed::new(&a.mesh, &Pose::IDENTITY), Posed::new(&b.mesh, pose));
                let mut first = First::default();
                if method == MethodKind::SWEEP {
                    sweep::traverse(&posed_a, &posed_b, &mut first);
                } else {
                    brute::traverse(&posed_a, &posed_b, &mut first);
                }
                first.pair.is_some()
            }
            _ => pair::first_pair_cached(&a.mesh, &b.mesh, pose, &mut self.meshes).is_some(),
        }
    }
}

/// Whether a method is fast enough to be measured for these sizes.
pub(super) fn is_feasible(method: MethodKind, a: &Body, b: &Body) -> bool {
    let (m, n) = (a.triangles(), b.triangles());
    match method.name() {
        "brute-force" => m * n <= 100_000,
        "sweep" => m + n <= 30_000,
        _ => true,
    }
}

/// The kind of B's poses in A's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regime {
    /// Apart by 1 % of the size.
    Near,
    /// Apart by 0.05 % of the size.
    Touch,
    /// Penetrating, at 30 % of the distance of first contact.
    Deep,
    /// B passes A or goes through it, by 1 % of A's size and one degree per frame; only frames in
    /// which their boxes overlap.
    Flight,
}

impl Regime {
    pub(super) const ALL: [Self; 4] = [Self::Near, Self::Touch, Self::Deep, Self::Flight];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Touch => "touching",
            Self::Deep => "deep",
            Self::Flight => "flight",
        }
    }
}

/// The poses of each regime; a list for each flight.
pub(super) struct Poses {
    single: [Vec<Pose>; 3],
    flights: Vec<Vec<Pose>>,
}

impl Poses {
    pub(super) fn new(a: &Body, b: &Body, count: usize, random: &mut Random) -> Result<Self> {
        let mut single = [const { Vec::new() }; 3];
        for _ in 0..count {
            for (list, pose) in single.iter_mut().zip(approach(&a.mesh, &b.mesh, random)?) {
                list.push(pose);
            }
        }
        let flights = (0..count).map(|_| flight(a, b, random)).collect::<Result<_>>()?;
        Ok(Self { single, flights })
    }

    /// Runs of consecutive poses: a flight each, or a single pose each.
    pub(super) fn runs(&self, regime: Regime) -> Vec<&[Pose]> {
        match regime {
            Regime::Flight => self.flights.iter().map(Vec::as_slice).collect(),
            _ => self.single[regime as usize].iter().map(std::slice::from_ref).collect(),
        }
    }

    /// The share of the flights' frames in which the hulls intersect.
    pub(super) fn hulls_undecided(&self, a: &Body, b: &Body) -> f64 {
        let poses = || self.flights.iter().flatten();
        let meet = |pose: &&Pose| convex::intersects(&a.hull, &b.hull, pose).is_intersecting();
        poses().filter(meet).count() as f64 / poses().count().max(1) as f64
    }
}

/// A straight flight past the center of A, at a distance of up to half of A's size.
fn flight(a: &Body, b: &Body, random: &mut Random) -> Result<Vec<Pose>> {
    let size = a.mesh.bounds().extent().max_element();
    let (velocity_axis, axis) = (direction(random), direction(random));
    let side = velocity_axis.any_orthonormal_vector();
    let side_angle = 0.5 * std::f64::consts::TAU * random.signed();
    let offset = (side * side_angle.cos() + velocity_axis.cross(side) * side_angle.sin())
        * random.signed()
        * 0.5
        * size;
    let start = Pose::from_axis_angle(direction(random), 3.0 * random.signed())?;
    let (bounds_a, bounds_b) = (a.mesh.bounds(), b.mesh.bounds());
    let mut poses = Vec::new();
    for step in -300..300 {
        let at: Vec3 = bounds_a.center() + offset + velocity_axis * (0.01 * size * f64::from(step));
        let rotation =
            Pose::from_axis_angle(axis, f64::from(step).to_radians())?.compose(&start)?;
        let pose = Pose::from_translation(at)?.compose(&rotation)?;
        if bounds_b.transformed(&pose).overlaps(&bounds_a) {
            poses.push(pose);
        }
    }
    Ok(poses)
}

/// Nanoseconds per check by a method for meshes: the fastest of at least three passes within the
/// budget. Each run starts with empty state. `None` if the method finds another number of
/// intersections than the test of triangles.
pub(super) fn time(
    method: MethodKind,
    bodies: (&Body, &Body),
    runs: &[&[Pose]],
    budget: f64,
) -> Option<f64> {
    let (a, b) = bodies;
    let pass = |method: MethodKind| {
        let mut meet = 0;
        for run in runs {
            let mut state = State::default();
            meet += run.iter().filter(|pose| state.check(method, a, b, pose)).count();
        }
        meet
    };
    let checks: usize = runs.iter().map(|run| run.len()).sum();
    if method != MethodKind::HULLS && pass(method) != pass(MethodKind::TRIANGLES) {
        return None;
    }
    Some(fastest(checks, budget, || pass(method)))
}

/// Nanoseconds per check of the fastest pass, which makes `checks` checks.
pub(super) fn fastest<T>(checks: usize, budget: f64, mut pass: impl FnMut() -> T) -> f64 {
    let (start, mut best, mut passes) = (Instant::now(), f64::INFINITY, 0);
    while passes < 3 || (passes < 50 && start.elapsed().as_secs_f64() < budget) {
        let clock = Instant::now();
        black_box(pass());
        best = best.min(clock.elapsed().as_secs_f64());
        passes += 1;
        if start.elapsed().as_secs_f64() > 10.0 * budget {
            break;
        }
    }
    best * 1e9 / checks.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_agree() {
        for (m, n) in [(2, 8), (40, 300)] {
            let (a, b) = (Body::new(m).unwrap(), Body::new(n).unwrap());
            let poses = Poses::new(&a, &b, 3, &mut Random::new(1)).unwrap();
            for regime in Regime::ALL {
                let runs = poses.runs(regime);
                assert!(runs.iter().any(|run| !run.is_empty()), "{regime:?}");
                for method in MethodKind::ALL.iter().filter(|m| **m != MethodKind::SHAPES) {
                    let ns = time(*method, (&a, &b), &runs, 0.0);
                    assert!(ns.is_some_and(|ns| ns > 0.0), "{method} {regime:?} {m} {n}");
                }
            }
        }
    }
}
