//! The interruptible narrow phase (section VII): two sphere-trees are descended breadth first, all
//! pairs of balls of a level before those of the next, and triangles are compared exactly at the
//! end.
//!
//! After every level there is an answer: either no pair of balls meets, and the objects are
//! certainly apart; or some do, and the objects are at most a [certain distance](LevelAnswer::gap)
//! from each other, with an approximate contact for a response. A [`Budget`](impinge::pair::Budget)
//! ends the descent anywhere, and the answer is that of the last complete level. A depth limit of
//! the budget is the number of levels to be compared, so that triangles are compared below all
//! levels only.
//!
//! From the paper's outlook (section X): [`NarrowQuery::coherent`] starts where the last query
//! ended, and [`overlapped`] compares pairs while the broad phase searches for others. An
//! articulated object has a tree for every part, made once, and a query for every part.
//!
//! # Certainty
//!
//! Every level of a [`SphereTree`](impinge::spheres::SphereTree) is proven to cover the surface,
//! and balls are compared with bounds that include the rounding of moved centres and vertices. So
//! "separated" is certain at every level, and triangles are compared exactly. The question is
//! whether the surfaces meet, as [`impinge::intersects`].
//!
//! ```
//! use impinge::pair::Budget;
//! use impinge::{Pose, Verdict, shapes};
//! use impinge_papers::hubbard::narrow::NarrowQuery;
//! use impinge_papers::hubbard::spheres::{self, SphereOptions};
//!
//! let ring = shapes::torus(1.0, 0.3, 24, 12)?;
//! let tree = spheres::octree(&ring, &SphereOptions::default().levels(3))?;
//! let mut query = NarrowQuery::new((&ring, &tree), (&ring, &tree));
//! // Like two links of a chain, at most 0.4 apart.
//! let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
//! let Verdict::Undecided(answer) = query.within(&linked, &mut Budget::depth(2)) else {
//!     panic!("two levels are too coarse for a decision");
//! };
//! assert!(answer.level == 2 && answer.gap >= 0.4);
//! assert!(query.within(&linked, &mut Budget::unlimited()).is_separated());
//! # Ok::<(), impinge::Error>(())
//! ```

mod balls;
mod pipeline;
mod query;

pub use pipeline::overlapped;
pub use query::{LevelCounts, NarrowCounts, NarrowQuery, NarrowVerdict, Scratch};

use impinge::Vec3;

/// The answer after a level at which balls still meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelAnswer {
    /// The number of levels that were compared completely; zero if the budget ended before.
    pub level: usize,
    /// The number of pairs of balls that meet at this level; with `level` zero, one.
    pub pairs: usize,
    /// Upper bound of the distance of the two surfaces, never larger after more levels.
    pub gap: f64,
    /// Upper bound of the distance of the two solids, if [`NarrowQuery::reaches`] gave the reaches
    /// of the balls; never larger after more levels. Otherwise infinite.
    pub solid_gap: f64,
    /// An approximate contact: the middle of the deepest overlap of two balls, in A's frame. The
    /// origin if no balls were compared.
    pub point: Vec3,
    /// The direction of the approximate contact, from A to B, in A's frame. Zero if two balls have
    /// the same centre, or none were compared.
    pub normal: Vec3,
}
