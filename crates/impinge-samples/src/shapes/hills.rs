//! A sheet of hills.

use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::grid::height_surface;
use impinge::internals::shapes::params::length;
use impinge::mesh::Mesh;

/// A hilly [`height_field`](super::height_field): seeded smooth noise of several wavelengths, from
/// `-amplitude` to `amplitude`. Open.
///
/// # Errors
/// As [`height_field`](super::height_field); `amplitude` is a positive number.
pub fn hills(size: [f64; 2], cells: [usize; 2], amplitude: f64, seed: u64) -> Result<Mesh, Error> {
    hills_surface(size, cells, amplitude, seed)?.finish()
}

/// The surface of the mesh that [`hills`] makes.
pub(super) fn hills_surface(
    size: [f64; 2],
    cells: [usize; 2],
    amplitude: f64,
    seed: u64,
) -> Result<Surface, Error> {
    length("the hills' amplitude", amplitude)?;
    length("the sheet's size", size[0])?;
    length("the sheet's size", size[1])?;
    let noise = Noise::new(seed);
    height_surface(size, cells, &|x, y| {
        let (u, v) = (x / size[0] + 0.5, y / size[1] + 0.5);
        let octaves =
            [(3.0, 8.0 / 15.0), (6.0, 4.0 / 15.0), (12.0, 2.0 / 15.0), (24.0, 1.0 / 15.0)];
        amplitude * octaves.iter().map(|(f, share)| share * noise.at(u * f, v * f)).sum::<f64>()
    })
}

/// Smooth random values between lattice points: K. Perlin's value noise with the cubic blend
/// `3t^2 - 2t^3`.
struct Noise {
    values: Vec<f64>,
}

/// The number of lattice points along either axis after which the noise repeats.
const NOISE_PERIOD: usize = 32;

impl Noise {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let values = (0..NOISE_PERIOD * NOISE_PERIOD).map(|_| random.range(-1.0, 1.0)).collect();
        Self { values }
    }

    /// A value from -1 to 1, for coordinates from 0 to less than the period.
    fn at(&self, x: f64, y: f64) -> f64 {
        let (i, j) = (x as usize, y as usize);
        let value =
            |i: usize, j: usize| self.values[(j % NOISE_PERIOD) * NOISE_PERIOD + i % NOISE_PERIOD];
        let blend = |t: f64| t * t * (3.0 - 2.0 * t);
        let (u, v) = (blend(x.fract()), blend(y.fract()));
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        mix(mix(value(i, j), value(i + 1, j), u), mix(value(i, j + 1), value(i + 1, j + 1), u), v)
    }
}

#[cfg(test)]
mod tests {
    use impinge::internals::shapes::testing::*;

    use super::*;

    #[test]
    fn hills_are_seeded_and_bounded() {
        let a = hills([10.0, 10.0], [50, 40], 2.0, 3).unwrap();
        assert_sound(&a);
        assert_same_bits(&a, &hills([10.0, 10.0], [50, 40], 2.0, 3).unwrap());
        assert_ne!(a.vertices(), hills([10.0, 10.0], [50, 40], 2.0, 4).unwrap().vertices());
        let b = a.bounds();
        assert!(b.min.z >= -2.0 && b.max.z <= 2.0 && b.extent().z > 0.5, "{b:?}");
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(hills([1.0, 1.0], [4, 4], f64::NAN, 0), "amplitude");
        assert_bad(hills([1.0, 1.0], [0, 1], 1.0, 0), "cells of the sheet is 0");
    }
}
