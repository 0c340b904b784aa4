//! A probabilistic test for solids (Zachmann 1994, section 3.5): look for a point inside both.
//!
//! Vertices come first, in random order so that neighbours are not asked one after the other; then
//! random points in the part that the two boxes share. A point found is proof. Finding none proves
//! nothing: the answer leans towards "no collision".

use impinge::Error;
use impinge::exact::Location;
use impinge::internals::Random;
use impinge::internals::pair::Posed;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::pair::Bias;

use impinge::internals::solid::{check_solid, locate_posed};

/// How long to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonteCarlo {
    /// At most so many vertices of each mesh are tested against the other.
    pub vertices: usize,
    /// Then so many random points.
    pub points: usize,
    /// Where the random numbers start; the same seed gives the same answer.
    pub seed: u64,
}

impl Default for MonteCarlo {
    /// All vertices, then a hundred points, as in the thesis' second experiment.
    fn default() -> Self {
        Self { vertices: usize::MAX, points: 100, seed: 0 }
    }
}

/// What was found, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarloOutcome {
    /// A point inside or on both solids, in A's frame: certain. `None`: no point was found, which
    /// is no proof.
    pub common_point: Option<Vec3>,
    /// Which way the answer can be wrong.
    pub bias: Bias,
    /// How many vertices were tested.
    pub vertices_tested: usize,
    /// How many random points were tested.
    pub points_tested: usize,
}

/// Looks for a point of both solids, with `b` at `pose` in `a`'s frame.
///
/// # Errors
/// [`ErrorKind::NotSolid`](impinge::ErrorKind::NotSolid) if a mesh is not closed: it has no inside
/// then.
///
/// ```
/// use impinge::{Pose, shapes, solid};
///
/// let ball = shapes::icosphere(1.0, 2)?;
/// let near = Pose::from_translation([0.5, 0.5, 0.5])?;
/// let found = solid::monte_carlo(&ball, &ball, &near, &solid::MonteCarlo::default())?;
/// assert!(found.common_point.is_some());
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
        common_point: None,
        bias: Bias::TowardsNoCollision,
        vertices_tested: 0,
        points_tested: 0,
    };
    let region = a.bounds().intersection(&b.bounds());
    if region.is_empty() {
        return Ok(outcome);
    }
    let mut random = Random::new(options.seed);
    let holds = |m: &Posed<'_>, p: Vec3| locate_posed(p, m) != Location::Outside;
    for (own, other) in [(&a, &b), (&b, &a)] {
        let used = own.mesh().used_vertices();
        for k in random.permutation(used.len()).into_iter().take(options.vertices) {
            let p = own.vertices()[used[k] as usize];
            outcome.vertices_tested += 1;
            if holds(other, p) {
                outcome.common_point = Some(p);
                return Ok(outcome);
            }
        }
    }
    for _ in 0..options.points {
        let s = Vec3::new(random.unit(), random.unit(), random.unit());
        let p = (region.min + region.extent() * s).clamp(region.min, region.max);
        outcome.points_tested += 1;
        if holds(&a, p) && holds(&b, p) {
            outcome.common_point = Some(p);
            return Ok(outcome);
        }
    }
    Ok(outcome)
}
