//! The ways to check a pair, each as the world does it, with what it keeps from frame to frame; and
//! the poses they are asked about.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use impinge::convex::{self, Hull};
use impinge::internals::pair::{Posed, brute, sweep};
use impinge::pair::{self, First};
use impinge::world::Method;
use impinge::{Mesh, Pose, Vec3, shapes};

use crate::bodies::direction;
use crate::growth::{approach, torus};
use crate::random::Random;

/// A mesh with its tree and its hull.
pub(super) struct Body {
    pub(super) mesh: Arc<Mesh>,
    hull: Hull,
}

impl Body {
    /// About so many triangles: a bumpy torus, or a bumpy sheet where they are too few for one.
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

/// Hulls that overlapped so often in a row are asked only now and then, as the world does.
const LONGEST_WAIT: u8 = 32;

/// A method at work on one pair.
#[derive(Default)]
struct State {
    hulls: convex::HullCache,
    meshes: pair::MeshCache,
    wait: u8,
    patience: u8,
}

impl State {
    /// Whether the two meet, by a method for meshes.
    fn check(&mut self, method: Method, a: &Body, b: &Body, pose: &Pose) -> bool {
        match method {
            Method::Hulls => {
                convex::intersects_cached(&a.hull, &b.hull, pose, &mut self.hulls).is_intersecting()
            }
            Method::HullsThenTriangles => {
                if self.wait == 0 {
                    if !self.check(Method::Hulls, a, b, pose) {
                        self.patience = 0;
                        return false;
                    }
                    self.patience = (2 * self.patience + 1).min(LONGEST_WAIT);
                    self.wait = self.patience;
                } else {
                    self.wait -= 1;
                }
                self.check(Method::Triangles, a, b, pose)
            }
            Method::Sweep | Method::BruteForce => {
                let (here, there) =
                    (Posed::new(&a.mesh, &Pose::IDENTITY), Posed::new(&b.mesh, pose));
                let mut first = First::default();
                if method == Method::Sweep {
                    sweep::traverse(&here, &there, &mut first);
                } else {
                    brute::traverse(&here, &there, &mut first);
                }
                first.pair.is_some()
            }
            _ => pair::first_pair_cached(&a.mesh, &b.mesh, pose, &mut self.meshes).is_some(),
        }
    }
}

/// Whether a method can be waited for.
pub(super) fn bears(method: Method, a: &Body, b: &Body) -> bool {
    let (m, n) = (a.triangles(), b.triangles());
    match method {
        Method::BruteForce => m * n <= 100_000,
        Method::Sweep => m + n <= 30_000,
        _ => true,
    }
}

/// Where B is in A's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regime {
    /// One percent of the size apart.
    Near,
    /// All but touching.
    Touch,
    /// Deep in each other.
    Deep,
    /// B flies past or through A, by 1 % of its size and one degree a frame, while their boxes
    /// overlap.
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

/// The poses of each regime; of flights, one list each.
pub(super) struct Poses {
    still: [Vec<Pose>; 3],
    flights: Vec<Vec<Pose>>,
}

impl Poses {
    pub(super) fn new(a: &Body, b: &Body, count: usize, random: &mut Random) -> Result<Self> {
        let mut still = [const { Vec::new() }; 3];
        for _ in 0..count {
            for (list, pose) in still.iter_mut().zip(approach(&a.mesh, &b.mesh, random)?) {
                list.push(pose);
            }
        }
        let flights = (0..count).map(|_| flight(a, b, random)).collect::<Result<_>>()?;
        Ok(Self { still, flights })
    }

    /// Runs of poses: those within one are a flight, or a single pose.
    pub(super) fn runs(&self, regime: Regime) -> Vec<&[Pose]> {
        match regime {
            Regime::Flight => self.flights.iter().map(Vec::as_slice).collect(),
            _ => self.still[regime as usize].iter().map(std::slice::from_ref).collect(),
        }
    }

    /// How many of the flights' frames the hulls leave open.
    pub(super) fn open(&self, a: &Body, b: &Body) -> f64 {
        let poses = || self.flights.iter().flatten();
        let meet = |pose: &&Pose| convex::intersects(&a.hull, &b.hull, pose).is_intersecting();
        poses().filter(meet).count() as f64 / poses().count().max(1) as f64
    }
}

/// A straight flight past the middle of A, up to a radius away from it.
fn flight(a: &Body, b: &Body, random: &mut Random) -> Result<Vec<Pose>> {
    let size = a.mesh.bounds().extent().max_element();
    let (way, axis) = (direction(random), direction(random));
    let side = way.any_orthonormal_vector();
    let turn = 0.5 * std::f64::consts::TAU * random.unit();
    let offset = (side * turn.cos() + way.cross(side) * turn.sin()) * random.unit() * 0.5 * size;
    let start = Pose::from_axis_angle(direction(random), 3.0 * random.unit())?;
    let (own, its) = (a.mesh.bounds(), b.mesh.bounds());
    let mut poses = Vec::new();
    for step in -300..300 {
        let at: Vec3 = own.center() + offset + way * (0.01 * size * f64::from(step));
        let turned = Pose::from_axis_angle(axis, f64::from(step).to_radians())?.compose(&start)?;
        let pose = Pose::from_translation(at)?.compose(&turned)?;
        if its.transformed(&pose).overlaps(&own) {
            poses.push(pose);
        }
    }
    Ok(poses)
}

/// Nanoseconds a check by a method for meshes: the fastest pass of those within the budget, of
/// three at least. Each run starts with nothing known. `None` if it says something else than the
/// triangles do.
pub(super) fn time(
    method: Method,
    bodies: (&Body, &Body),
    runs: &[&[Pose]],
    budget: f64,
) -> Option<f64> {
    let (a, b) = bodies;
    let pass = |method: Method| {
        let mut meet = 0;
        for run in runs {
            let mut state = State::default();
            meet += run.iter().filter(|pose| state.check(method, a, b, pose)).count();
        }
        meet
    };
    let checks: usize = runs.iter().map(|run| run.len()).sum();
    if method != Method::Hulls && pass(method) != pass(Method::Triangles) {
        return None;
    }
    Some(fastest(checks, budget, || pass(method)))
}

/// Nanoseconds for each of `checks`, of the fastest pass.
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
    fn all_methods_say_the_same() {
        for (m, n) in [(2, 8), (40, 300)] {
            let (a, b) = (Body::new(m).unwrap(), Body::new(n).unwrap());
            let poses = Poses::new(&a, &b, 3, &mut Random::new(1)).unwrap();
            for regime in Regime::ALL {
                let runs = poses.runs(regime);
                assert!(runs.iter().any(|run| !run.is_empty()), "{regime:?}");
                for method in Method::ALL.into_iter().filter(|m| *m != Method::Shapes) {
                    let ns = time(method, (&a, &b), &runs, 0.0);
                    assert!(ns.is_some_and(|ns| ns > 0.0), "{method} {regime:?} {m} {n}");
                }
            }
        }
    }
}
