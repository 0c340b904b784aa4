//! A probabilistic test for solids (Zachmann 1994, section 3.5): a search for a point inside both.
//!
//! Vertices are tested first, in random order so that consecutive vertices are not neighbours. Then
//! random points in the intersection of the two boxes are tested. A point found is a proof. If none
//! is found, nothing is proven: the result is biased towards "no collision".

use impinge::Error;
use impinge::exact::Location;
use impinge::internals::Random;
use impinge::internals::pair::Posed;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::pair::Bias;

use impinge::internals::solid::{check_solid, locate_posed};

/// The number of points to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MonteCarlo {
    /// Maximum number of vertices of each mesh that are tested against the other.
    pub vertices: usize,
    /// Number of random points that are tested then.
    pub points: usize,
    /// Seed of the random numbers. The same seed yields the same result.
    pub seed: u64,
}

impl MonteCarlo {
    /// With at most this many [`vertices`](Self#structfield.vertices).
    #[must_use]
    pub fn vertices(self, vertices: usize) -> Self {
        Self { vertices, ..self }
    }

    /// With this many [`points`](Self#structfield.points).
    #[must_use]
    pub fn points(self, points: usize) -> Self {
        Self { points, ..self }
    }

    /// With this [`seed`](Self#structfield.seed).
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

impl Default for MonteCarlo {
    /// All vertices and a hundred points, as in the thesis' second experiment.
    fn default() -> Self {
        Self { vertices: usize::MAX, points: 100, seed: 0 }
    }
}

/// The result of the Monte-Carlo test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarloOutcome {
    /// A point inside or on both solids, in A's frame. It is certain. `None` if no point was found,
    /// which is no proof.
    pub point: Option<Vec3>,
    /// The result that can be wrong.
    pub bias: Bias,
    /// The number of vertices tested.
    pub vertices_tested: usize,
    /// The number of random points tested.
    pub points_tested: usize,
}

/// Searches for a common point of both solids, with `b` at `pose` in `a`'s frame.
///
/// # Errors
/// [`ErrorKind::NotSolid`](impinge::ErrorKind::NotSolid) if a mesh is not closed and so has no
/// interior.
///
/// ```
/// use impinge::{Pose, shapes};
/// use impinge_papers::zachmann::{MonteCarlo, monte_carlo};
///
/// let ball = shapes::icosphere(1.0, 2)?;
/// let near = Pose::from_translation([0.5, 0.5, 0.5])?;
/// let found = monte_carlo(&ball, &ball, &near, &MonteCarlo::default())?;
/// assert!(found.point.is_some());
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn monte_carlo(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    options: &MonteCarlo,
) -> Result<MonteCarloOutcome, Error> {
    for (name, mesh) in [("the first mesh", a), ("the second mesh", b)] {
        check_solid(mesh, name)?;
    }
    let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
    let mut outcome = MonteCarloOutcome {
        point: None,
        bias: Bias::TowardsNoCollision,
        vertices_tested: 0,
        points_tested: 0,
    };
    let region = a.bounds().intersection(&b.bounds());
    if region.is_empty() {
        return Ok(outcome);
    }
    let mut random = Random::new(options.seed);
    let contains = |m: &Posed<'_>, p: Vec3| locate_posed(p, m) != Location::Outside;
    for (own, other) in [(&a, &b), (&b, &a)] {
        let used = own.mesh().used_vertices();
        for k in random.permutation(used.len()).into_iter().take(options.vertices) {
            let p = own.vertices()[used[k] as usize];
            outcome.vertices_tested += 1;
            if contains(other, p) {
                outcome.point = Some(p);
                return Ok(outcome);
            }
        }
    }
    for _ in 0..options.points {
        let s = Vec3::new(random.unit(), random.unit(), random.unit());
        let p = (region.min + region.extent() * s).clamp(region.min, region.max);
        outcome.points_tested += 1;
        if contains(&a, p) && contains(&b, p) {
            outcome.point = Some(p);
            return Ok(outcome);
        }
    }
    Ok(outcome)
}
