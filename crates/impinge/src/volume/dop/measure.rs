//! Volume and surface of a k-DOP, by its faces.
//!
//! Each half-space's face is a large square in its plane, clipped by all other half-spaces; areas add up to the surface, and pyramids over them from the middle to the
//! volume. `O(k^2)` for the handful of corners a face has, and no case is special: slabs of no thickness, and half-spaces that cut nothing off, give faces
//! of no area or pyramids of no height. (The paper finds the boundary by duality, footnote 4; at these `k` this is as quick, and cannot fail.)

use super::Dop;
use crate::math::Vec3;

pub(super) struct Measure {
    pub(super) volume: f64,
    pub(super) surface: f64,
}

/// A face of a k-DOP has less than `k` corners; clipping adds one at a time.
const ROOM: usize = 32;

pub(super) fn of<const HALF: usize>(dop: &Dop<HALF>) -> Measure {
    if dop.min[0] > dop.max[0] {
        return Measure { volume: 0.0, surface: 0.0 };
    }
    let ends = |f: fn(f64, f64) -> f64| {
        Vec3::new(f(dop.min[0], dop.max[0]), f(dop.min[1], dop.max[1]), f(dop.min[2], dop.max[2]))
    };
    let extent = ends(|lo, hi| hi - lo);
    let [x, y, z] = extent.to_array();
    if HALF == 3 {
        return Measure { volume: x * y * z, surface: 2.0 * (x * y + y * z + z * x) };
    }
    let middle = ends(|lo, hi| 0.5 * lo + 0.5 * hi);
    let far = 4.0 * extent.max_element();
    let mut measure = Measure { volume: 0.0, surface: 0.0 };
    if far <= 0.0 {
        return measure;
    }
    let mut planes = [(Vec3::ZERO, 0.0, 0.0); 26];
    for i in 0..HALF {
        let d = Dop::<HALF>::direction(i);
        let offset = d.dot(middle);
        planes[2 * i] = (d, dop.max[i] - offset, Dop::<HALF>::LENGTHS[i]);
        planes[2 * i + 1] = (-d, offset - dop.min[i], Dop::<HALF>::LENGTHS[i]);
    }
    let planes = &planes[..2 * HALF];
    for (i, (n, offset, length)) in planes.iter().enumerate() {
        let mut face = Polygon::square(*n / *length, offset / length, far);
        for (j, (other, limit, _)) in planes.iter().enumerate() {
            // The opposite side of the slab is parallel.
            if i / 2 != j / 2 {
                face.clip(*other, *limit);
                if face.len < 3 {
                    break;
                }
            }
        }
        let area = face.area();
        measure.surface += area;
        measure.volume += area * (offset / length) / 3.0;
    }
    measure.volume = measure.volume.max(0.0);
    measure
}

struct Polygon {
    corners: [Vec3; ROOM],
    len: usize,
}

impl Polygon {
    /// A square of half side `far` in the plane at `offset` along the unit vector `n`.
    fn square(n: Vec3, offset: f64, far: f64) -> Self {
        let (u, v) = n.any_orthonormal_pair();
        let middle = n * offset;
        let mut corners = [Vec3::ZERO; ROOM];
        for (corner, (s, t)) in
            corners.iter_mut().zip([(-far, -far), (far, -far), (far, far), (-far, far)])
        {
            *corner = middle + u * s + v * t;
        }
        Self { corners, len: 4 }
    }

    /// Keeps what has `n . x <= limit`.
    fn clip(&mut self, n: Vec3, limit: f64) {
        let mut height = [0.0; ROOM];
        let mut outside = false;
        for (height, corner) in height.iter_mut().zip(&self.corners[..self.len]) {
            *height = n.dot(*corner) - limit;
            outside |= *height > 0.0;
        }
        if !outside {
            return;
        }
        let (old, len) = (self.corners, self.len);
        self.len = 0;
        for k in 0..len {
            let next = if k + 1 == len { 0 } else { k + 1 };
            if height[k] <= 0.0 {
                self.push(old[k]);
            }
            if (height[k] > 0.0) != (height[next] > 0.0) {
                let share = height[k] / (height[k] - height[next]);
                self.push(old[k] + (old[next] - old[k]) * share);
            }
        }
    }

    fn push(&mut self, corner: Vec3) {
        // Rounding can make a sliver's outline cross a plane more than twice; such corners do not change its area.
        if self.len < ROOM {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }

    fn area(&self) -> f64 {
        if self.len < 3 {
            return 0.0;
        }
        let origin = self.corners[0];
        let sum = (2..self.len).fold(Vec3::ZERO, |sum, k| {
            sum + (self.corners[k - 1] - origin).cross(self.corners[k] - origin)
        });
        0.5 * sum.length()
    }
}
