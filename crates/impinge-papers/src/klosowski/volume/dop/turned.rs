//! The k-DOP of moved points, without moving them one by one to the last rounding.
//!
//! Along a direction `d` of the target frame a moved point reaches `d . (R v + t)`, and as far as
//! `n . v + d . t` with `n = R^T d`. What rounding can change, with `M` the largest coordinate of
//! the points and `T` that of the translation, in size: the moved point itself,
//! `20.9 U M + 3.1 U T`; `n`, `10.5 U M`; the product `n . v`, or the turned point and its
//! projection instead of both, `26.2 U M`; `d . t`, `6.1 U T`; the sums, `6.1 U (M + T)`. In all
//! less than `64 U (M + T)`.

use glam::DMat3;

use super::Dop;
use super::vertices::LOOSE;
use impinge::internals::rounding::{TINY, U};
use impinge::math::{Pose, Vec3};

/// Derived above.
const SLACK: f64 = 64.0 * U;

/// A pose, prepared for k-DOPs around moved points.
#[derive(Clone, Debug)]
pub(crate) struct Turned<const HALF: usize> {
    rotation: DMat3,
    /// The directions of the target frame in the points' own.
    directions: [Vec3; HALF],
    /// The directions' products with the translation.
    shift: [f64; HALF],
    /// The largest component of the translation, in size.
    reach: f64,
}

impl<const HALF: usize> Turned<HALF> {
    pub(crate) fn new(pose: &Pose) -> Self {
        let rotation = pose.rotation();
        let back = rotation.transpose();
        let t = pose.translation();
        let mut turned = Self {
            rotation,
            directions: [Vec3::ZERO; HALF],
            shift: [0.0; HALF],
            reach: t.abs().max_element(),
        };
        for i in 0..HALF {
            let d = Dop::<HALF>::direction(i);
            turned.directions[i] = (back.x_axis * d.x + back.y_axis * d.y) + back.z_axis * d.z;
            turned.shift[i] = (d.x * t.x + d.y * t.y) + d.z * t.z;
        }
        turned
    }

    /// Around the moved content of `own`, which lies in the hull of `points`, up to the tolerance
    /// of [`Dop::vertices`] if `loose`.
    pub(crate) fn around(&self, own: &Dop<HALF>, points: &[Vec3], loose: bool) -> Dop<HALF> {
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
        self.finish(own, dop, if loose { LOOSE } else { 0.0 })
    }

    /// Around the moved content of `own`, of which `extreme` names the furthest point along a
    /// direction of the content's own frame. It is told which direction it is, too: `2 * i` for
    /// direction `i`, `2 * i + 1` for its opposite.
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

    /// Shifts and rounds outward.
    fn finish(&self, own: &Dop<HALF>, mut dop: Dop<HALF>, loose: f64) -> Dop<HALF> {
        if dop.min[0] > dop.max[0] {
            return Dop::EMPTY;
        }
        let reach = own.reach();
        let slack = (reach + self.reach) * SLACK + reach * loose + TINY;
        for i in 0..HALF {
            dop.min[i] = (dop.min[i] + self.shift[i]) - slack;
            dop.max[i] = (dop.max[i] + self.shift[i]) + slack;
        }
        dop
    }
}
