//! Compares up to eight triangles with up to eight others, in `f32`: finds all pairs that may be
//! within the limit.
//!
//! A pair is dismissed if there is a gap wider than the limit along some direction: the direction
//! towards B where the meshes are closest, the axes of B's leaf, the normal of either triangle.
//! Every direction not longer than one gives a valid bound; `docs/notes/distance.md` derives the
//! slack.

use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::MIN_SQUARED_LENGTH;
use super::leaf::Leaf;
use super::near_boxes::Goal;
use super::relative::{Placement, Relative, UNIT_ROUNDOFF_F32};

/// Upper bound of the error of a gap, as a share of the spread.
const SLACK: f32 = 64.0 * UNIT_ROUNDOFF_F32;

/// Length of unit normals, so that none is longer than one after rounding.
const NORMAL_LENGTH: f32 = 1.0 - 16.0 * UNIT_ROUNDOFF_F32;

/// The pairs of two leaves' triangles that may be within the limit.
#[derive(Debug)]
pub(super) struct Close {
    /// A lane of A and one of B; the first `count` are real.
    pub(super) pairs: [(u8, u8); 64],
    pub(super) count: usize,
    /// The corners of A's triangles in the frame of B's leaf.
    pub(super) corners: [Lanes3; 3],
    /// Upper bound of the error of a gap computed from these corners.
    pub(super) slack: f32,
}

impl Close {
    pub(super) const NONE: Self =
        Self { pairs: [(0, 0); 64], count: 0, corners: [Lanes3::splat(0.0); 3], slack: 0.0 };
}

/// Finds the pairs of two leaves' triangles that may be within the limit.
#[inline(always)]
pub(super) fn close<W: Wide>(
    a: &Leaf,
    b: &Leaf,
    relative: &Relative,
    goal: &Goal,
    found: &mut Close,
) {
    W::run_out_of_line(FindClose { a, b, relative, goal, found });
}

/// [`close`], compiled once for each backend.
struct FindClose<'a> {
    a: &'a Leaf,
    b: &'a Leaf,
    relative: &'a Relative,
    goal: &'a Goal,
    found: &'a mut Close,
}

impl dispatch::Task for FindClose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { a, b, relative, goal, found } = self;
        close_here::<W>(a, b, relative, goal, found);
    }
}

#[inline(always)]
fn close_here<W: Wide>(a: &Leaf, b: &Leaf, relative: &Relative, goal: &Goal, found: &mut Close) {
    found.count = 0;
    let Placement { offset, spread } = relative.placement(a, b);
    let slack = spread * SLACK + 4.0 * relative.coarse;
    let limit = goal.limit + slack;
    let limits = W::splat(limit);

    // Along the direction towards B, no corner needs to be transformed.
    let (n, m) = (Wide3::<W>::splat(goal.toward_a), Wide3::<W>::splat(goal.toward_b));
    let stored = [
        Wide3::<W>::load(&a.corners[0]),
        Wide3::<W>::load(&a.corners[1]),
        Wide3::<W>::load(&a.corners[2]),
    ];
    let q = [
        Wide3::<W>::load(&b.corners[0]),
        Wide3::<W>::load(&b.corners[1]),
        Wide3::<W>::load(&b.corners[2]),
    ];
    let support_a = n.dot(stored[0]).max(n.dot(stored[1])).max(n.dot(stored[2]));
    let lowest_b = m.dot(q[0]).min(m.dot(q[1])).min(m.dot(q[2]));
    let t = &goal.toward_b;
    let shift = t[0] * offset[0] + t[1] * offset[1] + t[2] * offset[2];
    let support_a = support_a.mul_add(W::splat(relative.to_b.unit), W::splat(shift));
    let nearest = W::splat(least(&lowest_b.array()));
    let mut lanes = nearest.sub(support_a).le(limits).bits() & ((1 << a.count) - 1);
    if lanes == 0 {
        return;
    }

    // Against the box of B's leaf.
    let shift = Wide3::<W>::splat(offset);
    let p = [
        stored[0].mapped(&relative.to_b.matrix, shift),
        stored[1].mapped(&relative.to_b.matrix, shift),
        stored[2].mapped(&relative.to_b.matrix, shift),
    ];
    let zero = Wide3::<W>::splat([0.0; 3]);
    let half = Wide3::<W>::splat(b.half);
    let (min, max) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
    let gap = min.sub(half).max(zero.sub(half).sub(max)).max(zero);
    lanes &= gap.dot(gap).sqrt().le(limits).bits();
    if lanes == 0 {
        return;
    }

    let real = (1_u32 << b.count) - 1;
    let (q_min, q_max) = (q[0].min(q[1]).min(q[2]), q[0].max(q[1]).max(q[2]));
    // The normals of B's eight triangles, and the intervals of the triangles along their own
    // normals.
    let normal = unit_normal(q);
    let level = normal.dot(q[0]);
    let (level_one, level_two) = (normal.dot(q[1]), normal.dot(q[2]));
    let (level_min, level_max) =
        (level.min(level_one).min(level_two), level.max(level_one).max(level_two));
    let own_normals = unit_normal(p).lanes();
    let support_a = support_a.array();
    let (min, max) = (min.lanes(), max.lanes());
    let corners = [p[0].lanes(), p[1].lanes(), p[2].lanes()];
    while lanes != 0 {
        let i = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let along_direction = lowest_b.sub(W::splat(support_a[i]));
        let (low, high) = (Wide3::<W>::splat(min.get(i)), Wide3::<W>::splat(max.get(i)));
        let gap = low.sub(q_max).max(q_min.sub(high)).max(zero);
        let mut lower = along_direction.max(gap.dot(gap).sqrt());
        let near = lower.le(limits).bits() & real;
        if near == 0 {
            continue;
        }
        // Along the normals of B's eight triangles.
        let one = [
            Wide3::<W>::splat(corners[0].get(i)),
            Wide3::<W>::splat(corners[1].get(i)),
            Wide3::<W>::splat(corners[2].get(i)),
        ];
        let (x, y, z) = (normal.dot(one[0]), normal.dot(one[1]), normal.dot(one[2]));
        lower = lower.max(x.min(y).min(z).sub(level_max)).max(level_min.sub(x.max(y).max(z)));
        // Along the normal of A's triangle.
        let own_normal = Wide3::<W>::splat(own_normals.get(i));
        let (x, y, z) = (own_normal.dot(one[0]), own_normal.dot(one[1]), own_normal.dot(one[2]));
        let (own_min, own_max) = (x.min(y).min(z), x.max(y).max(z));
        let (x, y, z) = (own_normal.dot(q[0]), own_normal.dot(q[1]), own_normal.dot(q[2]));
        lower = lower.max(x.min(y).min(z).sub(own_max)).max(own_min.sub(x.max(y).max(z)));
        let mut near = lower.le(limits).bits() & near;
        while near != 0 {
            let j = near.trailing_zeros();
            near &= near - 1;
            found.pairs[found.count & 63] = (i as u8, j as u8);
            found.count += 1;
        }
    }
    found.corners = corners;
    found.slack = slack;
}

