//! Volume and surface area of a k-DOP, computed from its faces.
//!
//! The face of each half-space is clipped by all other half-spaces. The areas of the faces add up
//! to the surface area, the pyramids from the middle to the faces to the volume. There are no
//! special cases: slabs of zero thickness and redundant half-spaces have faces of zero area or
//! pyramids of zero height. (The paper computes the boundary by duality, footnote 4. For these `k`
//! clipping is as fast, and cannot fail.)
//!
//! The components of the directions are 0, 1 and -1, so each face can be projected along an axis
//! that is not parallel to its plane. The coordinates of the projection are two of the three. The
//! area of the face is that of the projection times the length of the direction. The slabs of the
//! two axes are the initial rectangle, and all other half-spaces become half-planes whose
//! coefficients are small integers.

use super::Dop;
use impinge::math::Vec3;

pub(super) struct Measure {
    pub(super) volume: f64,
    pub(super) surface: f64,
}

/// Capacity for the corners of a face. A face of a k-DOP has fewer than `k` corners, and each clip
/// adds at most one.
const MAX_CORNERS: usize = 32;

pub(super) fn of<const HALF: usize>(dop: &Dop<HALF>) -> Measure {
    let mut measure = Measure { volume: 0.0, surface: 0.0 };
    if dop.min[0] > dop.max[0] {
        return measure;
    }
    let lower = Vec3::new(dop.min[0], dop.min[1], dop.min[2]);
    let upper = Vec3::new(dop.max[0], dop.max[1], dop.max[2]);
    let middle = lower * 0.5 + upper * 0.5;
    let (lower, upper) = (lower - middle, upper - middle);
    if HALF == 3 {
        let [x, y, z] = (upper - lower).to_array();
        return Measure { volume: x * y * z, surface: 2.0 * (x * y + y * z + z * x) };
    }
    let mut planes = [(Vec3::ZERO, 0.0); 26];
    for i in 0..HALF {
        let d = Dop::<HALF>::direction(i);
        let offset = d.dot(middle);
        planes[2 * i] = (d, dop.max[i] - offset);
        planes[2 * i + 1] = (-d, offset - dop.min[i]);
    }
    let planes = &planes[..2 * HALF];
    for (i, (n, c)) in planes.iter().enumerate() {
        // Projected along axis k: x_k = s (c - n_a x_a - n_b x_b).
        let k = if n.x != 0.0 {
            0
        } else if n.y != 0.0 {
            1
        } else {
            2
        };
        let (a, b, s) = ((k + 1) % 3, (k + 2) % 3, n[k]);
        let mut face = Face::rectangle([lower[a], upper[a]], [lower[b], upper[b]]);
        for (j, (m, limit)) in planes.iter().enumerate() {
            // Skip the face itself, the other side of its slab, and the slabs of the initial
            // rectangle.
            if i / 2 == j / 2 || j / 2 == a || j / 2 == b {
                continue;
            }
            let share = m[k] * s;
            face.clip(m[a] - share * n[a], m[b] - share * n[b], limit - share * c);
            if face.len < 3 {
                break;
            }
        }
        let area = face.area();
        measure.surface += area * Dop::<HALF>::LENGTHS[i / 2];
        measure.volume += area * c / 3.0;
    }
    measure.volume = measure.volume.max(0.0);
    measure
}

/// The projection of a face: a convex polygon.
struct Face {
    /// Two buffers: the one with index `current` holds the corners, the other receives the result
    /// of the next clip.
    corners: [[[f64; 2]; MAX_CORNERS]; 2],
    current: usize,
    len: usize,
    /// A rectangle that contains the polygon.
    bounds: [[f64; 2]; 2],
}

impl Face {
    fn rectangle(p: [f64; 2], q: [f64; 2]) -> Self {
        let mut corners = [[[0.0; 2]; MAX_CORNERS]; 2];
        corners[0][..4].copy_from_slice(&[[p[0], q[0]], [p[1], q[0]], [p[1], q[1]], [p[0], q[1]]]);
        Self { corners, current: 0, len: 4, bounds: [p, q] }
    }

    /// Clips the polygon at the half-plane `p x + q y <= limit`.
    #[inline]
    fn clip(&mut self, p: f64, q: f64, limit: f64) {
        let [x, y] = self.bounds;
        if p * x[usize::from(p > 0.0)] + q * y[usize::from(q > 0.0)] <= limit {
            return;
        }
        let height = |c: &[f64; 2]| p * c[0] + q * c[1] - limit;
        let [even, odd] = &mut self.corners;
        let (from, to) = if self.current == 0 { (even, odd) } else { (odd, even) };
        let old = &from[..self.len];
        if old.iter().all(|c| height(c) <= 0.0) {
            return;
        }
        let mut len = 0;
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        // Because of rounding the outline of a sliver may cross a line more than twice. Corners
        // beyond the capacity do not change its area.
        let mut push = |corner: [f64; 2]| {
            if len < MAX_CORNERS {
                to[len] = corner;
                len += 1;
                for (b, c) in bounds.iter_mut().zip(corner) {
                    *b = [b[0].min(c), b[1].max(c)];
                }
            }
        };
        let Some(mut last) = old.last() else {
            return;
        };
        let mut before = height(last);
        for corner in old {
            let here = height(corner);
            if (before > 0.0) != (here > 0.0) {
                let share = before / (before - here);
                push([0, 1].map(|k| last[k] + (corner[k] - last[k]) * share));
            }
            if here <= 0.0 {
                push(*corner);
            }
            (last, before) = (corner, here);
        }
        (self.len, self.bounds, self.current) = (len, bounds, 1 - self.current);
    }

    fn area(&self) -> f64 {
        let corners = &self.corners[self.current][..self.len];
        let Some(([x, y], rest)) = corners.split_first() else {
            return 0.0;
        };
        let twice: f64 = rest
            .windows(2)
            .map(|w| (w[0][0] - x) * (w[1][1] - y) - (w[1][0] - x) * (w[0][1] - y))
            .sum();
        0.5 * twice.abs()
    }
}
