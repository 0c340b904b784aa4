//! A small seeded generator of random numbers: `SplitMix64`.
//!
//! G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
//! The state is one `u64`; every draw adds a constant to it and mixes the sum. Draws use integer
//! arithmetic, multiplication, addition and square roots only, so they are the same bits on every
//! platform.

use glam::DQuat;

use super::Vec3;

/// A stream of random numbers that depends only on the seed.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

#[cfg_attr(
    not(any(test, feature = "internals")),
    allow(dead_code, reason = "the other crates use all of it, the engine some")
)]
impl Random {
    /// The stream of `seed`. Every seed is valid, including zero.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        let mantissa = (self.bits() >> 11) as f64;
        mantissa * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number in `[low, high)`, for finite bounds.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number in `[-1, 1)`.
    pub fn signed(&mut self) -> f64 {
        self.range(-1.0, 1.0)
    }

    /// An index below `n`, for `n > 0`; the bias is below `n / 2^64`.
    pub fn index(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A point in the cube `[-1, 1)^3`.
    pub fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        // A point in the shell between radius 0.1 and 1, which more than half of the draws hit.
        loop {
            let v = self.in_cube();
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// A rotation, uniform over all rotations.
    ///
    /// G. Marsaglia: Choosing a point from the surface of a sphere, Ann. Math. Stat. 43, 1972: two
    /// points in the unit disc give a point on the sphere in four dimensions without trigonometry.
    pub fn rotation(&mut self) -> DQuat {
        let [x, y, s] = self.in_disc();
        let [z, w, t] = self.in_disc();
        let k = ((1.0 - s) / t).sqrt();
        DQuat::from_xyzw(x, y, z * k, w * k).normalize()
    }

    /// A point in the unit disc, not near its centre, and its squared distance from the centre.
    fn in_disc(&mut self) -> [f64; 3] {
        loop {
            let (x, y) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let s = x * x + y * y;
            if (1e-6..1.0).contains(&s) {
                return [x, y, s];
            }
        }
    }

    /// The integers below `n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.index(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_agrees_with_the_reference_implementation() {
        // First outputs for seed 1234567 of the reference implementation.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        assert_eq!(random.bits(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn draws_are_in_range_and_evenly_distributed() {
        let mut random = Random::new(0);
        let mut mean = Vec3::ZERO;
        let mut rotated_mean = Vec3::ZERO;
        for _ in 0..20_000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!((-3.0..5.0).contains(&random.range(-3.0, 5.0)));
            assert!(random.index(7) < 7);
            let d = random.direction();
            assert!((d.length() - 1.0).abs() < 1e-15);
            mean += d / 20_000.0;
            rotated_mean += random.rotation() * Vec3::X / 20_000.0;
        }
        assert!(mean.length() < 0.02 && rotated_mean.length() < 0.02, "{mean} {rotated_mean}");
        assert_eq!(random.index(1), 0);
    }

    #[test]
    fn a_permutation_contains_every_number_once() {
        let mut order = Random::new(3).permutation(100);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, n)| i == *n));
        assert!(Random::new(3).permutation(0).is_empty());
    }
}
