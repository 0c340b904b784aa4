//! The faces of boxes as lines over time, and exact comparisons of their crossings.

use std::cmp::Ordering;

use impinge::exact::Sign;
use impinge::motion::{Linear, SpaceTimeBound};

use super::sign_of_sum;

/// The faces of a bound, with the start of the search as their start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) min: [Linear; 3],
    pub(super) max: [Linear; 3],
}

impl Start {
    pub(super) fn of(bound: &SpaceTimeBound, from: f64) -> Self {
        let faces = bound.starting_at(from).faces();
        Self { min: faces.map(|face| face[0]), max: faces.map(|face| face[1]) }
    }

    /// The face with this number: 0 is the smaller one, 1 the larger.
    pub(super) fn face(&self, axis: usize, side: usize) -> Linear {
        if side == 0 { self.min[axis] } else { self.max[axis] }
    }

    /// Whether the rectangles of two faces overlap in the two other axes, after some time; also if
    /// rounding hides a small gap.
    pub(super) fn squares_overlap(&self, other: &Self, axis: usize, after: f64) -> bool {
        (0..3).filter(|k| *k != axis).all(|k| {
            let at = |line: Linear| {
                let change = line.rate * after;
                (line.base + change, 1e-14 * (line.base.abs() + change.abs()))
            };
            let is_below = |low: Linear, high: Linear| {
                let ((low, e), (high, f)) = (at(low), at(high));
                low - e - f <= high
            };
            is_below(self.min[k], other.max[k]) && is_below(other.min[k], self.max[k])
        })
    }
}

/// A crossing of two lines: `below` passes `above` from below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) below: Linear,
    pub(super) above: Linear,
}

impl Meeting {
    /// The crossing, if the line below is faster than the one above.
    pub(super) fn new(below: Linear, above: Linear) -> Option<Self> {
        (below.rate > above.rate).then_some(Self { below, above })
    }

    /// The time of the crossing after the start, rounded.
    pub(super) fn after(&self) -> f64 {
        (self.above.base - self.below.base) / (self.below.rate - self.above.rate)
    }

    /// Compares the exact times of two crossings.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        // The times are gap / speed, with positive speeds. Each product of two differences is four
        // products.
        let terms = |gap: &Self, speed: &Self, sign: f64| {
            let (a, b) = (sign * gap.above.base, -sign * gap.below.base);
            let (r, s) = (speed.below.rate, -speed.above.rate);
            [(a, r), (a, s), (b, r), (b, s)]
        };
        let [t, u] = [terms(self, other, 1.0), terms(other, self, -1.0)];
        match sign_of_sum(&[t[0], t[1], t[2], t[3], u[0], u[1], u[2], u[3]]) {
            Sign::Negative => Ordering::Less,
            Sign::Zero => Ordering::Equal,
            Sign::Positive => Ordering::Greater,
        }
    }
}
