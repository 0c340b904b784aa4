//! A certain lower bound of the gap between two hulls along a vector, rounding included.
//!
//! The search compares vertices of B in B's frame, along `d`: the vector `S` rotated to that frame
//! and rounded. Verdicts are about the vertices moved to A's frame and rounded. Let `R` be the
//! matrix and `u` half an ulp of one. The error of `d` is at most `3u |R|^T |S|`, that of a moved
//! vertex at most `4u (|R| |v| + |t|)`. So if `q` is lowest along `d` among the vertices of B, then
//! no moved vertex lies lower than the moved `q` by more than `(2*3 + 2*4) u` times `far = |S| .
//! (|R| reach + |t|)`. The error of the product `S . (q - p)` is at most `4u` times the sum of the
//! absolute values of its terms. The code uses 16 and 8 instead of 14 and 4, which covers the
//! roundings of the bound itself.
//!
//! On A's side there is no error: its climb compares exactly along `S` itself.

use super::Prepared;
use impinge::internals::rounding::UNIT_ROUNDOFF;
use impinge::math::{Pose, Vec3};

/// Bounds of the rounding errors of B's vertices and of directions in B's frame, at one pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    /// `|R| reach + |t|`: half the size of a box around the moved body, centred at the origin.
    far: Vec3,
    /// Exceeds the error of underflow.
    tiny: f64,
}

impl Rounding {
    pub(super) fn new(b: &Prepared<'_>, pose: &Pose) -> Self {
        let r = pose.rotation();
        let reach = b.reach();
        let turned = r.x_axis.abs() * reach.x + r.y_axis.abs() * reach.y + r.z_axis.abs() * reach.z;
        let tiny = f64::MIN_POSITIVE * (1.0 + reach.element_sum());
        Self { far: turned + pose.translation().abs(), tiny }
    }

    /// A certain lower bound of the distance, from [`Rounding::along`], for an `s` of about unit
    /// length. Zero or negative if no gap is certain.
    pub(super) fn distance(&self, s: Vec3, p: Vec3, q: Vec3) -> f64 {
        // Covers three products, two sums, a root and a quotient.
        self.along(s, p, q) / s.length() * (1.0 - 8.0 * UNIT_ROUNDOFF)
    }

    /// A lower bound of `s . (y - x)` over all `x` of A and all moved `y` of B, where `p` supports
    /// A along `s` and `q` is the moved vertex that supports B against `s` in its own frame.
    pub(super) fn along(&self, s: Vec3, p: Vec3, q: Vec3) -> f64 {
        let terms = s * (q - p);
        let value = terms.element_sum();
        let size = terms.abs().element_sum();
        let far = s.abs().dot(self.far);
        value - (8.0 * UNIT_ROUNDOFF * size + 16.0 * UNIT_ROUNDOFF * far + self.tiny)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::convex::Hull;
    use impinge::internals::Random;
    use num_rational::BigRational;
    use num_traits::{FromPrimitive, ToPrimitive};

    fn exact(s: Vec3, p: Vec3, q: Vec3) -> BigRational {
        let of = |x: f64| BigRational::from_float(x).unwrap();
        (0..3).map(|i| of(s[i]) * (of(q[i]) - of(p[i]))).sum()
    }

    fn hull(random: &mut Random, scale: f64, offset: Vec3) -> Hull {
        let points: Vec<Vec3> = (0..12).map(|_| offset + random.direction() * scale).collect();
        Hull::new(&points).unwrap()
    }

    #[test]
    fn no_vertex_is_nearer_than_the_gap() {
        let mut random = Random::new(9);
        let mut worst: f64 = 0.0;
        for round in 0..600 {
            let scale = [1.0, 1e-6, 1e6, 1e-150, 1e52][round % 5];
            let offset = random.direction() * scale * [0.0, 1.0, 1e7][round % 3];
            let (a, b) = (hull(&mut random, scale, Vec3::ZERO), hull(&mut random, scale, offset));
            let (a, b) = (Prepared::new(&a), Prepared::new(&b));
            let turn = Pose::from_axis_angle(random.direction(), 2.0).unwrap();
            let shift = random.direction() * scale * 3.0 - turn.transform_vector(offset);
            let Ok(shift) = Pose::from_translation(shift) else { continue };
            let pose = shift.compose(&turn).unwrap();
            let s = random.direction();
            let p = a.hull().vertices()[a.hull().support(s) as usize];
            let local = -(pose.rotation().transpose() * s);
            let q = pose.transform_point(b.hull().vertices()[b.hull().support(local) as usize]);
            let quick = Rounding::new(&b, &pose).along(s, p, q);
            let all = b.hull().vertices().iter().flat_map(|v| {
                a.hull().vertices().iter().map(|x| exact(s, *x, pose.transform_point(*v)))
            });
            let true_gap = all.min().unwrap();
            assert!(BigRational::from_f64(quick).unwrap() <= true_gap);
            let along = true_gap.to_f64().unwrap() - quick;
            worst = worst.max(along / (scale + offset.length()));
        }
        assert!(worst < 1e-13, "{worst}");
    }
}
