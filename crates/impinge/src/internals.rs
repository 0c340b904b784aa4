//! Internals of the engine that the other crates of this workspace use. **Not stable**: anything
//! here may change or be removed in any release.

pub use crate::budget::Quantum;
pub use crate::closest::triangle_triangle::disjoint as closest_of_disjoint;
pub use crate::closest::triangle_triangle::triangle_triangle_with_error;
pub use crate::convex::body::length_up as body_length_up;
pub use crate::convex::query::furthest_as_in_queries;
pub use crate::math::float::{next_down, next_up};
pub use crate::math::length::{direction, length_down, length_up};
pub use crate::math::polygon::{axes_by_size, drop_axis, newell};
pub use crate::math::random::Random;
pub use crate::math::scale::{coordinate_key, unit_scale};
pub use crate::stamps::Stamps;

use crate::budget::Budget;
use crate::convex::Hull;
use crate::math::Vec3;
use crate::mesh::Topology;

/// A budget for measurements: the query continues as long as `observe` returns true, which is
/// called before every unit of work with what the unit will be spent on. The query works as with a
/// deadline.
pub fn observed_budget(observe: &mut dyn FnMut(Quantum) -> bool) -> Budget<'_> {
    Budget::observed(observe)
}

/// Queries of a hull for methods that search its vertices, and for tests.
pub trait HullInternals {
    /// The vertex furthest along `direction`, exactly, by a walk over edges from `start`.
    fn climb(&self, direction: Vec3, start: u32, climb: &mut support::Climb) -> u32;

    /// As [`climb`](Self::climb), with rounding: a vertex that need not be the furthest.
    fn climb_rounded(&self, direction: Vec3, start: u32, climb: &mut support::Climb) -> u32;

    /// Whether this is the hull of `points`, checked exactly.
    ///
    /// # Errors
    /// A text that states what is wrong.
    fn validate(&self, points: &[Vec3]) -> Result<(), String>;

    /// Whether no vertex lies further along `direction` than this one, checked exactly.
    ///
    /// # Errors
    /// A text that states what is wrong.
    fn validate_support(&self, direction: Vec3, vertex: u32) -> Result<(), String>;
}

impl HullInternals for Hull {
    #[inline]
    fn climb(&self, direction: Vec3, start: u32, climb: &mut support::Climb) -> u32 {
        Self::climb(self, direction, start, climb)
    }

    #[inline]
    fn climb_rounded(&self, direction: Vec3, start: u32, climb: &mut support::Climb) -> u32 {
        Self::climb_rounded(self, direction, start, climb)
    }

    fn validate(&self, points: &[Vec3]) -> Result<(), String> {
        Self::validate(self, points)
    }

    fn validate_support(&self, direction: Vec3, vertex: u32) -> Result<(), String> {
        Self::validate_support(self, direction, vertex)
    }
}

/// The check of a mesh's connectivity.
pub trait TopologyInternals {
    /// Checks all invariants.
    ///
    /// # Errors
    /// The first invariant that does not hold, which would be a bug of this library.
    fn validate(&self) -> Result<(), String>;
}

impl TopologyInternals for Topology<'_> {
    fn validate(&self) -> Result<(), String> {
        Self::validate(self)
    }
}

/// Searches for the furthest vertex of a hull.
pub mod support {
    pub use crate::convex::body::furthest_by;
    pub use crate::convex::support::Climb;
}

/// Two polytopes by exact arithmetic, from their points.
pub mod decide {
    pub use crate::convex::decide::*;
}

/// Predicates that count their stages or tests, the order of points along a direction, and linear
/// point location: by all triangles, without a tree.
pub mod exact {
    pub use crate::exact::along::compare_along;
    pub use crate::exact::convex_polygon::point_in_convex_polygon_counted;
    pub use crate::exact::orient::{orient2d_counted, orient3d_counted};
    pub use crate::exact::polygon::{OneShotCounts, point_in_polygon_counted};
    pub use crate::exact::polyhedron::{locate_point, point_on_triangle, winding_number};
    pub use crate::exact::stats::FilterStats;
    pub use crate::exact::triangle::triangles_intersect_counted;
}

/// The slow methods for two meshes, and meshes in the frame of a query.
pub mod pair {
    pub use crate::pair::posed::Posed;

