//! The check of two bodies of several parts: a sweep over the boxes of their parts.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::super::Geometry;
use super::super::geometry::BodyPart;
use super::super::placing::pose_slack;
use super::super::selection::MethodSelector;
use super::{CheckResult, Flags, PairCache, PartCache, Work, check_parts};
use crate::answer::Bounds;
use crate::math::{Aabb, Pose, Vec3};

/// Units of work: boxes of parts that are computed for one, parts that are sorted for one, and
/// boxes of two parts that are compared for one. The check of two parts has its own units, in
/// addition to one.
const BOXES_PER_UNIT: usize = 4;
const SORTED_PER_UNIT: usize = 4;
const COMPARISONS_PER_UNIT: u32 = 16;

/// Checks the parts whose boxes overlap, found by a sweep along the first axis: first the parts
/// that met last, then in the order of the sweep. A check that is stopped by its budget is
/// continued by the next one, if the two bodies have not moved relative to each other.
pub(super) fn check_compounds(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    selector: &MethodSelector<'_>,
    cache: &mut PairCache,
    work: &mut Work<'_, '_>,
) -> CheckResult {
    let mut progress = cache.sweep.take().unwrap_or_default();
    if progress.pose != Some(*pose) || work.budget.is_unlimited() {
        progress.start(pose);
        cache.boxes.clear();
        if !work.budget.is_unlimited() {
            cache.order.clear();
        }
        cache.checks = cache.checks.wrapping_add(1);
        let last = cache.last_meeting;
        progress.candidate = last
            .filter(|[i, j]| (*i as usize) < a.parts().len() && (*j as usize) < b.parts().len());
    }
    let mut sweep = Sweep { a, b, pose, selector, cache, work, progress: &mut progress };
    let is_stopped = !sweep.compute_boxes() || !sweep.sort() || sweep.run() == Found::Stopped;
    let SweepProgress { mut result, checked, not_by_hulls, .. } = *progress;
    if is_stopped {
        result = CheckResult::Undecided(Bounds::UNKNOWN);
    } else {
        progress.pose = None;
    }
    cache.sweep = Some(progress);
    if let CheckResult::Undecided(bounds) = &mut result {
        let size = a.max_coordinate() + b.max_coordinate() + pose.translation().abs().max_element();
        let moved = b.bounds().transformed(pose);
        let boxes = Bounds::of_boxes(&a.bounds(), &moved.grown(pose_slack(&moved, size)));
        // The depth of two parts is no bound of the depth of the bodies.
        bounds.lower = boxes.lower;
        if is_stopped {
            *bounds = boxes;
        }
    }
    if is_stopped {
        return result;
    }
    cache.decided_by_hulls = checked > 0 && not_by_hulls == 0 && result == CheckResult::APART;
    // Drops the caches of parts that were not checked this time.
    if cache.parts.len() > 2 * checked + 8 {
        let current = cache.checks;
        cache.parts.retain(|part| part.last_check == current);
    }
    result
}

/// A check that was stopped, or the memory of one.
#[derive(Debug)]
pub(super) struct SweepProgress {
    /// The pose that it belongs to; `None` after its end. It is dropped with the geometries.
    pose: Option<Pose>,
    /// B's parts that are not sorted yet, by the start of their boxes.
    unsorted: BinaryHeap<Reverse<Start>>,
    cursor: Cursor,
    /// Comparisons of two boxes since the last unit of work.
    comparisons: u32,
    /// Two parts that are checked next.
    candidate: Option<[u32; 2]>,
    result: CheckResult,
    /// The numbers of pairs of parts that were checked, and of those that hulls did not decide.
    checked: usize,
    not_by_hulls: usize,
}

impl Default for SweepProgress {
    fn default() -> Self {
        Self {
            pose: None,
            unsorted: BinaryHeap::new(),
            cursor: Cursor::default(),
            comparisons: 0,
            candidate: None,
            result: CheckResult::APART,
            checked: 0,
            not_by_hulls: 0,
        }
    }
}

