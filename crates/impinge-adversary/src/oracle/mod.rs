//! Exact answers in integers, by methods of their own.
//!
//! | question | method |
//! | --- | --- |
//! | squared distance of two triangles | all features ([`distance`]) |
//! | how two triangles meet | clipping in homogeneous coordinates ([`impinge_oracles::triangles`]) |
//! | do two hulls meet | a linear program ([`hulls::share_a_point`]) |
//! | distance and depth of two small hulls | every direction that can matter ([`hulls::Small`]) |
//! | does a certificate hold | [`certificate`] |

pub mod certificate;
pub mod distance;
pub mod units;

pub use impinge_oracles::convex as hulls;

pub(crate) use impinge_oracles::triangles::contact;

pub(crate) mod number {
    pub(crate) use impinge_oracles::triangles::Number;
}