    /// Every triangle against every triangle.
    pub mod brute {
        pub use crate::pair::brute::*;
    }
    /// Triangles in the overlap of the two boxes, sorted along one axis.
    pub mod sweep {
        pub use crate::pair::sweep::*;
    }
}

/// The arrays of trees, and their traversals, which must be given the trees of the meshes passed.
pub mod tree {
    pub use crate::tree::wide::arrays::{Arrays, arrays};
    pub use crate::tree::wide::disc::{Disc, Discs};
    pub use crate::tree::wide::frame::Frame;
    pub use crate::tree::wide::leaf::Leaf;
    pub use crate::tree::wide::node::{Link, LocalBox, Node};
    pub use crate::tree::wide::{near, traverse};
}

/// Vectors of eight `f32`. A kernel is a [`Task`](wide::Task), generic over the kind of vectors;
/// [`run`](wide::run) runs it with the best instructions of the machine.
pub mod wide {
    pub use crate::wide::dispatch::{Task, run};
    pub use crate::wide::{Lanes3, Wide, Wide3};
}

/// The exchange between the application and a detached world.
pub mod exchange {
    pub use crate::world::exchange::*;
}

/// Outward rounding.
pub mod rounding {
    pub use crate::math::rounding::*;
}

/// Exact signs for sweeps over lines.
pub mod motion {
    pub use crate::motion::products::sign_of_sum;
}

/// Data structures of broad phases.
pub mod broad {
    pub use crate::broad::frame::are_many;
    pub use crate::broad::lists::{List, Lists};
    pub use crate::broad::testing;
}

/// The modules that generated shapes are built with.
pub mod shapes {
    /// See the engine's `shapes::builder`.
    pub mod builder {
        pub use crate::shapes::builder::*;
    }
    /// See the engine's `shapes::circle`.
    pub mod circle {
        pub use crate::shapes::circle::*;
    }
    /// See the engine's `shapes::grid`.
    pub mod grid {
        pub use crate::shapes::grid::*;
    }
    /// See the engine's `shapes::loft`.
    pub mod loft {
        pub use crate::shapes::loft::*;
    }
    /// See the engine's `shapes::params`.
    pub mod params {
        pub use crate::shapes::params::*;
    }
    /// See the engine's `shapes::parts`.
    pub mod parts {
        pub use crate::shapes::parts::*;
    }
    /// See the engine's `shapes::prism`.
    pub mod prism {
        pub use crate::shapes::prism::*;
    }
    /// See the engine's `shapes::revolve`.
    pub mod revolve {
        pub use crate::shapes::revolve::*;
    }
    /// See the engine's `shapes::solids`.
    pub mod solids {
        pub use crate::shapes::solids::*;
    }
    /// See the engine's `shapes::sphere`.
    pub mod sphere {
        pub use crate::shapes::sphere::*;
    }
    /// See the engine's `shapes::sweep`.
    pub mod sweep {
        pub use crate::shapes::sweep::*;
    }
    /// See the engine's `shapes::torus`.
    pub mod torus {
        pub use crate::shapes::torus::*;
    }
    /// See the engine's `shapes::testing`.
    pub mod testing {
        pub use crate::shapes::testing::*;
    }
}

/// The iteration for closest points of convex bodies, and its strategies.
pub mod closest {
    pub use crate::convex::closest::{Reduced, SignedVolumes, Strategy, closest_points_by, unit};
}

/// Solids whose vertices are already transformed: point location, and the space that two share.
pub mod solid {
    pub use crate::solid::locate::{check_solid, locate_posed};
    pub use crate::solid::relate::{Occupancy, occupancy};
}

/// The parts of convex decomposition.
pub mod pieces {
    pub use crate::pieces::bodies::{bodies, check_closed};
    pub use crate::pieces::exactly::decompose_with_balance;
    pub use crate::pieces::index::SolidIndex;
}

/// Scenes from documents that are already parsed.
#[cfg(feature = "files")]
pub mod scene {
    pub use crate::scene::files::from_document;
}

/// The composition of poses, without a check of the range and the rotation of the result.
#[must_use]
pub fn compose_unchecked(outer: &crate::Pose, inner: &crate::Pose) -> crate::Pose {
    outer.composed(inner)
}
