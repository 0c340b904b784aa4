//! The check of two parts within a budget: it stops in small pieces and is continued by the next
//! check, if the two have not moved relative to each other.
//!
//! Pairs without a mesh have a first piece that almost always decides, starts from the end of the
//! last check, and keeps no state. What it leaves open, and pairs with a mesh, have a state, which
//! is kept until they are decided and then used for another pair.

use super::super::geometry::BodyPart;
use super::{CheckResult, MeetingLocation, PartCache};
use crate::answer::Verdict;
use crate::budget::Budget;
use crate::math::{Pose, Vec3};
use crate::shape::{QuickVerdict, ShapeSearch};

/// The largest number of states that are kept for pairs to come. A state stays with its pair as
/// long as a check is stopped, and only the last check of an update is stopped by its budget.
const MAX_SPARE_SEARCHES: usize = 16;

/// States of checks that have ended, to be used again.
#[derive(Debug, Default)]
pub(in super::super) struct SpareSearches(Vec<ShapeSearch>);

impl SpareSearches {
    pub(super) fn take(&mut self) -> ShapeSearch {
        self.0.pop().unwrap_or_default()
    }

    pub(super) fn keep(&mut self, mut search: ShapeSearch) {
        if search.has_memory() && self.0.len() < MAX_SPARE_SEARCHES {
            search.reset();
            self.0.push(search);
        }
    }
}

/// What a check may spend, and what it has to find out.
#[derive(Debug)]
pub(in super::super) struct Work<'c, 'b> {
    pub(in super::super) budget: &'c mut Budget<'b>,
    pub(in super::super) spare: &'c mut SpareSearches,
    /// Whether the location is necessary if the two meet. It must not depend on earlier checks.
    pub(in super::super) wants_location: bool,
}

/// Checks two parts, B's at `pose` in the frame of A's, within a budget that has a limit.
pub(super) fn check_parts_within(
    (a, i): (&BodyPart, u32),
    (b, j): (&BodyPart, u32),
    pose: &Pose,
    cache: &mut PartCache,
    work: &mut Work<'_, '_>,
) -> CheckResult {
    let location = |triangles, point: Option<Vec3>| MeetingLocation {
        parts: [i, j],
        triangles,
        point: point.map(|p| a.pose().transform_point(p)),
    };
    let mut search = std::mem::take(&mut cache.search);
    if !search.has_memory() {
        search = work.spare.take();
    }
    let (one, other) = (a.shape(), b.shape());
    let quick = search.run_quick(one, other, pose, &mut cache.shapes, work.budget);
    // The first piece starts from the last check, on which its point depends.
    let is_cold = search.has_state_of(one, other, pose);
    let result = match quick {
        Err(bounds) => CheckResult::Undecided(bounds),
        Ok(QuickVerdict::Apart { .. }) => CheckResult::APART,
        Ok(QuickVerdict::Meeting { .. }) if work.wants_location && !is_cold => {
            match search.run(one, other, pose, work.budget) {
                Verdict::Undecided(bounds) if !search.is_finished() => {
                    CheckResult::Undecided(bounds)
                }
                Verdict::Intersecting(hit) => {
                    let triangles = [hit.triangle_a, hit.triangle_b];
                    CheckResult::meeting(location(triangles, Some(hit.point)))
                }
                Verdict::Separated(_) | Verdict::Undecided(_) => {
                    debug_assert!(false, "both decide the same question exactly");
                    CheckResult::meeting(location([None, None], None))
                }
            }
        }
        Ok(QuickVerdict::Meeting { point, triangles, .. }) => {
            CheckResult::meeting(location(triangles, point))
        }
        // Curved shapes that touch.
        Ok(QuickVerdict::Undecided) => {
            CheckResult::Meeting { location: location([None, None], None), certain: false }
        }
    };
    match result {
        CheckResult::Undecided(_) => cache.search = search,
        CheckResult::Apart { .. } | CheckResult::Meeting { .. } => work.spare.keep(search),
    }
    result
}
