//! The check of two bodies of several parts: a sweep over the boxes of their parts.

use super::super::Geometry;
use super::super::geometry::BodyPart;
use super::super::placing::pose_slack;
use super::super::selection::MethodSelector;
use super::{CheckResult, Flags, PairCache, PartCache, check_parts};
use crate::answer::Bounds;
use crate::math::{Aabb, Pose, Vec3};
use crate::pair::Budget;

/// Checks the parts whose boxes overlap, found by a sweep along the first axis: first the parts
/// that met last, then in the order of the sweep.
pub(super) fn check_compounds(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    selector: &MethodSelector<'_>,
    cache: &mut PairCache,
    budget: &mut Budget<'_>,
) -> CheckResult {
    let size = a.max_coordinate() + b.max_coordinate() + pose.translation().abs().max_element();
    cache.boxes.clear();
    cache.boxes.extend(b.parts().iter().map(|part| part_box(part, pose, size)));
    if cache.order.len() != cache.boxes.len() {
        cache.order.clear();
        cache.order.extend(0..cache.boxes.len() as u32);
    }
    let boxes = &cache.boxes;
    let start = |n: &u32| boxes[*n as usize].min.x;
    cache.order.sort_unstable_by(|i, j| start(i).total_cmp(&start(j)).then(i.cmp(j)));
    cache.checks = cache.checks.wrapping_add(1);

    let mut sweep = Sweep {
        a,
        b,
        pose,
        selector,
        cache,
        budget,
        result: CheckResult::APART,
        checked: 0,
        not_by_hulls: 0,
    };
    let last = sweep
        .cache
        .last_meeting
        .filter(|[i, j]| (*i as usize) < a.parts().len() && (*j as usize) < b.parts().len());
    if last.is_some_and(|[i, j]| sweep.meets(i, j)) || sweep.run() {
        return sweep.result;
    }
    let Sweep { mut result, checked, not_by_hulls, .. } = sweep;
    if let CheckResult::Undecided(bounds) = &mut result {
        // The depth of two parts is no bound of the depth of the bodies.
        let bounds_b = cache.boxes.iter().fold(Aabb::EMPTY, |all, part| all.union(part));
        bounds.lower = Bounds::of_boxes(&a.bounds(), &bounds_b).lower;
    }
    cache.decided_by_hulls = checked > 0 && not_by_hulls == 0 && result == CheckResult::APART;
    // Drops the caches of parts that were not checked this time.
    if cache.parts.len() > 2 * checked + 8 {
        let current = cache.checks;
        cache.parts.retain(|part| part.last_check == current);
    }
    result
}

/// A search for two parts that meet.
struct Sweep<'a, 'b> {
    a: &'a Geometry,
    b: &'a Geometry,
    pose: &'a Pose,
    selector: &'a MethodSelector<'a>,
    cache: &'a mut PairCache,
    budget: &'a mut Budget<'b>,
    result: CheckResult,
    /// The numbers of pairs of parts that were checked, and of those that hulls did not decide.
    checked: usize,
    not_by_hulls: usize,
}

impl Sweep<'_, '_> {
    /// Whether any two parts meet. Of two boxes the one that starts first is compared with the
    /// boxes of the other body that start before it ends.
    fn run(&mut self) -> bool {
        let order_a = self.a.order();
        let (mut i, mut j) = (0, 0);
        while i < order_a.len() && j < self.cache.order.len() {
            let one = self.a.parts()[order_a[i] as usize].bounds();
            let other = self.cache.boxes[self.cache.order[j] as usize];
            if one.min.x <= other.min.x {
                for k in j..self.cache.order.len() {
                    let n = self.cache.order[k];
                    if self.cache.boxes[n as usize].min.x > one.max.x {
                        break;
                    }
                    if self.meets(order_a[i], n) {
                        return true;
                    }
                }
                i += 1;
            } else {
                for n in &order_a[i..] {
                    if self.a.parts()[*n as usize].bounds().min.x > other.max.x {
                        break;
                    }
                    if self.meets(*n, self.cache.order[j]) {
                        return true;
                    }
                }
                j += 1;
            }
        }
        false
    }

    /// Whether two parts certainly meet. Merges the result of their check into `result`.
    fn meets(&mut self, i: u32, j: u32) -> bool {
        let (one, other) = (&self.a.parts()[i as usize], &self.b.parts()[j as usize]);
        if !self.cache.boxes[j as usize].overlaps(&one.bounds()) {
            return false;
        }
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
        let result = check_parts(parts.0, parts.1, pose, selector, part_cache, flags, self.budget);
        self.checked += 1;
        self.not_by_hulls += usize::from(!decided_by_hulls);
        if let CheckResult::Meeting { certain: true, .. } = result {
            self.result = result;
            self.cache.last_meeting = Some(key);
            return true;
        }
        self.result = merged(self.result, result);
        false
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
