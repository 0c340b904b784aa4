//! Integers for exact directions: of fixed width first, of arbitrary width where that overflows.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::pauses::Meter;
use crate::arrays::MapEach;
use crate::exact::Sign;

/// Digits of 64 bits that are multiplied with each other at a cost of one.
const DIGIT_PAIRS_PER_COST: usize = 16;

/// Larger products of integers of any length are computed in parts of this many pairs of digits.
const MAX_DIGIT_PAIRS: usize = 1 << 10;

/// An integer. Operations return `None` if the result overflows.
pub(super) trait Integer: Clone + Send + Sync + 'static {
    fn of(x: i64) -> Self;
    fn plus(&self, other: &Self) -> Option<Self>;
    /// The product, paid for before it is computed.
    fn times(&self, other: &Self, meter: &mut Meter) -> impl Future<Output = Option<Self>> + Send;
    /// Times two to the power of `bits`.
    fn shifted(&self, bits: u64) -> Option<Self>;
    fn negated(self) -> Self;
    fn sign(&self) -> Sign;
    /// The bit length of the absolute value: zero for 0, one for 1, two for 2 and 3.
    fn bits(&self) -> u64;
    /// The number divided by `2^bits`, to 63 binary digits after the point. `bits` must not be less
    /// than [`Integer::bits`].
    fn divided_by_power(&self, bits: u64) -> f64;
}

/// Limbs of a [`Fixed`]: 1024 bits are enough for determinants of directions that are built from
/// `f64` coordinates of similar size in up to two steps.
const LIMBS: usize = 16;

/// An integer of up to 1024 bits and a sign, stored inline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    /// Lowest first; the limbs from `len` on are arbitrary.
    limbs: [u64; LIMBS],
    /// The number of limbs in use. The highest of them is not zero.
    len: usize,
    negative: bool,
}

impl Fixed {
    const ZERO: Self = Self { limbs: [0; LIMBS], len: 0, negative: false };

    fn used(&self) -> &[u64] {
        &self.limbs[..self.len]
    }

    /// Whether the absolute value is less than that of the other.
    fn is_smaller(&self, other: &Self) -> bool {
        if self.len != other.len {
            return self.len < other.len;
        }
        self.used().iter().rev().lt(other.used().iter().rev())
    }

    /// The sum of the absolute values, with the sign of `self`.
    fn add_size(&self, other: &Self) -> Option<Self> {
        let (long, short) = if self.len < other.len { (other, self) } else { (self, other) };
        let mut sum = Self { negative: self.negative, ..*long };
        let mut carry = false;
        for i in 0..long.len {
            if i >= short.len && !carry {
                break;
            }
            let more = if i < short.len { short.limbs[i] } else { 0 };
            let (x, first) = sum.limbs[i].overflowing_add(more);
            let (x, second) = x.overflowing_add(u64::from(carry));
            (sum.limbs[i], carry) = (x, first || second);
        }
        if carry {
            *sum.limbs.get_mut(sum.len)? = 1;
            sum.len += 1;
        }
        Some(sum)
    }

    /// The difference of the absolute values, with the sign of `self`. `self` must not be the
    /// smaller one.
    fn subtract_size(&self, other: &Self) -> Self {
        let mut rest = *self;
        let mut borrow = false;
        for i in 0..self.len {
            if i >= other.len && !borrow {
                break;
            }
            let less = if i < other.len { other.limbs[i] } else { 0 };
            let (x, first) = rest.limbs[i].overflowing_sub(less);
            let (x, second) = x.overflowing_sub(u64::from(borrow));
            (rest.limbs[i], borrow) = (x, first || second);
        }
        while rest.len > 0 && rest.limbs[rest.len - 1] == 0 {
            rest.len -= 1;
        }
        rest
    }