impl SweepProgress {
    /// Forgets a check that was stopped, and keeps the memory.
    pub(super) fn forget(&mut self) {
        self.pose = None;
    }

    /// Starts a check, and keeps the memory.
    fn start(&mut self, pose: &Pose) {
        let mut unsorted = std::mem::take(&mut self.unsorted);
        unsorted.clear();
        *self = Self { pose: Some(*pose), unsorted, ..Self::default() };
    }
}

/// A part and the start of its box along the first axis.
#[derive(Clone, Copy, Debug)]
struct Start(f64, u32);

impl Ord for Start {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Start {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Start {}

/// The position of a sweep: of two boxes the one that starts first is compared with the boxes of
/// the other body that start before it ends.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The next boxes of A and of B.
    i: usize,
    j: usize,
    /// The number of boxes with which the one that starts first was compared.
    compared: usize,
}

impl Cursor {
    /// The next two parts whose boxes overlap along the first axis; `order` are B's parts by the
    /// start of their `boxes`.
    fn next(&mut self, a: &Geometry, boxes: &[Aabb], order: &[u32]) -> Option<[u32; 2]> {
        let order_a = a.order();
        while let (Some(p), Some(q)) = (order_a.get(self.i), order.get(self.j)) {
            let (one, other) = (a.parts()[*p as usize].bounds(), boxes[*q as usize]);
            if one.min.x <= other.min.x {
                let next = order.get(self.j + self.compared);
                if let Some(n) = next.filter(|n| boxes[**n as usize].min.x <= one.max.x) {
                    self.compared += 1;
                    return Some([*p, *n]);
                }
                self.i += 1;
            } else {
                let next = order_a.get(self.i + self.compared);
                let start = |n: &u32| a.parts()[*n as usize].bounds().min.x;
                if let Some(n) = next.filter(|n| start(n) <= other.max.x) {
                    self.compared += 1;
                    return Some([*n, *q]);
                }
                self.j += 1;
            }
            self.compared = 0;
        }
        None
    }
}

/// How a search for two parts that meet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// They are found, or there are none.
    All,
    /// The budget is spent.
    Stopped,
}

/// A search for two parts that meet.
struct Sweep<'a, 'c, 'b> {
    a: &'a Geometry,
    b: &'a Geometry,
    pose: &'a Pose,
    selector: &'a MethodSelector<'a>,
    cache: &'a mut PairCache,
    work: &'a mut Work<'c, 'b>,
    progress: &'a mut SweepProgress,
}

