//! Compares up to eight triangles with up to eight others, in `f32` with a proven error bound. Each
//! pair is certainly apart, certainly crossing, or undecided.

use crate::wide::{Lanes3, Wide, Wide3};

use super::lanes::Lanes;
use super::leaf::Leaf;
use super::node::LocalBox;
use super::relative::{Map, Placement, Relative, UNIT_ROUNDOFF_F32};

/// Upper bound of the error of a transformed corner, as a share of the spread.
const SLACK: f32 = 24.0 * UNIT_ROUNDOFF_F32;

/// Compares the triangles of two leaves. Calls `found` with a lane of A, a lane of B, and whether
/// the two certainly cross (otherwise they may meet). Stops and returns true when `found` does.
#[inline(always)]
pub(super) fn compare<W: Wide>(
    a: &Leaf,
    b: &Leaf,
    relative: &Relative,
    mut found: impl FnMut(usize, usize, bool) -> bool,
) -> bool {
    // A's corners in B's leaf frame.
    let Placement { offset, spread } = relative.placement(a, b);
    let shift = Wide3::<W>::splat(offset);
    let p = [
        Wide3::<W>::load(&a.corners[0]).mapped(&relative.to_b.matrix, shift),
        Wide3::<W>::load(&a.corners[1]).mapped(&relative.to_b.matrix, shift),
        Wide3::<W>::load(&a.corners[2]).mapped(&relative.to_b.matrix, shift),
    ];
    let (min, max) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
    let slack = spread * SLACK + relative.coarse;
    let half = Wide3::<W>::splat([b.half[0] + slack, b.half[1] + slack, b.half[2] + slack]);
    let zero = Wide3::splat([0.0; 3]);
    let near = min.all_le(half).and(zero.sub(half).all_le(max));
    // Each leaf's triangles against the planes of the other's disc. This decides most pairs of
    // leaves that are near each other.
    let disc = &b.disc;
    let near_planes = between(&p, disc.normal, disc.offset, disc.half_thickness + 2.0 * slack);
    let mut lanes = near.and(near_planes).bits() & ((1 << a.count) - 1);
    if lanes == 0 {
        return false;
    }
    let q =
        [Wide3::<W>::load(&b.corners[0]), Wide3::load(&b.corners[1]), Wide3::load(&b.corners[2])];
    let disc = a.disc.moved(&relative.to_b);
    let n = disc.normal;
    let middle = disc.offset + (n[0] * offset[0] + n[1] * offset[1] + n[2] * offset[2]);
    let near_planes = between(&q, n, middle, disc.half_thickness + 2.0 * slack);
    let mut lanes_b = near_planes.bits() & ((1 << b.count) - 1);
    if lanes_b == 0 {
        return false;
    }
    // Which boxes of triangles overlap. Sides and distances are those of the stored and moved
    // corners plus the errors: tiny triangles may be smaller than the rounding errors of their
    // corners.
    let spread = spread + 4.0 * relative.coarse;
    let longest = (a.longest * relative.to_b.unit).max(b.longest)
        + 64.0 * UNIT_ROUNDOFF_F32 * spread
        + 4.0 * relative.coarse;
    let bound = longest * spread * (128.0 * longest + 192.0 * spread) * UNIT_ROUNDOFF_F32
        + relative.coarse * longest * (4.0 * longest + 8.0 * spread);
    // Triangles that are larger than the other leaf are first compared with its box as triangles,
    // because their own boxes exclude little.
    if a.longest * relative.to_b.unit > b.reach {
        lanes &= near_box::<W>(a, &b.bounds(), &relative.to_b);
    }
    if b.longest > a.reach * relative.to_b.unit {
        lanes_b &= near_box::<W>(b, &a.bounds(), &relative.to_a);
    }
    if lanes == 0 || lanes_b == 0 {
        return false;
    }
    let slacks = Wide3::splat([slack; 3]);
    let (q_min, q_max) =
        (q[0].min(q[1]).min(q[2]).sub(slacks), q[0].max(q[1]).max(q[2]).add(slacks));
    let mut boxes = [Lanes3::splat(0.0); 2];
    min.store(&mut boxes[0]);
    max.store(&mut boxes[1]);
    let mut candidates = Lanes::NONE;
    while lanes != 0 {
        let i = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let meet = Wide3::<W>::splat(boxes[0].get(i))
            .all_le(q_max)
            .and(q_min.all_le(Wide3::splat(boxes[1].get(i))));
        candidates.add(i, meet.bits() & lanes_b);
    }
    if candidates.count == 0 {
        return false;
    }
    // Eight pairs at a time, one pair in each lane.
    let mut start = 0;
    while start < candidates.count {
        let (order_a, order_b) = candidates.get(start);
        let (picks, others) = (W::index(order_a), W::index(order_b));
        let one = [p[0].permuted(picks), p[1].permuted(picks), p[2].permuted(picks)];
        let other = [q[0].permuted(others), q[1].permuted(others), q[2].permuted(others)];
        let real = candidates.real::<W>(start).bits();
        let (must, may) = decide(&one, &other, bound, real);
        let mut open = must | may;
        while open != 0 {
            let k = open.trailing_zeros() as usize;
            open &= open - 1;
            if found(usize::from(order_a[k]), usize::from(order_b[k]), must >> k & 1 != 0) {
                return true;
            }
        }
        start += 8;
    }
    false
}