    /// The product: at most 72 pairs of digits are multiplied.
    pub(super) fn product(&self, other: &Self) -> Option<Self> {
        let mut product = Self::ZERO;
        if self.len == 0 || other.len == 0 {
            return Some(product);
        }
        let len = self.len + other.len;
        if len > LIMBS + 1 {
            return None;
        }
        for (i, x) in self.used().iter().enumerate() {
            let mut carry = 0;
            for (j, y) in other.used().iter().enumerate() {
                let limb = &mut product.limbs[i + j];
                let sum = u128::from(*x) * u128::from(*y) + u128::from(*limb) + carry;
                (*limb, carry) = (sum as u64, sum >> 64);
            }
            match product.limbs.get_mut(i + other.len) {
                Some(limb) => *limb = carry as u64,
                None if carry != 0 => return None,
                None => {}
            }
        }
        product.len = len.min(LIMBS);
        product.len -= usize::from(product.limbs[product.len - 1] == 0);
        product.negative = self.negative != other.negative;
        Some(product)
    }
}

impl Integer for Fixed {
    fn of(x: i64) -> Self {
        let mut number = Self::ZERO;
        number.limbs[0] = x.unsigned_abs();
        (number.len, number.negative) = (usize::from(x != 0), x < 0);
        number
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        if self.negative == other.negative {
            self.add_size(other)
        } else if self.is_smaller(other) {
            Some(other.subtract_size(self))
        } else {
            Some(self.subtract_size(other))
        }
    }

    async fn times(&self, other: &Self, meter: &mut Meter) -> Option<Self> {
        meter.pay(1 + (self.len * other.len / DIGIT_PAIRS_PER_COST) as u32).await;
        self.product(other)
    }

    fn shifted(&self, bits: u64) -> Option<Self> {
        if self.len == 0 || bits == 0 {
            return Some(*self);
        }
        if self.bits() + bits > 64 * LIMBS as u64 {
            return None;
        }
        let (whole, part) = ((bits / 64) as usize, bits % 64);
        let mut result = Self { negative: self.negative, ..Self::ZERO };
        for (i, x) in self.used().iter().enumerate() {
            let wide = u128::from(*x) << part;
            result.limbs[i + whole] |= wide as u64;
            if let Some(next) = result.limbs.get_mut(i + whole + 1) {
                *next = (wide >> 64) as u64;
            }
        }
        result.len = (self.bits() + bits).div_ceil(64) as usize;
        Some(result)
    }

    fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    fn sign(&self) -> Sign {
        match (self.len, self.negative) {
            (0, _) => Sign::Zero,
            (_, true) => Sign::Negative,
            (_, false) => Sign::Positive,
        }
    }

    fn bits(&self) -> u64 {
        let top = self.used().last();
        top.map_or(0, |x| 64 * self.len as u64 - u64::from(x.leading_zeros()))
    }

    fn divided_by_power(&self, bits: u64) -> f64 {
        // The 64 bits after the binary point.
        let low = bits as i64 - 64;
        let mut top = 0;
        for (i, x) in self.used().iter().enumerate() {
            let at = 64 * i as i64 - low;
            top |= match at {
                0..64 => x << at,
                -63..0 => x >> -at,
                _ => 0,
            };
        }
        let size = top as f64 * 2.0_f64.powi(-64);
        if self.negative { -size } else { size }
    }
}

impl Integer for BigInt {
    fn of(x: i64) -> Self {
        Self::from(x)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }

    async fn times(&self, other: &Self, meter: &mut Meter) -> Option<Self> {
        let (long, short) = if self.bits() < other.bits() { (other, self) } else { (self, other) };
        let [n, m] = [long, short].map_each(|x| Self::bits(x).div_ceil(64) as usize);
        if n * m <= MAX_DIGIT_PAIRS {
            meter.pay((4 + n * m / DIGIT_PAIRS_PER_COST) as u32).await;
            return Some(long * short);
        }
        // In rows of a few digits of the shorter factor.
        let row = (MAX_DIGIT_PAIRS / n).max(1);
        let digits: Vec<u64> = short.iter_u64_digits().collect();
        let mut product = Self::zero();
        for (at, row_digits) in digits.chunks(row).enumerate() {
            // The sum and the shift are linear in the length of the product.
            meter.pay((8 + (n * row + 4 * (n + m)) / DIGIT_PAIRS_PER_COST) as u32).await;
            let factor = row_digits.iter().rev().fold(Self::zero(), |x, d| (x << 64) + *d);
            product += (long * factor) << (64 * row * at);
        }
        Some(if short.is_negative() { -product } else { product })
    }