impl Sweep<'_, '_, '_> {
    /// Computes the boxes of B's parts. Returns false if the budget is spent.
    fn compute_boxes(&mut self) -> bool {
        let Self { a, b, pose, cache, .. } = self;
        let parts = b.parts();
        if cache.boxes.len() == parts.len() {
            return true;
        }
        let size = a.max_coordinate() + b.max_coordinate() + pose.translation().abs().max_element();
        let is_unlimited = self.work.budget.is_unlimited();
        if is_unlimited {
            cache.boxes.extend(parts.iter().map(|part| part_box(part, pose, size)));
            return true;
        }
        for some in parts[cache.boxes.len()..].chunks(BOXES_PER_UNIT) {
            if !self.work.budget.step() {
                return false;
            }
            for part in some {
                let bounds = part_box(part, pose, size);
                let start = Start(bounds.min.x, cache.boxes.len() as u32);
                cache.boxes.push(bounds);
                self.progress.unsorted.push(Reverse(start));
            }
        }
        true
    }

    /// Sorts B's parts by the start of their boxes. Returns false if the budget is spent.
    fn sort(&mut self) -> bool {
        let Self { cache, work, progress, .. } = self;
        let PairCache { boxes, order, .. } = &mut **cache;
        if work.budget.is_unlimited() {
            // They are nearly in the order of the last check.
            if order.len() != boxes.len() {
                order.clear();
                order.extend(0..boxes.len() as u32);
            }
            let start = |n: &u32| boxes[*n as usize].min.x;
            order.sort_unstable_by(|i, j| start(i).total_cmp(&start(j)).then(i.cmp(j)));
            return true;
        }
        while !progress.unsorted.is_empty() {
            if !work.budget.step() {
                return false;
            }
            let some = std::iter::from_fn(|| progress.unsorted.pop()).take(SORTED_PER_UNIT);
            order.extend(some.map(|Reverse(Start(_, part))| part));
        }
        true
    }

    /// Checks parts until two meet.
    fn run(&mut self) -> Found {
        let is_unlimited = self.work.budget.is_unlimited();
        loop {
            let next = self.progress.candidate.or_else(|| {
                self.progress.comparisons += 1;
                self.progress.cursor.next(self.a, &self.cache.boxes, &self.cache.order)
            });
            let Some([i, j]) = next else { return Found::All };
            self.progress.candidate = next;
            let boxes_overlap =
                self.cache.boxes[j as usize].overlaps(&self.a.parts()[i as usize].bounds());
            let is_due = boxes_overlap || self.progress.comparisons >= COMPARISONS_PER_UNIT;
            if !is_unlimited && is_due {
                if !self.work.budget.step() {
                    return Found::Stopped;
                }
                self.progress.comparisons = 0;
            }
            if boxes_overlap {
                let result = self.check(i, j);
                match result {
                    CheckResult::Meeting { certain: true, .. } => {
                        self.progress.result = result;
                        self.cache.last_meeting = Some([i, j]);
                        return Found::All;
                    }
                    // The next check continues here.
                    CheckResult::Undecided(_) if self.work.budget.is_over() => {
                        return Found::Stopped;
                    }
                    _ => self.progress.result = merged(self.progress.result, result),
                }
            }
            self.progress.candidate = None;
        }
    }

    /// Checks two parts.
    fn check(&mut self, i: u32, j: u32) -> CheckResult {
        let (one, other) = (&self.a.parts()[i as usize], &self.b.parts()[j as usize]);
        let PairCache { parts, checks, used_selected, .. } = &mut *self.cache;
        let key = [i, j];
        let index = parts.binary_search_by_key(&key, |part| part.parts).unwrap_or_else(|at| {
            parts.insert(at, PartCache { parts: key, ..PartCache::default() });
            at
        });
        let part_cache = &mut parts[index];
        part_cache.last_check = *checks;
        let mut decided_by_hulls = false;
        let flags = &mut Flags { decided_by_hulls: &mut decided_by_hulls, used_selected };
        let (pose, selector) = (self.pose, self.selector);
        let parts = ((one, i), (other, j));
        let result = check_parts(parts.0, parts.1, pose, selector, part_cache, flags, self.work);
        self.progress.checked += 1;
        self.progress.not_by_hulls += usize::from(!decided_by_hulls);
        result
    }
}

/// The result for two bodies from the results for two pairs of parts, none of which certainly meet.
/// An uncertain meeting has priority over an undecided result, and this over uncertainly apart.
fn merged(first: CheckResult, second: CheckResult) -> CheckResult {
    match (first, second) {
        (_, CheckResult::Meeting { .. }) => second,
        (CheckResult::Meeting { .. }, _) => first,
        (CheckResult::Undecided(a), CheckResult::Undecided(b)) => {
            CheckResult::Undecided(a.joined(b))
        }
        (CheckResult::Undecided(_), CheckResult::Apart { .. })
        | (CheckResult::Apart { certain: false }, CheckResult::Apart { .. }) => first,
        (CheckResult::Apart { .. }, CheckResult::Undecided(_))
        | (CheckResult::Apart { certain: true }, CheckResult::Apart { .. }) => second,
    }
}

/// A box around a part of B in A's frame, enlarged by the rounding errors of coordinates up to
/// `max_coordinate`.
fn part_box(part: &BodyPart, pose: &Pose, max_coordinate: f64) -> Aabb {
    let bounds = part.bounds();
    if part.shape().kind().is_unbounded() {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    let moved = bounds.transformed(pose);
    if moved.is_empty() {
        return moved;
    }
    moved.grown(pose_slack(&moved, max_coordinate))
}