/// A mask of the triangles that may have a point between two planes, `reach` to either side of
/// `middle` along the normal.
#[inline(always)]
fn between<W: Wide>(corners: &[Wide3<W>; 3], normal: [f32; 3], middle: f32, reach: f32) -> W {
    let n = Wide3::splat(normal);
    let (x, y, z) = (corners[0].dot(n), corners[1].dot(n), corners[2].dot(n));
    let low = x.min(y).min(z).le(W::splat(middle + reach));
    low.and(W::splat(middle - reach).le(x.max(y).max(z)))
}

/// Upper bound of the underflow errors of products of tiny numbers.
const UNDERFLOW_ERROR: f32 = 1e-36;

/// The triangles of the leaf that may meet a box of the other tree, one bit each: tests their
/// boxes, their planes and their sides. Useful where the triangles are larger than the box.
/// `to_box` maps from the leaf's frame to that of the box.
#[inline(always)]
pub(super) fn near_box<W: Wide>(leaf: &Leaf, bounds: &LocalBox, to_box: &Map) -> u32 {
    let place = to_box.point(&leaf.origin);
    let c = &bounds.center;
    let offset = [place[0] - c[0], place[1] - c[1], place[2] - c[2]];
    let zero = Wide3::splat([0.0; 3]);
    // Rotated about the leaf's origin first: the errors of the sides are then proportional to the
    // leaf.
    let r = [
        Wide3::<W>::load(&leaf.corners[0]).mapped(&to_box.matrix, zero),
        Wide3::<W>::load(&leaf.corners[1]).mapped(&to_box.matrix, zero),
        Wide3::<W>::load(&leaf.corners[2]).mapped(&to_box.matrix, zero),
    ];
    let shift = Wide3::splat(offset);
    let (min, max) = (r[0].min(r[1]).min(r[2]).add(shift), r[0].max(r[1]).max(r[2]).add(shift));
    let m = 2.0 * to_box.margin;
    let half = Wide3::splat([bounds.half[0] + m, bounds.half[1] + m, bounds.half[2] + m]);
    let side = [r[1].sub(r[0]), r[2].sub(r[1]), r[0].sub(r[2])];
    let normal = side[0].cross(side[1]);
    let reach = leaf.reach * to_box.unit * 1.000_01;
    let spread = offset[0].abs() + offset[1].abs() + offset[2].abs() + reach + bounds.size();
    let error = W::splat(256.0 * UNIT_ROUNDOFF_F32 * reach * reach * spread + UNDERFLOW_ERROR);
    let height = normal.dot(r[0].add(shift)).abs();
    let mut near = min
        .all_le(half)
        .and(zero.sub(half).all_le(max))
        .and(height.le(normal.abs().dot_add(half, error)));
    // The box lies beyond a side if all of it is further along the outward direction in the plane
    // of the triangle.
    let error =
        W::splat(1024.0 * UNIT_ROUNDOFF_F32 * reach * reach * reach * spread + UNDERFLOW_ERROR);
    for k in 0..3 {
        let outward = side[k].cross(normal);
        let beyond = zero.sub(r[k].add(shift));
        near = near.and(outward.dot(beyond).le(outward.abs().dot_add(half, error)));
    }
    near.bits()
}

