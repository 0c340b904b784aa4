//! The k-DOP around moved points. Points are only rotated; the translation is added to the bounds.
//!
//! The projection of a moved point on a direction `d` of the target frame is `d . (R v + t)`, which
//! equals `n . v + d . t` with `n = R^T d`. Let `M` be the largest absolute coordinate of the
//! points and `T` that of the translation, and `u` half an ulp of one. The rounding errors are at
//! most: of the moved point itself, `20.9 u M + 3.1 u T`; of `n`, `10.5 u M`; of the product `n .
//! v`, or of the rotated point and its projection instead of both, `26.2 u M`; of `d . t`, `6.1 u
//! T`; of the sums, `6.1 u (M + T)`. The total is less than `64 u (M + T)`.

use glam::DMat3;

use super::Dop;
use super::vertices::VERTEX_TOLERANCE;
use impinge::internals::rounding::{UNDERFLOW_MARGIN, UNIT_ROUNDOFF};
use impinge::math::{Pose, Vec3};

/// Bound of the rounding error relative to `M + T`, derived above.
const RELATIVE_MARGIN: f64 = 64.0 * UNIT_ROUNDOFF;

/// A pose with the rotated directions, prepared for k-DOPs around moved points.
#[derive(Clone, Debug)]
pub(crate) struct RotatedDirections<const HALF: usize> {
    rotation: DMat3,
    /// The directions of the target frame, expressed in the frame of the points.
    directions: [Vec3; HALF],
    /// The dot product of each direction with the translation.
    shift: [f64; HALF],
    /// The largest absolute component of the translation.
    reach: f64,
}

impl<const HALF: usize> RotatedDirections<HALF> {
    pub(crate) fn new(pose: &Pose) -> Self {
        let rotation = pose.rotation();
        let back = rotation.transpose();
        let t = pose.translation();
        let mut rotated = Self {
            rotation,
            directions: [Vec3::ZERO; HALF],
            shift: [0.0; HALF],
            reach: t.abs().max_element(),
        };
        for i in 0..HALF {
            let d = Dop::<HALF>::direction(i);
            rotated.directions[i] = (back.x_axis * d.x + back.y_axis * d.y) + back.z_axis * d.z;
            rotated.shift[i] = (d.x * t.x + d.y * t.y) + d.z * t.z;
        }
        rotated
    }

    /// The k-DOP around the moved content of `own`. The content lies in the hull of `points`; if
    /// `approximate`, within the tolerance of [`Dop::vertices`].
    pub(crate) fn around(&self, own: &Dop<HALF>, points: &[Vec3], approximate: bool) -> Dop<HALF> {
        let mut dop = Dop::EMPTY;
        for p in points {
            let q = self.rotation * *p;
            for i in 0..HALF {
                let d = Dop::<HALF>::direction(i);
                let along = (d.x * q.x + d.y * q.y) + d.z * q.z;
                dop.min[i] = if along < dop.min[i] { along } else { dop.min[i] };
                dop.max[i] = if along > dop.max[i] { along } else { dop.max[i] };
            }
        }
        self.finish(own, dop, if approximate { VERTEX_TOLERANCE } else { 0.0 })
    }

    /// The k-DOP around the moved content of `own`. `extreme` returns the point of the content that
    /// is furthest along a direction in the content's own frame. Its first argument is the number
    /// of the direction: `2 * i` for direction `i`, `2 * i + 1` for its opposite.
    pub(crate) fn around_extremes(
        &self,
        own: &Dop<HALF>,
        mut extreme: impl FnMut(usize, Vec3) -> Vec3,
    ) -> Dop<HALF> {
        let mut dop = Dop::EMPTY;
        for i in 0..HALF {
            let n = self.directions[i];
            dop.max[i] = n.dot(extreme(2 * i, n));
            dop.min[i] = n.dot(extreme(2 * i + 1, -n));
        }
        self.finish(own, dop, 0.0)
    }

    /// Adds the translation and rounds outward.
    fn finish(&self, own: &Dop<HALF>, mut dop: Dop<HALF>, tolerance: f64) -> Dop<HALF> {
        if dop.min[0] > dop.max[0] {
            return Dop::EMPTY;
        }
        let reach = own.reach();
        let margin = (reach + self.reach) * RELATIVE_MARGIN + reach * tolerance + UNDERFLOW_MARGIN;
        for i in 0..HALF {
            dop.min[i] = (dop.min[i] + self.shift[i]) - margin;
            dop.max[i] = (dop.max[i] + self.shift[i]) + margin;
        }
        dop
    }
}
