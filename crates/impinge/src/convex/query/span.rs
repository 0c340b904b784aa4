//! The box around a hull that is turned, without a look at all of its vertices.

use super::furthest::Furthest;
use crate::convex::Hull;
use crate::math::{Aabb, Pose, Vec3};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// A box around what [`Pose::transform_point`] makes of the vertices of a hull: the smallest one,
/// to rounding. Takes as long for many vertices as for few.
pub(crate) fn bounds_at(hull: &Hull, pose: &Pose) -> Aabb {
    dispatch::run(Span::<false> { hull: hull.furthest(), pose })
}

/// The same with what `f32` rounds added: larger by less than five millionths of the hull's size,
/// in a third of the time.
pub(crate) fn rough_bounds_at(hull: &Hull, pose: &Pose) -> Aabb {
    dispatch::run(Span::<true> { hull: hull.furthest(), pose })
}

/// How far a hull reaches along the axes, in `f32` if `ROUGH`.
struct Span<'a, const ROUGH: bool> {
    hull: &'a Furthest,
    pose: &'a Pose,
}

impl<const ROUGH: bool> Task for Span<'_, ROUGH> {
    type Output = Aabb;

    #[inline(always)]
    fn run<W: Wide>(self) -> Aabb {
        let Self { hull, pose } = self;
        let rows = pose.rotation().transpose();
        if ROUGH {
            return around(hull, pose, hull.span::<W>(&rows), ERROR * hull.unit);
        }
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for (k, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
            (low[k], high[k]) = (-hull.reach(-row), hull.reach(row));
        }
        around(hull, pose, [low, high], 0.0)
    }
}

/// More than the coordinates of a vertex and of a direction, and their product in `f32`, may be off
/// together: less than eight roundings of numbers up to one, and directions may be a little longer.
const ERROR: f64 = 1e-6;

/// The box, from how far the hull reaches from its center, which may be off by `error`.
fn around(hull: &Furthest, pose: &Pose, [low, high]: [Vec3; 2], error: f64) -> Aabb {
    let middle = pose.transform_point(hull.center);
    // Both ways to a vertex take less than a dozen roundings of numbers no larger than the sum of
    // these.
    let sizes = middle.abs() + hull.center.abs() + pose.translation().abs();
    let slack = 32.0 * f64::EPSILON * (sizes.max_element() + 2.0 * hull.radius);
    Aabb { min: middle + low, max: middle + high }.grown(slack + error + f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn holds_every_vertex_and_hardly_more() {
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
            let rough = rough_bounds_at(&hull, &pose);
            for (bounds, off) in [(bounds_at(&hull, &pose), 0.0), (rough, 5e-6 * size)] {
                assert!(bounds.contains_box(&known), "{count} {bounds:?} {known:?}");
                let more = (known.min - bounds.min).max(bounds.max - known.max).max_element();
                assert!(more <= off + 1e-13 * whole, "{count} {more:e} {whole:e}");
            }
        }
    }
}