/// The nearest centroids of triangles of two leaves: an upper bound of their distance in B's local
/// unit, and the vector from A's to B's.
#[inline(always)]
pub(super) fn nearest_centers<W: Wide>(a: &Leaf, b: &Leaf, relative: &Relative) -> (f32, [f32; 3]) {
    W::run_out_of_line(NearestCenters { a, b, relative })
}

/// [`nearest_centers`], compiled once for each backend.
struct NearestCenters<'a> {
    a: &'a Leaf,
    b: &'a Leaf,
    relative: &'a Relative,
}

impl dispatch::Task for NearestCenters<'_> {
    type Output = (f32, [f32; 3]);

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        nearest_centers_here::<W>(self.a, self.b, self.relative)
    }
}

#[inline(always)]
fn nearest_centers_here<W: Wide>(a: &Leaf, b: &Leaf, relative: &Relative) -> (f32, [f32; 3]) {
    let Placement { offset, spread } = relative.placement(a, b);
    let slack = spread * SLACK + 4.0 * relative.coarse;
    let p = center::<W>(a).mapped(&relative.to_b.matrix, Wide3::splat(offset)).lanes();
    let q = center::<W>(b);
    let (mut squares, mut rows) = (W::splat(f32::INFINITY), W::splat(0.0));
    for i in 0..a.count as usize {
        let delta = q.sub(Wide3::splat(p.get(i)));
        let square = delta.dot(delta);
        let better = square.lt(squares);
        squares = better.select(square, squares);
        rows = better.select(W::splat(i as f32), rows);
    }
    let (squares, rows) = (squares.array(), rows.array());
    let mut j = 0;
    for k in 1..8 {
        if squares[k] < squares[j] {
            j = k;
        }
    }
    let (best, at) = (squares[j], (rows[j] as usize & 7, j));
    let (p, q) = (p.get(at.0), q.lanes().get(at.1));
    // Squares that underflow belong to lengths far below the slack.
    (best.sqrt() * (1.0 + 8.0 * UNIT_ROUNDOFF_F32) + slack, [q[0] - p[0], q[1] - p[1], q[2] - p[2]])
}

#[inline(always)]
fn center<W: Wide>(leaf: &Leaf) -> Wide3<W> {
    let sum = Wide3::<W>::load(&leaf.corners[0])
        .add(Wide3::load(&leaf.corners[1]))
        .add(Wide3::load(&leaf.corners[2]));
    let third = W::splat(1.0 / 3.0);
    Wide3 { x: sum.x.mul(third), y: sum.y.mul(third), z: sum.z.mul(third) }
}

/// The normals of eight triangles, not longer than one; zero for triangles that are too small to
/// have one.
#[inline(always)]
fn unit_normal<W: Wide>(p: [Wide3<W>; 3]) -> Wide3<W> {
    let n = p[1].sub(p[0]).cross(p[2].sub(p[0]));
    let square = n.dot(n);
    let usable = W::splat(MIN_SQUARED_LENGTH).le(square);
    let factor = W::splat(NORMAL_LENGTH).div(square.sqrt()).and(usable);
    Wide3 { x: n.x.mul(factor), y: n.y.mul(factor), z: n.z.mul(factor) }
}

#[inline(always)]
fn least(v: &[f32; 8]) -> f32 {
    let pick = |x: f32, y: f32| if x < y { x } else { y };
    let (p, q) =
        (pick(pick(v[0], v[4]), pick(v[1], v[5])), pick(pick(v[2], v[6]), pick(v[3], v[7])));
    pick(p, q)
}
