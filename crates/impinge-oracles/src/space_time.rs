//! The earliest time at which moving half-spaces have a common point, by elimination of the three
//! coordinates (Fourier and Motzkin), in integers.

use num_bigint::BigInt;

use crate::fraction::Fraction;
use crate::number::{Number, decompose};

/// The points `p` with `normal . p <= base + rate * (t - start)`.
#[derive(Clone, Copy, Debug)]
pub struct MovingHalfSpace {
    pub normal: [f64; 3],
    pub base: f64,
    pub rate: f64,
    pub start: f64,
}

/// The earliest time from `from` to `until` at which all half-spaces have a common point; `None` if
/// there is none.
pub fn earliest(half_spaces: &[MovingHalfSpace], from: f64, until: f64) -> Option<Fraction> {
    // A row is an inequality a . (x, y, z, t) <= b, times any positive number: the unknowns x, y, z
    // and t, and the right side.
    let mut rows: Vec<Row> = half_spaces.iter().map(Row::new).collect();
    assert!(rows.len() <= 30, "the sets of rows have 32 bits");
    rows.push(Row::from_terms([vec![], vec![], vec![], vec![(-1.0, 1.0)], vec![(-from, 1.0)]]));
    rows.push(Row::from_terms([vec![], vec![], vec![], vec![(1.0, 1.0)], vec![(until, 1.0)]]));
    for (number, row) in rows.iter_mut().enumerate() {
        row.of = 1 << number;
    }
    for unknown in 0..3 {
        // A row made from more rows than this is implied by others (Kohler 1967).
        let most = unknown as u32 + 2;
        let (mut kept, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            match row.entries[unknown].signum() {
                0 => kept.push(row),
                1 => above.push(row),
                _ => below.push(row),
            }
        }
        for high in &above {
            for low in &below {
                if (high.of | low.of).count_ones() <= most {
                    kept.push(high.combined(low, unknown));
                }
            }
        }
        rows = kept;
    }
    let mut first: Option<Fraction> = None;
    let mut last: Option<Fraction> = None;
    for Row { entries: [.., rate, right], .. } in rows {
        match rate.signum() {
            0 if right.signum() < 0 => return None,
            0 => {}
            1 => {
                let limit = Fraction::new(right, rate);
                last = Some(last.map_or(limit.clone(), |last| last.min(limit)));
            }
            _ => {
                let limit = Fraction::new(-right, -rate);
                let is_later = first.as_ref().is_none_or(|first| first.compare(&limit).is_lt());
                if is_later {
                    first = Some(limit);
                }
            }
        }
    }
    let (first, last) = (first?, last?);
    first.compare(&last).is_le().then_some(first)
}

/// A number as a fraction.
pub fn fraction(x: f64) -> Fraction {
    let (mantissa, exponent) = decompose(x);
    let power = BigInt::from(1) << exponent.unsigned_abs();
    let mantissa = BigInt::from(mantissa);
    if exponent >= 0 { Fraction::whole(mantissa * power) } else { Fraction::new(mantissa, power) }
}

#[derive(Clone, Debug)]
struct Row {
    entries: [BigInt; 5],
    /// The original rows it was made from, a bit each.
    of: u32,
}

impl Row {
    fn new(h: &MovingHalfSpace) -> Self {
        let [x, y, z] = h.normal.map(|n| vec![(n, 1.0)]);
        Self::from_terms([x, y, z, vec![(-h.rate, 1.0)], vec![(h.base, 1.0), (-h.rate, h.start)]])
    }

    /// A row whose entries are sums of products.
    fn from_terms(entries: [Vec<(f64, f64)>; 5]) -> Self {
        let entries = entries.map(|sum| {
            let product = |(x, y): (f64, f64)| {
                let ((m, e), (n, f)) = (decompose(x), decompose(y));
                (BigInt::from(m) * BigInt::from(n), e + f)
            };
            let products: Vec<_> = sum.into_iter().map(product).collect();
            let unit = products.iter().map(|(_, e)| *e).min().unwrap_or(0);
            let total: BigInt = products.into_iter().map(|(p, e)| p << (e - unit)).sum();
            (total, unit)
        });
        let used = entries.iter().filter(|(value, _)| value.signum() != 0);
        let unit = used.map(|(_, unit)| *unit).min().unwrap_or(0);
        let entries = entries.map(|(value, exponent)| match value.signum() {
            0 => value,
            _ => value << (exponent - unit),
        });
        Self { entries, of: 0 }
    }

    /// The sum of positive multiples of two rows without an unknown, whose coefficient is positive
    /// here and negative in the other.
    fn combined(&self, other: &Self, unknown: usize) -> Self {
        let (p, q) = (&self.entries[unknown], -&other.entries[unknown]);
        let sum = [0, 1, 2, 3, 4].map(|k| &self.entries[k] * &q + &other.entries[k] * p);
        // A common power of two keeps the numbers short.
        let zeros = sum.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        Self { entries: sum.map(|value| value >> zeros), of: self.of | other.of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_of_a_wedge_that_moves_meets_a_wall() {
        let half = |normal: [f64; 3], base: f64, rate: f64| MovingHalfSpace {
            normal,
            base,
            rate,
            start: 1.0,
        };
        // The wedge y <= -|x| moves up by 2, from one below the plane y = 0.5 on;
        // only -1 <= z <= 1.
        let wedge = [
            half([1.0, 1.0, 0.0], -0.5, 2.0),
            half([-1.0, 1.0, 0.0], -0.5, 2.0),
            half([0.0, -1.0, 0.0], -0.5, 0.0),
            half([0.0, 0.0, 1.0], 1.0, 0.0),
            half([0.0, 0.0, -1.0], 1.0, 0.0),
        ];
        let time = earliest(&wedge, 0.0, 9.0).unwrap();
        assert!(time.compare(&fraction(1.5)).is_eq());
        assert!(earliest(&wedge, 0.0, 1.25).is_none());
        assert!(earliest(&wedge, 2.0, 9.0).unwrap().compare(&fraction(2.0)).is_eq());
        let apart = [wedge[3], half([0.0, 0.0, -1.0], -1.5, 0.0)];
        assert!(earliest(&apart, 0.0, 9.0).is_none());
    }
}
