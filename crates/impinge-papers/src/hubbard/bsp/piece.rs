//! A piece of a triangle in one cell of the tree: a convex polygon with rounded corners.
//!
//! Two sets are compared: the exact piece, which is the part of the triangle in the closed cell,
//! and the rounded polygon. Both directions of the following hold for every piece, by induction
//! over the cuts:
//!
//! - every point of the exact piece lies within `error` of the polygon,
//! - every point of the polygon lies within `error` of the triangle.
//!
//! A cut removes only points whose exact value at the plane is on the other side by more than
//! `error`, so that it removes no point of the exact piece; see [`margin`].

use impinge::Vec3;
use impinge::internals::rounding::UNIT_ROUNDOFF;

use super::plane::Plane;

/// The sizes that errors depend on, for all pieces of one query or of one build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Bounds the distance of two points.
    pub(super) reach: f64,
    /// How much a cut adds to the error of a piece.
    pub(super) error_of_cut: f64,
}

impl Extent {
    /// For points within the box from `min` to `max`.
    pub(super) fn of(min: Vec3, max: Vec3) -> Self {
        let largest = min.abs().max(max.abs()).max_element();
        // Twice the diagonal: points of a polygon may leave the box by their error.
        let reach = 4.0 * (max - min).max_element();
        // A new corner is `a + (b - a) t`: five roundings of numbers up to twice the largest
        // coordinate in each component, and three in `t`, which move it along the side.
        Self { reach, error_of_cut: 32.0 * UNIT_ROUNDOFF * largest + f64::MIN_POSITIVE }
    }
}

/// How far beyond a plane a cut is made. `error` is that of the piece, `plane` that of the values.
///
/// Let `q` be the point of the polygon closest to a point `p` of the exact piece with exact value
/// zero or more. The exact value of `q` is at least `-error (1 + 2^-20)`. Values at the corners are
/// wrong by at most `plane`, so the cut at the rounded value `-c` removes only points with exact
/// values below `plane - c`. Hence `c = 2 (error + plane)` keeps `q`, with room for the rounding of
/// `c`.
#[inline]
pub(super) fn margin(error: f64, plane: f64) -> f64 {
    2.0 * (error + plane)
}

/// The values of the corners of a piece at a plane, and their range.
#[inline]
pub(super) fn values(plane: &Plane, corners: &[Vec3], values: &mut Vec<f64>) -> (f64, f64) {
    values.clear();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in corners {
        let value = plane.value(*p);
        (low, high) = (low.min(value), high.max(value));
        values.push(value);
    }
    (low, high)
}

/// Appends to `out` the part of a convex polygon where `side` times the value is at least `-margin`
/// (Sutherland and Hodgman 1974). There is a corner with such a value.
pub(super) fn cut(corners: &[Vec3], values: &[f64], side: f64, margin: f64, out: &mut Vec<Vec3>) {
    let above = |i: usize| side * values[i] + margin;
    let mut last = corners.len() - 1;
    for this in 0..corners.len() {
        let (from, to) = (above(last), above(this));
        if (from < 0.0) != (to < 0.0) {
            // From the kept corner, with a parameter from 0 to 1.
            let (kept, removed) = if from < 0.0 { (this, last) } else { (last, this) };
            let (k, r) = (above(kept), above(removed));
            out.push(corners[kept] + (corners[removed] - corners[kept]) * (k / (k - r)).min(1.0));
        }
        if to >= 0.0 {
            out.push(corners[this]);
        }
        last = this;
    }
}

/// The mean of the corners.
pub(super) fn middle(corners: &[Vec3]) -> Vec3 {
    let share = 1.0 / corners.len() as f64;
    corners.iter().fold(Vec3::ZERO, |sum, p| sum + *p * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_square_keeps_the_margin() {
        let square =
            [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
        let wall = [Vec3::X, Vec3::X + Vec3::Y, Vec3::X + Vec3::Z];
        let plane = Plane::through(&wall).unwrap();
        assert_eq!(plane.normal, Vec3::X);
        let (mut found, mut front) = (Vec::new(), Vec::new());
        assert_eq!(values(&plane, &square, &mut found), (-1.0, 1.0));
        cut(&square, &found, 1.0, 0.25, &mut front);
        let min = front.iter().fold(f64::INFINITY, |min, p| p.x.min(min));
        assert_eq!((front.len(), min), (4, 0.75));
        front.clear();
        cut(&square, &found, -1.0, 0.0, &mut front);
        assert_eq!(front.len(), 4);
        assert_eq!(middle(&front), Vec3::new(0.5, 1.0, 0.0));
    }
}
