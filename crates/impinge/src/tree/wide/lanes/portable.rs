//! Vectors as arrays, which any compiler knows to make the most of.

use super::super::node::Link;
use super::super::sheet::{Sheet, Sheets};
use super::super::triangles;
use super::{Wide, Wide3, set_bits};

/// Plain arrays, on any machine.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Portable([f32; 8]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut r = [0.0; 8];
        for i in 0..8 {
            r[i] = f(self.0[i], other.0[i]);
        }
        Self(r)
    }

    #[inline(always)]
    fn mask(yes: bool) -> f32 {
        f32::from_bits(if yes { u32::MAX } else { 0 })
    }
}

impl Wide for Portable {
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |x, y| x + y)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |x, y| x - y)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |x, y| x * y)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |x, y| x / y)
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c.sub(self.mul(b))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |x, y| if x < y { x } else { y })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |x, y| if x > y { x } else { y })
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        self.zip(other, |x, y| Self::mask(x <= y))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        self.zip(other, |x, y| Self::mask(x < y))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| f32::from_bits(x.to_bits() & y.to_bits()))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |x, y| f32::from_bits(x.to_bits() | y.to_bits()))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        let mut r = no.0;
        for i in 0..8 {
            if self.0[i].to_bits() >> 31 != 0 {
                r[i] = yes.0[i];
            }
        }
        Self(r)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.iter().enumerate().fold(0, |bits, (i, x)| bits | (x.to_bits() >> 31) << i)
    }

    type Index = [u8; 8];

    #[inline(always)]
    fn index(lanes: &[u8; 8]) -> [u8; 8] {
        *lanes
    }

    #[inline(always)]
    fn permute(self, order: [u8; 8]) -> Self {
        let mut r = [0.0; 8];
        for k in 0..8 {
            r[k] = self.0[usize::from(order[k] & 7)];
        }
        Self(r)
    }

    #[inline(always)]
    fn pack(entries: &[Link; 8], mask: u32, to: &mut [Link; 8]) {
        let order = set_bits(mask);
        for k in 0..8 {
            to[k] = entries[usize::from(order[k] & 7)];
        }
    }

    #[inline(always)]
    fn leaves(links: &[Link; 8]) -> u32 {
        (0..8).fold(0, |bits, slot| bits | u32::from(links[slot].is_leaf()) << slot)
    }

    #[inline(never)]
    fn add3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_add(other)
    }

    #[inline(never)]
    fn sub3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_sub(other)
    }

    #[inline(never)]
    fn min3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_min(other)
    }

    #[inline(never)]
    fn max3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_max(other)
    }

    #[inline(never)]
    fn dot3(v: Wide3<Self>, o: Wide3<Self>) -> Self {
        v.plain_dot(o)
    }

    #[inline(never)]
    fn dot_add3(v: Wide3<Self>, o: Wide3<Self>, plus: Self) -> Self {
        v.plain_dot_add(o, plus)
    }

    #[inline(never)]
    fn cross3(v: Wide3<Self>, o: Wide3<Self>) -> Wide3<Self> {
        v.plain_cross(o)
    }

    #[inline(never)]
    fn mapped3(v: Wide3<Self>, m: &[[f32; 3]; 3], plus: Wide3<Self>) -> Wide3<Self> {
        v.plain_mapped(m, plus)
    }

    #[inline(never)]
    fn permuted3(v: Wide3<Self>, order: Self::Index) -> Wide3<Self> {
        v.plain_permuted(order)
    }

    #[inline(never)]
    fn decide(p: &[Wide3<Self>; 3], q: &[Wide3<Self>; 3], bound: f32, real: u32) -> (u32, u32) {
        triangles::decide(p, q, bound, real)
    }

    #[inline(never)]
    fn meet(
        sheets: &Sheets,
        centers: Wide3<Self>,
        one: &Sheet,
        center: [f32; 3],
        margin: f32,
    ) -> (Self, Self) {
        sheets.meet(centers, one, center, margin)
    }

    #[inline(never)]
    fn all_le3(v: Wide3<Self>, other: Wide3<Self>) -> Self {
        v.plain_all_le(other)
    }
}
