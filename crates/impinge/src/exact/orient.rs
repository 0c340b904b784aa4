//! Orientation of three points in the plane and of four in space.

use robust::{Coord, Coord3D};

use super::Sign;
use crate::math::Vec3;

/// Which way the path `a`, `b`, `c` turns in the plane: positive for left (counter-clockwise).
#[must_use]
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    let p = |[x, y]: [f64; 2]| Coord { x, y };
    Sign::of(robust::orient2d(p(a), p(b), p(c)))
}

/// On which side of the plane through `a`, `b`, `c` the point `d` lies: positive for the side the normal
/// `(b - a) x (c - a)` points to.
#[must_use]
pub fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
    let p = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    -Sign::of(robust::orient3d(p(a), p(b), p(c), p(d)))
}