    fn shifted(&self, bits: u64) -> Option<Self> {
        Some(self << bits)
    }

    fn negated(self) -> Self {
        -self
    }

    fn sign(&self) -> Sign {
        if self.is_zero() {
            Sign::Zero
        } else if self.is_negative() {
            Sign::Negative
        } else {
            Sign::Positive
        }
    }

    fn bits(&self) -> u64 {
        Self::bits(self)
    }

    fn divided_by_power(&self, bits: u64) -> f64 {
        let low = bits as i64 - 64;
        let top = if low > 0 { self >> low as u64 } else { self << (-low) as u64 };
        top.to_f64().unwrap_or(0.0) * 2.0_f64.powi(-64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pauses::to_the_end;
    use super::*;
    use crate::math::Random;

    /// The same number as a `BigInt`, from its limbs.
    fn big(x: &Fixed) -> BigInt {
        let size =
            x.used().iter().rev().fold(BigInt::zero(), |sum, x| (sum << 64) + BigInt::from(*x));
        if x.negative { -size } else { size }
    }

    /// A number of up to `bits` bits, often with long runs of ones or zeros, so that carries
    /// propagate far.
    fn number(random: &mut Random, bits: usize) -> Fixed {
        let mut x = Fixed::of(random.bits() as i64 >> random.index(64));
        let wanted = random.index(bits + 1);
        while (x.bits() as usize) < wanted {
            let more = match random.index(4) {
                0 => 0,
                1 => -1,
                _ => random.bits() as i64 >> 1,
            };
            let Some(next) = x.shifted(random.index(64) as u64 + 1) else { break };
            let Some(next) = next.plus(&Fixed::of(more)) else { break };
            x = next;
        }
        x
    }

    #[test]
    fn products_in_parts_are_products() {
        let mut random = Random::new(6);
        for round in 0..200 {
            let mut factor = || {
                let digits = 1 + random.index([3, 20, 60, 300][round % 4]);
                let size = (0..digits).fold(BigInt::zero(), |x, _| (x << 64) + random.bits());
                if random.index(2) == 0 { -size } else { size }
            };
            let (x, y) = (factor(), factor());
            let product = to_the_end(async { x.times(&y, &mut Meter::default()).await });
            assert_eq!(product, Some(&x * &y));
        }
    }

    #[test]
    fn fixed_and_big_integers_agree() {
        let mut random = Random::new(5);
        let (mut full, mut zeros) = (0, 0);
        for round in 0..60_000 {
            let bits = [60, 130, 500, 1023][round % 4];
            let (x, mut y) = (number(&mut random, bits), number(&mut random, bits));
            if round % 7 == 0 {
                y = x.negated().plus(&Fixed::of(random.index(3) as i64 - 1)).unwrap_or(y);
            }
            let (p, q) = (big(&x), big(&y));
            let shift = random.index(200) as u64;
            let fits = |n: &BigInt| n.bits() <= 1024;
            for (found, known) in [
                (x.plus(&y), &p + &q),
                (x.product(&y), &p * &q),
                (x.shifted(shift), &p << shift),
                (Some(x.negated()), -&p),
            ] {
                assert_eq!(found.is_some(), fits(&known), "{p} {q}");
                full += u32::from(found.is_none());
                let Some(found) = found else { continue };
                assert_eq!(big(&found), known);
                assert_eq!(
                    (found.sign(), Integer::bits(&found)),
                    (Integer::sign(&known), known.bits())
                );
                assert!(found.len == 0 || found.limbs[found.len - 1] != 0);
                zeros += u32::from(found.len == 0);
                let above = known.bits() + random.index(70) as u64;
                let (a, b) =
                    (found.divided_by_power(above), Integer::divided_by_power(&known, above));
                assert!((a - b).abs() <= 2.0_f64.powi(-63) + f64::EPSILON * b.abs(), "{a} {b}");
            }
        }
        assert!(full > 1_000 && zeros > 1_000, "{full} {zeros}");
    }
}
