//! The vector operations of the search for the closest point, in `f32` for the first stage and in
//! `f64` for the second.

use std::ops::{Add, Mul, Neg, Sub};

use glam::Vec3A;

use crate::math::Vec3;

/// A vector of three numbers.
pub(super) trait Vector:
    Copy
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Self::Number, Output = Self>
{
    type Number: Number;
    const ZERO: Self;
    fn dot(self, other: Self) -> Self::Number;
    fn cross(self, other: Self) -> Self;
}

/// `f32` or `f64`.
pub(super) trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    const INFINITY: Self;
    /// `self * self / other`.
    fn square_over(self, other: Self) -> Self;
    /// The number clamped to at least zero and at most `high`; zero for NaN.
    fn clamp_to(self, high: Self) -> Self;
}

/// Implements both traits by the methods of the same names.
macro_rules! vectors {
    ($($vector:ty, $number:ty;)*) => {$(
        impl Vector for $vector {
            type Number = $number;
            const ZERO: Self = Self::ZERO;

            #[inline(always)]
            fn dot(self, other: Self) -> $number {
                self.dot(other)
            }

            #[inline(always)]
            fn cross(self, other: Self) -> Self {
                self.cross(other)
            }
        }

        impl Number for $number {
            const ZERO: Self = 0.0;
            const INFINITY: Self = Self::INFINITY;

            #[inline(always)]
            fn square_over(self, other: Self) -> Self {
                self * self / other
            }

            #[inline(always)]
            fn clamp_to(self, high: Self) -> Self {
                self.max(0.0).min(high)
            }
        }
    )*};
}

vectors! {
    Vec3, f64;
    Vec3A, f32;
}