/// Of eight pairs of triangles: the `real` lanes that certainly cross, and those that may meet.
#[inline(always)]
pub(super) fn decide<W: Wide>(
    p: &[Wide3<W>; 3],
    q: &[Wide3<W>; 3],
    bound: f32,
    real: u32,
) -> (u32, u32) {
    #[inline(never)]
    fn called<W: Wide>(p: &[Wide3<W>; 3], q: &[Wide3<W>; 3], bound: f32, real: u32) -> (u32, u32) {
        decide_here(p, q, bound, real)
    }
    if W::CALL_LARGE_KERNELS { called(p, q, bound, real) } else { decide_here(p, q, bound, real) }
}

#[inline(always)]
fn decide_here<W: Wide>(p: &[Wide3<W>; 3], q: &[Wide3<W>; 3], bound: f32, real: u32) -> (u32, u32) {
    let (up, down) = (W::splat(bound), W::splat(-bound));
    // The corners of each against the plane of the other.
    let w = [q[1].sub(q[0]), q[2].sub(q[1]), q[0].sub(q[2])];
    let normal = w[0].cross(w[1]);
    let d = [normal.dot(p[0].sub(q[0])), normal.dot(p[1].sub(q[0])), normal.dot(p[2].sub(q[0]))];
    let both = d[0].min(d[1]).min(d[2]).le(up).and(down.le(d[0].max(d[1]).max(d[2])));
    if both.bits() & real == 0 {
        return (0, 0);
    }
    let e = [p[1].sub(p[0]), p[2].sub(p[1]), p[0].sub(p[2])];
    let normal = e[0].cross(e[1]);
    let c = [normal.dot(q[0].sub(p[0])), normal.dot(q[1].sub(p[0])), normal.dot(q[2].sub(p[0]))];
    let both = both.and(c[0].min(c[1]).min(c[2]).le(up)).and(down.le(c[0].max(c[1]).max(c[2])));
    let real = both.bits() & real;
    if real == 0 {
        return (0, 0);
    }
    // The orientation of each side of one triangle about each side of the other: nine determinants,
    // from the Plücker coordinates of the lines.
    let zero = W::splat(0.0);
    let mut side = [[zero; 3]; 3];
    let moment = [q[0].cross(w[0]), q[1].cross(w[1]), q[2].cross(w[2])];
    for i in 0..3 {
        let own = p[i].cross(e[i]);
        for j in 0..3 {
            side[i][j] = e[i].dot_add(moment[j], own.dot(w[j]));
        }
    }
    let none = zero.lt(zero);
    let mut pierced = Pierced { may: none, must: none };
    for i in 0..3 {
        pierced.add(side[i], d[i], d[(i + 1) % 3], up, down);
    }
    for j in 0..3 {
        pierced.add([side[0][j], side[1][j], side[2][j]], c[j], c[(j + 1) % 3], up, down);
    }
    let must = pierced.must.bits() & real;
    (must, pierced.may.bits() & real & !must)
}

/// The lanes in which a side may, or must, pierce the other triangle.
struct Pierced<W> {
    may: W,
    must: W,
}

impl<W: Wide> Pierced<W> {
    /// Adds a side with the orientations `s` about the other triangle's sides and the heights `x`
    /// and `y` of its ends above the other plane. It may pierce the triangle if all orientations
    /// may have the same sign and the ends may lie on different sides of the plane.
    #[inline(always)]
    fn add(&mut self, s: [W; 3], x: W, y: W, up: W, down: W) {
        let (lo, hi) = (s[0].min(s[1]).min(s[2]), s[0].max(s[1]).max(s[2]));
        let (low, high) = (x.min(y), x.max(y));
        self.may = self.may.or(down.le(lo).or(hi.le(up)).and(low.le(up)).and(down.le(high)));
        self.must = self.must.or(up.lt(lo).or(hi.lt(down)).and(low.lt(down)).and(up.lt(high)));
    }
}
