//! Coordinates in a unit in which they are at most two in size.

use crate::arrays::MapToVec;
use crate::convex::Hull;
use crate::error::{Error, ErrorKind};
use crate::math::{Vec3, unit_scale};

/// A change of unit by a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    factors: (f64, f64),
}

impl Scale {
    /// The unit for these points, and the points in it.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] if small coordinates would be rounded by it: numbers near the
    /// smallest of `f64` together with large ones.
    pub(super) fn of(points: &[Vec3]) -> Result<(Self, Vec<Vec3>), Error> {
        let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let factors = if largest > 0.0 { unit_scale(largest) } else { (1.0, 1.0) };
        let scale = Self { factors };
        let scaled: Vec<Vec3> = points.map_to_vec(|p| *p * factors.0 * factors.1);
        match scaled.iter().zip(points).position(|(q, p)| scale.unscale(*q) != *p) {
            None => Ok((scale, scaled)),
            Some(v) => Err(Error::new(
                ErrorKind::OutOfRange,
                format!(
                    "vertex {v} at {} is too small compared with coordinates of {largest:e} to be scaled without rounding; set its tiny coordinates to zero",
                    points[v]
                ),
            )),
        }
    }

    /// A point in the original unit.
    pub(super) fn unscale(&self, p: Vec3) -> Vec3 {
        p / self.factors.1 / self.factors.0
    }

    /// A length in this unit.
    pub(super) fn length(&self, length: f64) -> f64 {
        length * self.factors.0 * self.factors.1
    }

    /// An upper bound in the original unit.
    pub(super) fn unscale_upper_bound(&self, length: f64) -> f64 {
        let back = length / self.factors.1 / self.factors.0;
        // Only a result near the smallest number can be rounded.
        if length > 0.0 && back < f64::MIN_POSITIVE { back + f64::from_bits(1) } else { back }
    }

    /// A hull in the original unit. Its [`sources`](Hull::sources) are the indices of its own
    /// vertices. `None` if a corner would be rounded.
    pub(super) fn unscale_hull(&self, hull: Hull) -> Option<Hull> {
        let exactly = |v: &Vec3| {
            let back = self.unscale(*v);
            (back * self.factors.0 * self.factors.1 == *v).then_some(back)
        };
        let vertices = hull.vertices().iter().map(exactly).collect::<Option<Vec<Vec3>>>()?;
        Some(hull.with_vertices(vertices))
    }
}
