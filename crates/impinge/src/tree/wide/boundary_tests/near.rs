//! Tests the bounds of distances, from boxes down to triangles: they never exceed the distance in
//! integers.

use std::cmp::Ordering;

use crate::closest;
use crate::math::{Random, Vec3};
use crate::wide::Wide;
use crate::wide::dispatch::Task;

use super::super::frame::Frame;
use super::super::leaf::Leaf;
use super::super::near::NearQuery;
use super::super::near_batch::Batch;
use super::super::near_boxes::{Goal, MovedBox, MovedBoxes, NodeBoxes};
use super::super::near_leaf::{Close, close, nearest_centers};
use super::super::relative::{Relative, UNIT_ROUNDOFF_F32};
use super::{Case, PATCHES, Part, Side, by_all_backends, cases, oracle, with_margin};

/// The largest `f64` not above a local length in the mesh's unit.
fn length_down(x: f32, frame: &Frame) -> f64 {
    let y = f64::from(x) * frame.unit;
    if y * frame.scale > f64::from(x) { y.next_down() } else { y }
}

/// The smallest `f64` not below a local length in the mesh's unit.
fn length_up(x: f32, frame: &Frame) -> f64 {
    let y = f64::from(x) * frame.unit;
    if y * frame.scale < f64::from(x) { y.next_up() } else { y }
}

/// The distance of two triangles in integers.
struct Distance {
    frame: oracle::Frame,
    square: oracle::Fraction,
}

impl Distance {
    fn new(case: &Case, t: usize, u: usize) -> Self {
        let (frame, square) = case.square(t, u);
        Self { frame, square }
    }

    /// Compares a length with the distance; negative lengths are less.
    fn compare(&self, x: f64) -> Ordering {
        if x < 0.0 { Ordering::Less } else { self.frame.compare_square(x, &self.square) }
    }
}

/// A goal with the limit as close above the distance of two patches as `f32` allows, a few ulps
/// more or less, and with the direction between them or another one.
fn goal_for(case: &Case, k: usize, sides: (&Side, &Side, &Relative), random: &mut Random) -> Goal {
    let (a, b, relative) = sides;
    let query = NearQuery {
        a: &case.a,
        b: &case.b,
        tree_a: &a.tree,
        tree_b: &b.tree,
        pose: &case.pose,
        relative,
    };
    let found = closest::triangle_triangle(&case.here[2 * k], &case.there[2 * k]);
    let between = ((found.point_b - found.point_a) * a.tree.frame.scale).try_normalize();
    let toward = match random.index(4) {
        0 => random.direction(),
        1 => [Vec3::X, Vec3::Y, Vec3::Z][random.index(3)],
        _ => between.map_or(Vec3::ZERO, |v| a.tree.frame.local_direction(v)),
    };
    let mut goal = query.goal(found.upper, toward);
    let mut limit = (found.upper * b.tree.frame.scale) as f32;
    for _ in 0..random.index(4) {
        limit = limit.next_up();
    }
    goal.limit = if random.index(4) == 0 { limit.next_down().max(0.0) } else { limit };
    goal
}

/// Computes the bounds of the distances of patches, and the pairs within the limit: A's node
/// against the patches of B in A's unit, B's node against those of A in B's unit, and the same with
/// all patches of A at once.
#[derive(Clone, Copy)]
struct LowerBounds<'a> {
    a: &'a Side,
    b: &'a Side,
    relative: &'a Relative,
    goal: &'a Goal,
    limit: f32,
}

impl Task for LowerBounds<'_> {
    type Output = ([[[f32; PATCHES]; PATCHES]; 3], [[u32; PATCHES]; 3]);

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let Self { a, b, goal, limit, .. } = self;
        let Relative { to_a, to_b, .. } = self.relative;
        let (toward_b_in_a, toward_b_in_b) = (&goal.toward_a, &goal.toward_b);
        let (toward_a_in_a, toward_a_in_b) =
            (&toward_b_in_a.map(|x| -x), &toward_b_in_b.map(|x| -x));
        let (mut lower, mut left) = ([[[0.0; PATCHES]; PATCHES]; 3], [[0; PATCHES]; 3]);
        let boxes = NodeBoxes::<W>::new(&a.node, to_b, to_a, toward_b_in_a);
        for j in 0..PATCHES {
            let Part { bounds, disc, .. } = &b.parts[j];
            let one = MovedBox::new(bounds, disc, to_a, toward_a_in_b, toward_a_in_a);
            let (bounds_of_slots, near) = boxes.lower_bounds(&one, limit * to_a.unit);
            let bounds_of_slots = bounds_of_slots.array();
            for i in 0..PATCHES {
                lower[0][i][j] = bounds_of_slots[i];
                left[0][i] |= (near >> i & 1) << j;
            }
        }
        let boxes = NodeBoxes::<W>::new(&b.node, to_a, to_b, toward_a_in_b);
        let rows = MovedBoxes::new::<W>(&a.node, to_b, toward_b_in_a, toward_b_in_b);
        let real = boxes.rows_within(&rows.support, limit) & rows.real;
        for i in 0..PATCHES {
            let Part { bounds, disc, .. } = &a.parts[i];
            let one = MovedBox::new(bounds, disc, to_b, toward_b_in_a, toward_b_in_b);
            let (bounds_of_slots, near) = boxes.lower_bounds(&one, limit);
            (lower[1][i], left[1][i]) = (bounds_of_slots.array(), near);
            let (bounds_of_slots, near) = boxes.lower_bounds(&rows.get(i), limit);
            (lower[2][i], left[2][i]) = (bounds_of_slots.array(), near * (real >> i & 1));
        }
        (lower, left)
    }
}

