//! The intersection curves of surfaces, as line segments to draw.
//!
//! The segments are computed in floating point and are for display only. The relation is computed
//! elsewhere, exactly.

use impinge::Vec3;
use impinge::exact::HitKind;
use impinge::pair::Hit;
use impinge::scene::Part;

/// The maximum number of segments; a picture cannot show more of them separately.
const MAX_SEGMENTS: usize = 2_000_000;

/// Segments in the scene's frame along which triangles cross.
#[derive(Debug, Default)]
pub(crate) struct Curves {
    segments: Vec<[Vec3; 2]>,
}

impl Curves {
    /// Adds the common segments of the crossing triangles of two parts.
    pub(crate) fn add(&mut self, a: &Part, b: &Part, hits: &[Hit]) {
        for hit in hits.iter().filter(|h| h.kind == HitKind::Crossing) {
            if self.segments.len() >= MAX_SEGMENTS {
                return;
            }
            let corners = |part: &Part, i: u32| {
                part.mesh.triangle(i as usize).map(|v| part.pose.transform_point(v))
            };
            self.segments
                .extend(common_segment(&corners(a, hit.triangle_a), &corners(b, hit.triangle_b)));
        }
    }

    /// The segments.
    pub(crate) fn segments(&self) -> &[[Vec3; 2]] {
        &self.segments
    }
}

/// The common segment of two triangles. Each triangle intersects the line common to both planes in
/// an interval, whose ends are where its sides meet the other plane; the segment is the overlap of
/// the two intervals (Moller 1997, "A fast triangle-triangle intersection test", section 2).
fn common_segment(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<[Vec3; 2]> {
    // One corner becomes the origin and the size becomes one, so that products neither overflow nor
    // vanish.
    let origin = a[0];
    let size = a.iter().chain(b).map(|p| (*p - origin).abs().max_element()).fold(0.0, f64::max);
    if size == 0.0 {
        return None;
    }
    let (a, b) = (a.map(|p| (p - origin) / size), b.map(|p| (p - origin) / size));
    let on_b = interval(&b, &a)?;
    let on_a = interval(&a, &b)?;
    let axis = (on_a[1] - on_a[0]).normalize_or_zero();
    let along = |p: Vec3| (p - on_a[0]).dot(axis);
    let ends = |s: [Vec3; 2]| if along(s[0]) <= along(s[1]) { s } else { [s[1], s[0]] };
    let (s, t) = (ends(on_a), ends(on_b));
    let low = if along(s[0]) >= along(t[0]) { s[0] } else { t[0] };
    let high = if along(s[1]) <= along(t[1]) { s[1] } else { t[1] };
    (along(low) < along(high)).then(|| [low * size + origin, high * size + origin])
}

/// The two points in which the sides of `triangle` meet the plane of `other`.
fn interval(triangle: &[Vec3; 3], other: &[Vec3; 3]) -> Option<[Vec3; 2]> {
    let normal = (other[1] - other[0]).cross(other[2] - other[0]).normalize_or_zero();
    let height = triangle.map(|p| (p - other[0]).dot(normal));
    let mut found = Vec::with_capacity(3);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        if (height[i] < 0.0) != (height[j] < 0.0) {
            let t = height[i] / (height[i] - height[j]);
            found.push(triangle[i] + (triangle[j] - triangle[i]) * t);
        }
    }
    match found[..] {
        [p, q] if p.is_finite() && q.is_finite() => Some([p, q]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_triangles_have_a_common_segment_at_any_scale() {
        for scale in [1.0, 1e50, 1e-200] {
            let a =
                [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(|p| Vec3::from(p) * scale);
            let b = [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, -9.0, 0.0]]
                .map(|p| Vec3::from(p) * scale);
            let [p, q] = common_segment(&a, &b).unwrap();
            let ends = [p.y.min(q.y) / scale, p.y.max(q.y) / scale];
            assert!(ends[0].abs() < 1e-12 && (ends[1] - 1.0).abs() < 1e-12, "{ends:?}");
            assert!((p.x / scale - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn parallel_and_degenerate_triangles_have_no_common_segment() {
        let a = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        assert_eq!(common_segment(&a, &a), None);
        assert_eq!(common_segment(&a, &a.map(|p| p + Vec3::Z)), None);
        assert_eq!(common_segment(&a, &[Vec3::ZERO; 3]), None);
        assert_eq!(common_segment(&[Vec3::ZERO; 3], &[Vec3::ZERO; 3]), None);
    }
}
