//! The result of a predicate: negative, zero or positive.

use std::ops::{Mul, Neg};

/// The exact sign of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Sign {
    /// Less than zero.
    Negative = -1,
    /// Exactly zero.
    Zero = 0,
    /// Greater than zero.
    Positive = 1,
}

impl Sign {
    /// The sign of a number; NaN has none and counts as zero.
    #[inline]
    #[must_use]
    pub fn of(x: f64) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// Whether the quantity is exactly zero.
    #[inline]
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }
}

impl Neg for Sign {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }
}

impl Mul for Sign {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        match self {
            Self::Negative => -other,
            Self::Zero => Self::Zero,
            Self::Positive => other,
        }
    }
}
