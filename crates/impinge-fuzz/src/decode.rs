//! Decodes coordinates from bytes. Small changes of the bytes keep the properties that make cases
//! hard: equal coordinates, small integers, steps of one unit in the last place.

use glam::DVec3 as Vec3;
use impinge::MAX_COORDINATE;

/// Reads numbers from the front of a byte slice; zeros after its end.
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, k| word | u64::from(self.byte()) << (8 * k))
    }

    /// A coordinate: a small integer, a small integer changed by a few units in the last place, a
    /// small integer times a power of two, or the bits of a float.
    pub fn coordinate(&mut self) -> f64 {
        let kind = self.byte();
        let integer = f64::from(self.byte() as i8 / 8);
        let value = match kind {
            0..160 => integer,
            160..200 => {
                let steps = i64::from(self.byte() as i8 / 32);
                f64::from_bits((integer.to_bits() as i64).saturating_add(steps) as u64)
            }
            200..240 => integer * 2.0_f64.powi(i32::from(self.byte() as i8)),
            _ => f64::from_bits(self.word()),
        };
        if value.is_finite() && value.abs() <= MAX_COORDINATE { value } else { integer }
    }

    pub fn point(&mut self) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.coordinate()))
    }
}
