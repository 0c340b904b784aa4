//! Balls of a moved tree, compared with bounds.

use impinge::internals::length_down;
use impinge::internals::rounding::{UNIT_ROUNDOFF, distortion};
use impinge::mesh::Mesh;
use impinge::spheres::Ball;
use impinge::{Pose, Vec3};

/// The balls of B in A's frame.
///
/// A vertex moved by `Pose::transform_point` is `R v + t` with at most four roundings in each
/// coordinate, of numbers up to `|R v| + |t|`; a centre the same. The exact image of a ball under a
/// matrix that is a rotation up to `distortion` is in the ball around the exact image of its centre
/// with a radius longer by at most that share. So the moved patch is in the ball with the radius
/// `r (1 + distortion) + slack`.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedBalls {
    pose: Pose,
    stretch: f64,
    slack: f64,
}

impl MovedBalls {
    pub(super) fn new(mesh: &Mesh, pose: &Pose) -> Self {
        let bounds = mesh.bounds();
        let vertex = bounds.min.abs().max(bounds.max.abs()).max_element();
        let shift = pose.translation().abs().max_element();
        // Four roundings in each coordinate of a vertex and of a centre, whose own part is added in
        // `moved`; the rows of a rotation have absolute sums below 1.8.
        let slack = 32.0 * UNIT_ROUNDOFF * (2.0 * vertex + shift) + f64::MIN_POSITIVE;
        Self {
            pose: *pose,
            stretch: 1.0 + distortion(&pose.rotation()) + 8.0 * UNIT_ROUNDOFF,
            slack,
        }
    }

    /// The ball of A's frame that certainly contains the moved patch.
    #[inline]
    pub(super) fn moved(&self, ball: &Ball) -> Ball {
        let center = self.pose.transform_point(ball.center);
        let own = 64.0 * UNIT_ROUNDOFF * ball.center.abs().max_element();
        Ball { center, radius: ball.radius * self.stretch + (self.slack + own) }
    }
}

/// Lengths below this are compared without squares.
const MIN_SQUARED: f64 = 1e-140;

/// Whether two balls may share a point: false only if they are certainly apart.
#[inline]
pub(super) fn may_meet(a: &Ball, b: &Ball) -> bool {
    // One rounding in the sum, one in each coordinate of the difference, and four in the squares.
    let reach = (a.radius + b.radius) * (1.0 + 8.0 * UNIT_ROUNDOFF);
    let between = b.center - a.center;
    if reach > MIN_SQUARED {
        return between.length_squared() <= reach * reach;
    }
    length_down(between) <= reach
}

/// An upper bound of the distance of any points of two balls.
pub(super) fn farthest(a: &Ball, b: &Ball) -> f64 {
    let between = impinge::internals::length_up(b.center - a.center);
    (between + a.radius + b.radius) * (1.0 + 4.0 * UNIT_ROUNDOFF)
}

/// An upper bound of the distance of two solids with balls that may meet, from the reaches of the
/// balls: `a`, and `b` before it was moved.
///
/// A point of the moved ball is, up to its enlargement, the image of a point of the ball; the
/// enlargement and the rounding of [`may_meet`] are added.
pub(super) fn solid_gap(
    moved: &MovedBalls,
    (a, reach_a): (&Ball, f64),
    (b, reach_b): (&Ball, f64),
) -> f64 {
    let image = moved.moved(b);
    let grown = image.radius - b.radius + 64.0 * UNIT_ROUNDOFF * (a.radius + image.radius);
    (reach_a + reach_b * moved.stretch + 4.0 * grown) * (1.0 + 8.0 * UNIT_ROUNDOFF)
}

/// How deep two balls overlap, approximately.
pub(super) fn overlap(a: &Ball, b: &Ball) -> f64 {
    a.radius + b.radius - a.center.distance(b.center)
}

/// The middle of the overlap of two balls, and the direction from the first to the second.
pub(super) fn contact(a: &Ball, b: &Ball) -> (Vec3, Vec3) {
    let normal = impinge::internals::direction(b.center - a.center).unwrap_or_default();
    let ends = (a.center + normal * a.radius, b.center - normal * b.radius);
    ((ends.0 + ends.1) * 0.5, normal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::{Random, length_up};
    use impinge::shapes;

    /// Balls around a moved vertex contain it, at every scale and offset.
    #[test]
    fn moved_balls_contain_moved_patches() {
        let mut random = Random::new(3);
        for scale in [1e59, 1.0, 1e-150, 1e-310] {
            let unit = shapes::cuboid([2.0; 3]).unwrap();
            let vertices = unit.vertices().iter().map(|v| *v * scale).collect();
            let mesh = Mesh::from_triangles(vertices, unit.triangles().to_vec()).unwrap();
            for _ in 0..500 {
                let q = random.rotation().to_array();
                let pose = Pose::from_quaternion(q, random.in_cube() * (scale * 5.0)).unwrap();
                let moved = MovedBalls::new(&mesh, &pose);
                let v = random.in_cube() * scale;
                let center = random.in_cube() * (3.0 * scale);
                let ball = Ball { center, radius: length_up(v - center) };
                let image = moved.moved(&ball);
                let far = length_down(pose.transform_point(v) - image.center);
                assert!(far <= image.radius, "{far} {}", image.radius);
                assert!(image.radius <= ball.radius * (1.0 + 1e-13) + scale * 1e-13 + 1e-300);
                let point = Ball { center: pose.transform_point(v), radius: 0.0 };
                assert!(may_meet(&image, &point) && farthest(&image, &point) >= far);
            }
        }
    }

    #[test]
    fn balls_that_are_apart_do_not_meet() {
        for scale in [1e59, 1.0, 1e-145, 1e-200, 1e-320] {
            let at = |x: f64, radius: f64| Ball {
                center: Vec3::X * (x * scale),
                radius: radius * scale,
            };
            assert!(may_meet(&at(0.0, 1.0), &at(2.0, 1.0)));
            assert!(!may_meet(&at(0.0, 1.0), &at(2.1, 1.0)), "{scale}");
            let (point, normal) = contact(&at(0.0, 1.0), &at(1.5, 1.0));
            assert!((point.x / scale - 0.75).abs() < 0.1, "{scale} {point}");
            assert!(normal.distance(Vec3::X) < 1e-12, "{scale} {normal}");
        }
    }
}