#[test]
fn bounds_of_boxes_and_discs_never_exceed_the_distance() {
    // For each kernel: bounds above zero, those within 256 units of the distance, those that would
    // be too large without a margin, pairs within the limit, and pairs that are dismissed.
    let mut counts = [[0_u32; 5]; 3];
    cases(4, 30, true, |case, random| {
        let Some((a, b, relative)) = case.sides(random) else {
            return;
        };
        let goal = goal_for(case, random.index(PATCHES), (&a, &b, &relative), random);
        let wide = (2.0 * relative.span) as f32 * relative.to_b.unit;
        let near_enough = 256.0 * f64::from(UNIT_ROUNDOFF_F32) * relative.span * a.tree.frame.unit;
        let frames = [&a.tree.frame, &b.tree.frame, &b.tree.frame];
        let limit = length_down(goal.limit, &b.tree.frame);
        let known: Vec<_> = (0..PATCHES)
            .flat_map(|k| [(k, k), (k, (k + 1) % PATCHES)])
            .map(|(i, j)| {
                let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
                ((i, j), pairs.map(|(x, y)| Distance::new(case, 2 * i + x, 2 * j + y)))
            })
            .collect();
        for units in [128.0, 100.0, 0.0] {
            let relative = with_margin(&relative, units);
            let task = LowerBounds { a: &a, b: &b, relative: &relative, goal: &goal, limit: wide };
            let bounds = by_all_backends(task).map(|(lower, _)| lower);
            let left =
                by_all_backends(LowerBounds { limit: goal.limit, ..task }).map(|(_, left)| left);
            for ((i, j), distances) in &known {
                let compare = |x: f64| distances.iter().map(|d| d.compare(x)).max();
                let within = compare(limit) != Some(Ordering::Less);
                for (kernel, counts) in counts.iter_mut().enumerate() {
                    for (lower, left) in bounds.iter().zip(&left) {
                        let lower = length_down(lower[kernel][*i][*j], frames[kernel]);
                        let is_left = left[kernel][*i] >> j & 1 != 0;
                        // Patches without a slot are neither kept nor dismissed.
                        let slots = [(a.real, 255), (255, b.real), (a.real, b.real)][kernel];
                        if slots.0 >> i & slots.1 >> j & 1 == 0 {
                            assert!(!is_left, "{kernel} {i} {j}");
                            continue;
                        }
                        let too_large = compare(lower) == Some(Ordering::Greater);
                        if units == 0.0 {
                            counts[2] += u32::from(too_large);
                            continue;
                        }
                        assert!(!too_large, "{kernel} {units} {i} {j} {lower}: {:?}", case.pose);
                        assert!(is_left || !within, "{kernel} {units} {i} {j}: {:?}", case.pose);
                        let tight = compare(lower + near_enough) == Some(Ordering::Greater);
                        counts[0] += u32::from(lower > 0.0);
                        counts[1] += u32::from(lower > 0.0 && tight);
                        counts[3] += u32::from(within);
                        counts[4] += u32::from(!is_left);
                    }
                }
            }
        }
    });
    assert!(counts.as_flattened().iter().all(|n| *n > 0), "{counts:?}");
}

/// Computes the pairs of triangles of two leaves that may be within the limit, with bounds of their
/// distances, and an upper bound of the leaves' distance. All in B's unit.
#[derive(Clone, Copy)]
struct Near<'a> {
    a: &'a Leaf,
    b: &'a Leaf,
    relative: &'a Relative,
    goal: &'a Goal,
    /// Share of the slack that measured pairs get.
    share: f32,
}

struct Measured {
    pair: (usize, usize),
    lower: f32,
    upper: f32,
}

impl Task for Near<'_> {
    type Output = (Vec<Measured>, f32);

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let Self { a, b, relative, goal, share } = self;
        let mut found = Close::NONE;
        close::<W>(a, b, relative, goal, &mut found);
        found.slack *= share;
        let mut measured = Vec::new();
        let mut batch = Batch::EMPTY;
        for some in found.pairs[..found.count].chunks(8) {
            for pair in some {
                batch.add(a, b, &found, *pair);
            }
            batch.count = 0;
            let bounds = batch.measure::<W>();
            for (k, (i, j)) in some.iter().enumerate() {
                let (pair, lower) = ((usize::from(*i), usize::from(*j)), bounds.lower[k]);
                measured.push(Measured { pair, lower, upper: bounds.upper[k] });
            }
        }
        (measured, nearest_centers::<W>(a, b, relative).0)
    }
}

