//! Bounding spheres.

use super::Volume;
use impinge::internals::rounding::{
    UNDERFLOW_MARGIN, UNIT_ROUNDOFF, distortion, length_down, length_up,
};
use impinge::math::{Pose, Vec3};

/// A ball: the points at most the radius away from the centre. Empty if the radius is negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    center: Vec3,
    radius: f64,
}

/// A pose, with a bound of the stretch of its matrix.
#[derive(Clone, Debug)]
pub struct SphereMotion {
    pose: Pose,
    /// An upper bound of the factor by which lengths change.
    stretch: f64,
    /// The largest absolute component of the translation.
    reach: f64,
}

/// The iteration ends when no point is outside the ball by more than this share of the radius. The
/// final radius covers all points in any case.
const GROWTH_TOLERANCE: f64 = 1e-10;

/// The maximum number of support points of the smallest ball, plus one.
const MAX_SUPPORT_POINTS: usize = 5;

impl Sphere {
    const EMPTY: Self = Self { center: Vec3::ZERO, radius: f64::NEG_INFINITY };

    /// The ball with a centre and a radius.
    #[must_use]
    pub fn new(center: Vec3, radius: f64) -> Self {
        Self { center, radius }
    }

    /// The centre.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The radius; negative if the ball is empty.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The sum of the radii, rounded up.
    #[inline]
    fn reach(&self, other: &Self) -> f64 {
        (self.radius + other.radius) * (1.0 + 2.0 * UNIT_ROUNDOFF)
    }
}

impl Volume for Sphere {
    const NAME: &'static str = "sphere";
    const MERGES_TIGHTLY: bool = false;
    type Motion = SphereMotion;

    /// The smallest ball to within about 1e-10. Starting with one point, the point furthest outside
    /// is added to the support of up to four points until no point is outside.
    fn around(points: &[Vec3]) -> Self {
        let Some(first) = points.first() else {
            return Self::EMPTY;
        };
        let farthest = |from: Vec3| {
            points.iter().fold((-1.0, *first), |best: (f64, Vec3), p| {
                let d = length_up(*p - from);
                if d > best.0 { (d, *p) } else { best }
            })
        };
        let start = farthest(*first).1;
        let mut support = vec![start];
        let mut center = start;
        let mut best = (f64::INFINITY, center);
        for _ in 0..64 {
            let (distance, p) = farthest(center);
            let grown = best.0 <= distance;
            if distance < best.0 {
                best = (distance, center);
            }
            let radius = support.first().map_or(0.0, |q| length_up(*q - center));
            if distance <= radius * (1.0 + GROWTH_TOLERANCE) || (grown && support.contains(&p)) {
                break;
            }
            support.push(p);
            let Some(ball) = smallest(&support) else {
                break;
            };
            (support, center) = ball;
        }
        Self { center: best.1, radius: best.0 }
    }

    fn merged(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        let between = other.center - self.center;
        let distance = length_up(between);
        if distance + other.radius <= self.radius {
            return self.cover(other);
        }
        if distance + self.radius <= other.radius {
            return other.cover(self);
        }
        let share = (0.5 + 0.5 * (other.radius - self.radius) / distance).clamp(0.0, 1.0);
        let center = self.center + between * share;
        Self { center, radius: 0.0 }.cover(self).cover(other)
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let between = other.center - self.center;
        let reach = self.reach(other);
        // The largest component first: it needs no square root.
        between.abs().max_element() * (1.0 - 2.0 * UNIT_ROUNDOFF) <= reach
            && length_down(between) <= reach
    }

    fn contains(&self, point: Vec3) -> bool {
        length_up(point - self.center) <= self.radius
    }

    fn is_empty(&self) -> bool {
        self.radius < 0.0
    }

    fn motion(pose: &Pose) -> SphereMotion {
        // |Rv|^2 <= (1 + d) |v|^2, and the root of 1 + d is at most 1 + d / 2.
        let stretch = 1.0 + 0.5 * distortion(&pose.rotation()) + 4.0 * UNIT_ROUNDOFF;
        SphereMotion { pose: *pose, stretch, reach: pose.translation().abs().max_element() }
    }

    #[inline]
    fn moved(&self, motion: &SphereMotion) -> Self {
        if self.is_empty() || motion.pose == Pose::IDENTITY {
            return *self;
        }
        let center = motion.pose.transform_point(self.center);
        // The errors of the moved centre and of moved vertices are at most 4 u (2 |v| + |t|) per
        // component, with |v| the largest absolute component and u half an ulp of one.
        let reach = self.center.abs().max_element() + self.radius + motion.reach;
        Self {
            center,
            radius: self.radius * motion.stretch
                + (32.0 * UNIT_ROUNDOFF * reach + UNDERFLOW_MARGIN),
        }
    }

