//! The bounds of a hull at a pose, without reading all of its vertices.

use super::support_table::SupportTable;
use crate::convex::Hull;
use crate::math::{Aabb, Pose, Vec3};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// A box around the vertices of a hull as [`Pose::transform_point`] rounds them: the smallest one,
/// to rounding. The time is about the same for many vertices as for few.
pub(crate) fn bounds_at(hull: &Hull, pose: &Pose) -> Aabb {
    dispatch::run(BoundsTask::<false> { hull: hull.support_table(), pose })
}

/// The same in `f32`, enlarged by its error: larger by less than five millionths of the hull's
/// size, in a third of the time.
pub(crate) fn bounds_at_f32(hull: &Hull, pose: &Pose) -> Aabb {
    dispatch::run(BoundsTask::<true> { hull: hull.support_table(), pose })
}

/// Computes the bounds, in `f32` if `F32`.
struct BoundsTask<'a, const F32: bool> {
    hull: &'a SupportTable,
    pose: &'a Pose,
}

impl<const F32: bool> Task for BoundsTask<'_, F32> {
    type Output = Aabb;

    #[inline(always)]
    fn run<W: Wide>(self) -> Aabb {
        let Self { hull, pose } = self;
        let rows = pose.rotation().transpose();
        if F32 {
            return around(hull, pose, hull.extents_f32::<W>(&rows), ERROR_F32 * hull.unit);
        }
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for (k, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
            (low[k], high[k]) = (-hull.extent_f64(-row), hull.extent_f64(row));
        }
        around(hull, pose, [low, high], 0.0)
    }
}

/// An upper bound of the error of a product of a vertex and a direction in `f32`: less than eight
/// roundings of numbers up to one; directions may be slightly longer than one.
const ERROR_F32: f64 = 1e-6;

/// The box from the extents of the hull from its center, which may be wrong by `error`.
fn around(hull: &SupportTable, pose: &Pose, [low, high]: [Vec3; 2], error: f64) -> Aabb {
    let center = pose.transform_point(hull.center);
    // The vertex itself and the path by the center take less than a dozen roundings each, of
    // numbers no larger than the sum of these.
    let sizes = center.abs() + hull.center.abs() + pose.translation().abs();
    let slack = 32.0 * f64::EPSILON * (sizes.max_element() + 2.0 * hull.radius);
    Aabb { min: center + low, max: center + high }.grown(slack + error + f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn bounds_contain_all_vertices_tightly() {
        let mut random = Random::new(31);
        for round in 0..400 {
            let count = [1, 2, 4, 9, 40, 60, 300][round % 7];
            let size = random.range(-60.0, 60.0).exp2();
            let away = random.in_cube() * size * random.range(0.0, 30.0).exp2();
            let points: Vec<Vec3> = (0..count).map(|_| random.direction() * size + away).collect();
            let hull = Hull::new(&points).unwrap();
            let turn = [0; 4].map(|_| random.range(-1.0, 1.0));
            let pose = match round % 3 {
                0 => Pose::from_translation(away * 0.5).unwrap(),
                _ => Pose::from_quaternion(turn, -away).unwrap(),
            };
            let known = Aabb::from_points(hull.vertices().iter().map(|v| pose.transform_point(*v)));
            let whole = size + away.abs().max_element();
            let in_f32 = bounds_at_f32(&hull, &pose);
            for (bounds, off) in [(bounds_at(&hull, &pose), 0.0), (in_f32, 5e-6 * size)] {
                assert!(bounds.contains_box(&known), "{count} {bounds:?} {known:?}");
                let more = (known.min - bounds.min).max(bounds.max - known.max).max_element();
                assert!(more <= off + 1e-13 * whole, "{count} {more:e} {whole:e}");
            }
        }
    }
}