#[test]
fn bounds_of_triangles_contain_their_distance() {
    // Pairs within the limit, dismissed pairs, measured pairs, those of them with bounds above
    // zero, and bounds that would be wrong below and above without slack.
    let mut counts = [0_u32; 6];
    cases(5, 40, true, |case, random| {
        let Some((a, b, relative)) = case.sides(random) else {
            return;
        };
        let frame = &b.tree.frame;
        for k in 0..PATCHES {
            let goal = goal_for(case, k, (&a, &b, &relative), random);
            let limit = length_down(goal.limit, frame);
            // For the patch: all pairs of triangles. For the first triangles: this patch and the
            // next.
            let next = (k + 1) % PATCHES;
            let patch = [(0, 0), (0, 1), (1, 0), (1, 1)]
                .map(|(x, y)| ((x, y), Distance::new(case, 2 * k + x, 2 * k + y)));
            let first =
                [(k, k), (k, next)].map(|(i, j)| ((i, j), Distance::new(case, 2 * i, 2 * j)));
            let leaves =
                [(&a.parts[k].leaf, &b.parts[k].leaf, &patch[..]), (&a.leaf, &b.leaf, &first[..])];
            for (one, other, known) in leaves {
                // Derived: 40 of 64 units below and 42 above.
                for share in [1.0, 44.0 / 64.0, 0.0] {
                    let task = Near { a: one, b: other, relative: &relative, goal: &goal, share };
                    for (measured, centers) in by_all_backends(task) {
                        for (pair, distance) in known {
                            let found = measured.iter().find(|m| m.pair == *pair);
                            let within = distance.compare(limit) != Ordering::Less;
                            assert!(found.is_some() || !within, "{pair:?} {:?}", case.pose);
                            counts[0] += u32::from(within);
                            counts[1] += u32::from(found.is_none());
                            let Some(found) = found else { continue };
                            let (low, high) =
                                (length_down(found.lower, frame), length_up(found.upper, frame));
                            let above = distance.compare(low) == Ordering::Greater;
                            let below = distance.compare(high) == Ordering::Less;
                            if share == 0.0 {
                                counts[4] += u32::from(above);
                                counts[5] += u32::from(below);
                                continue;
                            }
                            assert!(
                                !above && !below,
                                "{share} {pair:?} {low} {high}: {:?}",
                                case.pose
                            );
                            counts[2] += 1;
                            counts[3] += u32::from(low > 0.0);
                        }
                        if one.count == 2 {
                            let high = length_up(centers, frame);
                            let holds =
                                known.iter().any(|(_, d)| d.compare(high) != Ordering::Less);
                            assert!(holds, "{high}: {:?}", case.pose);
                        }
                    }
                }
            }
        }
    });
    assert!(counts.iter().all(|n| *n > 0), "{counts:?}");
}

/// Computes the gaps along the normals of pairs of triangles, in `f64`.
#[derive(Clone, Copy)]
struct FaceGaps<'a>(&'a closest::PairGroup);

impl Task for FaceGaps<'_> {
    type Output = [f64; closest::PAIRS_PER_GROUP];

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let mut gaps = [0.0; closest::PAIRS_PER_GROUP];
        self.0.face_gaps(&mut gaps);
        gaps
    }
}

#[test]
fn gaps_of_candidates_never_exceed_the_distance() {
    // Pairs that meet, pairs that are apart, gaps above zero, and gaps within 2^-40 of the
    // distance.
    let mut counts = [0_u32; 4];
    cases(6, 60, true, |case, _| {
        let mut group = closest::PairGroup::EMPTY;
        for k in 0..2 * PATCHES {
            group.set(k, &case.here[k], &case.there[k]);
        }
        for gaps in by_all_backends(FaceGaps(&group)) {
            for k in 0..2 * PATCHES {
                let distance = Distance::new(case, k, k);
                let gap = gaps[k];
                let found = closest::disjoint(&case.here[k], &case.there[k]);
                assert!(distance.compare(gap) != Ordering::Greater, "{gap}: {:?}", case.pose);
                if !distance.square.is_zero() {
                    let (lower, upper) = (found.lower, found.upper);
                    assert!(distance.compare(lower) != Ordering::Greater, "{lower}");
                    assert!(distance.compare(upper) != Ordering::Less, "{upper}");
                }
                let tight = distance.compare(gap * (1.0 + 1.0 / (1_u64 << 40) as f64));
                counts[0] += u32::from(distance.square.is_zero());
                counts[1] += u32::from(!distance.square.is_zero());
                counts[2] += u32::from(gap > 0.0);
                counts[3] += u32::from(gap > 0.0 && tight == Ordering::Greater);
            }
        }
    });
    assert!(counts.iter().all(|n| *n > 0), "{counts:?}");
}
