//! Exact answers in integers, by methods of their own.
//!
//! | question | method |
//! | --- | --- |
//! | squared distance of two triangles | all features ([`distance`]) |
//! | how two triangles meet | clipping in homogeneous coordinates (`clipping`) |
//! | do two hulls meet | a linear program ([`hulls::share_a_point`]) |
//! | distance and depth of two small hulls | every direction that can matter ([`hulls::Small`]) |
//! | does a certificate hold | [`certificate`] |

pub mod certificate;
pub mod distance;
pub mod units;

#[path = "../../../impinge/tests/convex_oracle/mod.rs"]
#[allow(
    missing_docs,
    missing_debug_implementations,
    clippy::must_use_candidate,
    reason = "shared with the library's tests"
)]
pub mod hulls;

#[path = "../../../impinge/tests/exact_triangles/number.rs"]
#[allow(dead_code, reason = "shared with the library's own tests, which use more of it")]
pub(crate) mod number;

#[path = "../../../impinge/tests/exact_triangles/oracle.rs"]
#[allow(dead_code, reason = "shared with the library's own tests, which use more of it")]
mod clipping;

pub(crate) use clipping::contact;
