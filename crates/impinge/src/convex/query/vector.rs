//! What the search for the closest point needs of vectors: once in `f32`, to come near, and once in
//! `f64`, to be sure.

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
    /// At least zero and at most `high`; zero for what is no number.
    fn up_to(self, high: Self) -> Self;
}

/// Both precisions have the same words for it.
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
            fn up_to(self, high: Self) -> Self {
                self.max(0.0).min(high)
            }
        }
    )*};
}

vectors! {
    Vec3, f64;
    Vec3A, f32;
}