    fn enlarged(&self, by: f64) -> Self {
        if by <= 0.0 || self.is_empty() {
            return *self;
        }
        Self { center: self.center, radius: (self.radius + by) * (1.0 + 2.0 * UNIT_ROUNDOFF) }
    }

    fn volume(&self) -> f64 {
        let r = self.radius.max(0.0);
        4.0 / 3.0 * std::f64::consts::PI * r * r * r
    }

    fn surface(&self) -> f64 {
        let r = self.radius.max(0.0);
        4.0 * std::f64::consts::PI * r * r
    }

    #[inline]
    fn size(&self) -> f64 {
        self.radius.max(0.0)
    }

    fn gap(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return f64::INFINITY;
        }
        let gap = length_down(other.center - self.center) - self.reach(other);
        (gap * (1.0 - 2.0 * UNIT_ROUNDOFF)).max(0.0)
    }

    fn overlap_depth(&self, other: &Self) -> f64 {
        if !self.overlaps(other) {
            return 0.0;
        }
        let depth = self.reach(other) - length_down(other.center - self.center);
        depth.max(0.0) * (1.0 + 2.0 * UNIT_ROUNDOFF) + UNDERFLOW_MARGIN
    }
}

impl Sphere {
    /// The ball about the same centre that also contains the other. The margin is large enough that
    /// [`Volume::contains`], which rounds up, is true for every point of the other.
    fn cover(&self, other: &Self) -> Self {
        let needed =
            (length_up(other.center - self.center) + other.radius) * (1.0 + 16.0 * UNIT_ROUNDOFF);
        Self { center: self.center, radius: self.radius.max(needed) }
    }
}

/// The smallest ball around up to five points: the points that determine it, of which the last
/// point is one, and its centre. `None` if all candidates are too degenerate to compute.
fn smallest(points: &[Vec3]) -> Option<(Vec<Vec3>, Vec3)> {
    let (last, others) = points.split_last()?;
    debug_assert!(points.len() <= MAX_SUPPORT_POINTS, "a ball is determined by four points");
    let mut best: Option<(f64, Vec<Vec3>, Vec3)> = None;
    for subset in 0_u32..1 << others.len() {
        if subset.count_ones() > 3 {
            continue;
        }
        let mut chosen = vec![*last];
        chosen.extend(others.iter().enumerate().filter(|(i, _)| subset >> i & 1 != 0).map(|p| p.1));
        let Some(center) = circumcenter(&chosen) else {
            continue;
        };
        let radius = points.iter().fold(0.0_f64, |r, p| r.max(length_up(*p - center)));
        // Among balls of equal size, the one with the fewest points; if counts are equal, the
        // first.
        let better = best.as_ref().is_none_or(|(r, set, _)| {
            radius < *r * (1.0 - 1e-13) || (radius <= *r && chosen.len() < set.len())
        });
        if better {
            best = Some((radius, chosen, center));
        }
    }
    best.map(|(_, set, center)| (set, center))
}

/// The point that is equally far from up to four points, in their affine hull.
fn circumcenter(points: &[Vec3]) -> Option<Vec3> {
    let (origin, rest) = points.split_first()?;
    let edges: Vec<Vec3> = rest.iter().map(|p| *p - *origin).collect();
    let size = edges.iter().fold(0.0_f64, |s, e| s.max(e.abs().max_element()));
    if size == 0.0 {
        return Some(*origin);
    }
    let (s, t) = impinge::internals::unit_scale(size);
    let e: Vec<Vec3> = edges.iter().map(|e| *e * s * t).collect();
    let offset = match e[..] {
        [u] => u * 0.5,
        [u, v] => {
            let n = u.cross(v);
            let (uu, vv) = (u.length_squared(), v.length_squared());
            (v.cross(n) * uu + n.cross(u) * vv) / (2.0 * n.length_squared())
        }
        [u, v, w] => {
            let (uu, vv, ww) = (u.length_squared(), v.length_squared(), w.length_squared());
            (v.cross(w) * uu + w.cross(u) * vv + u.cross(v) * ww) / (2.0 * u.dot(v.cross(w)))
        }
        _ => return None,
    };
    let center = *origin + offset / s / t;
    (offset.is_finite() && offset.abs().max_element() < 1e6 && center.is_finite()).then_some(center)
}
