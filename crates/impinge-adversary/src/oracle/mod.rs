//! Exact answers in integers, by methods that differ from the library's.
//!
//! | question | method |
//! | --- | --- |
//! | squared distance of two triangles | all features ([`distance`]) |
//! | contact of two triangles | clipping in homogeneous coordinates ([`impinge_oracles::triangles`]) |
//! | whether two hulls meet | a linear program ([`hulls::share_a_point`]) |
//! | distance and depth of two small hulls | all candidate directions ([`hulls::Small`]) |
//! | whether a certificate holds | [`certificate`] |

pub mod certificate;
pub mod distance;
pub mod units;

pub use impinge_oracles::convex as hulls;

pub(crate) use impinge_oracles::triangles::contact;
