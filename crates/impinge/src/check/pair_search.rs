//! The check of one pair of parts within a budget.

use crate::answer::{Bounds, Distance, Verdict};
use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::closest;
use crate::exact::HitKind;
use crate::math::{Pose, Vec3, length_down};
use crate::mesh::Mesh;
use crate::pair::{AllSearch, DistanceSearch, FirstSearch, PairsWithin};
use crate::solid::Sorting;

use super::known::{CheckStage, CheckWithin, PairKnown, Relations};
use super::pair::{near_search_slack, report_of_clear};
use super::report_search::{Parts, ReportSearch};
use super::{CheckOptions, PairReport, Relation, check_pair};

/// Pairs of triangles that are copied at once, and the units of that.
const COPIED_AT_ONCE: usize = 512;
const UNITS_OF_COPY: u64 = 2;

/// Units of a measurement of two triangles in `f64`.
const UNITS_OF_MEASUREMENT: u64 = 2;

/// The state of a check of one pair of parts. Keep one for each pair whose check may be continued.
#[derive(Debug, Default)]
pub struct PairSearch {
    key: Option<Key>,
    stage: Stage,
    first: FirstSearch,
    all: AllSearch,
    /// The pairs of triangles that meet, sorted.
    pairs: Vec<(u32, u32)>,
    sorting: Sorting<(u32, u32)>,
    report_search: ReportSearch,
    near: DistanceSearch,
    payment: Paid,
    known: Option<PairKnown>,
    /// The report before the distance is known, and the final one.
    unmeasured: Option<PairReport>,
    report: Option<PairReport>,
}

/// What a query is recognised by: the stamps of both trees, the pose and what is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    stamps: (u64, u64),
    pose: Pose,
    options: CheckOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
enum Stage {
    /// One pair of triangles that meet, where it may decide.
    #[default]
    First,
    /// Whether parts of which two triangles touch or coincide are the same.
    Same,
    All,
    Copy,
    Sort,
    Report,
    Distance,
}

impl PairSearch {
    /// A state that belongs to no check yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the check, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.key = None;
    }

    /// Continues the check of this pair, or starts it. See [`check_pair_within`].
    pub fn run(
        &mut self,
        a: &Mesh,
        b: &Mesh,
        pose: &Pose,
        options: &CheckOptions,
        budget: &mut Budget<'_>,
    ) -> CheckWithin<'_> {
        let parts = (a, b, pose);
        let clearance = options.clearance.filter(|c| *c >= 0.0);
        let options = CheckOptions { clearance, ..*options };
        let trees = a.built_tree().zip(b.built_tree());
        let trees = trees.filter(|_| a.is_prepared() && b.is_prepared());
        let Some((tree_a, tree_b)) = trees else {
            self.key = None;
            return self.unprepared(parts, &options, budget);
        };
        let key = Key { stamps: (tree_a.stamp(), tree_b.stamp()), pose: *pose, options };
        if self.key != Some(key) {
            self.start(parts, &options);
            self.key = Some(key);
        }
        if self.report.is_none() {
            self.report = self.advance(parts, &options, budget);
        }
        let known = self.update_known(&options, parts);
        match &self.report {
            Some(report) => CheckWithin::Final(report),
            None => CheckWithin::Open(known),
        }
    }

    /// For parts that are not prepared: from their boxes, unless the budget is unlimited.
    fn unprepared(
        &mut self,
        parts: Parts<'_>,
        options: &CheckOptions,
        budget: &Budget<'_>,
    ) -> CheckWithin<'_> {
        let (a, b, pose) = parts;
        let known = known_by_boxes(parts, options);
        let is_apart = known.bounds.lower > 0.0
            && !options.distance
            && !known.relations.contains(Relation::Near);
        self.report = if budget.is_unlimited() {
            Some(check_pair(a, b, pose, options))
        } else if is_apart || a.is_empty() || b.is_empty() {
            Some(report_of_clear())
        } else {
            None
        };
        match &self.report {
            Some(report) => CheckWithin::Final(report),
            None => CheckWithin::Open(known),
        }
    }

    fn start(&mut self, parts: Parts<'_>, options: &CheckOptions) {
        let by_first = options.relation_only && !options.keep_hits;
        self.stage = if by_first { Stage::First } else { Stage::All };
        self.first.reset();
        self.all.reset();
        self.pairs.clear();
        self.sorting.reset();
        self.report_search.reset();
        self.near.reset();
        self.payment = Paid::default();
        self.known = Some(known_by_boxes(parts, options));
        (self.unmeasured, self.report) = (None, None);
    }

    /// Continues; `None` if the budget is spent.
    fn advance(
        &mut self,
        parts: Parts<'_>,
        options: &CheckOptions,
        budget: &mut Budget<'_>,
    ) -> Option<PairReport> {
        let (a, b, pose) = parts;
        loop {
            match self.stage {
                Stage::First => match self.first.run(a, b, pose, budget) {
                    Verdict::Undecided(known) => return self.tighten(&known),
                    Verdict::Separated(_) => self.stage = Stage::Report,
                    Verdict::Intersecting(hit) => {
                        self.found_hits(1);
                        let pair = (hit.triangle_a, hit.triangle_b);
                        self.pairs.push(pair);
                        self.stage = Stage::Same;
                        if hit.kind == HitKind::Crossing {
                            self.report_search.set_crossing(pair);
                            self.stage = Stage::Report;
                        }
                    }
                },
                Stage::Same => {
                    if self.report_search.find_same(parts, budget)? {
                        // The pair that was found is enough for the report.
                        self.stage = Stage::Report;
                    } else {
                        self.pairs.clear();
                        self.stage = Stage::All;
                    }
                }
                Stage::All => {
                    let found = self.all.run(a, b, pose, budget);
                    self.found_hits(self.all.pairs().len());
                    match found {
                        PairsWithin::Complete => self.stage = Stage::Copy,
                        PairsWithin::Incomplete(known) => return self.tighten(&known),
                    }
                }
                Stage::Copy => {
                    let found = self.all.pairs();
                    self.pairs.reserve(found.len() - self.pairs.len());
                    while self.pairs.len() < found.len() {
                        if !self.payment.afford(UNITS_OF_COPY, Quantum::Exact, budget) {
                            return None;
                        }
                        let next = self.pairs.len();
                        let end = found.len().min(next + COPIED_AT_ONCE);
                        self.pairs.extend_from_slice(&found[next..end]);
                    }
                    self.stage = Stage::Sort;
                }
                Stage::Sort => {
                    if !self.sorting.sort(&mut self.pairs, budget) {
                        return None;
                    }
                    self.stage = Stage::Report;
                }
                Stage::Report => {
                    let keep_hits = options.keep_hits;
                    let report = self.report_search.run(parts, &self.pairs, keep_hits, budget)?;
                    let is_measured = options.distance || options.clearance.is_some();
                    if report.relation != Relation::Clear || !is_measured {
                        return Some(report);
                    }
                    self.unmeasured = Some(report);
                    self.stage = Stage::Distance;
                }
                Stage::Distance => {
                    let distance = self.distance(parts, options, budget)?;
                    let clearance = options.clearance;
                    let is_near = distance.is_some_and(|d| clearance.is_some_and(|c| d.lower <= c));
                    let mut report = self.unmeasured.take()?;
                    report.distance = distance;
                    if is_near {
                        report.relation = Relation::Near;
                    }
                    return Some(report);
                }
            }
        }
    }

    /// The distance of parts that are clear, if it is wanted; the outer option is `None` if the
    /// budget is spent.
    fn distance(
        &mut self,
        parts: Parts<'_>,
        options: &CheckOptions,
        budget: &mut Budget<'_>,
    ) -> Option<Option<Distance>> {
        let (a, b, pose) = parts;
        let limit = if options.distance { None } else { options.clearance };
        // Parts whose boxes are further apart need no search.
        if let (Some(limit), Some(known)) = (limit, &self.known) {
            if known.bounds.lower > limit + near_search_slack(parts, limit) {
                return Some(None);
            }
        }
        let found = self.near.run(a, b, pose, budget);
        let Some(d) = found.distance() else { return Some(None) };
        if limit.is_some_and(|limit| d.lower > limit) {
            return Some(None);
        }
        if let Some(known) = &mut self.known {
            known.bounds.lower = known.bounds.lower.max(d.lower);
            known.bounds.upper = known.bounds.upper.min(d.upper);
        }
        if found.is_final() && self.payment.afford(UNITS_OF_MEASUREMENT, Quantum::Exact, budget) {
            return Some(Some(as_measured(d, parts)));
        }
        None
    }

    /// Surfaces that share a point.
    fn found_hits(&mut self, count: usize) {
        if let (Some(known), true) = (&mut self.known, count > 0) {
            known.hit_count = known.hit_count.max(count);
            known.bounds.upper = known.bounds.upper.min(0.0);
            known.relations.retain(&Relation::is_collision);
        }
    }

    /// Includes the bound of the depth of the search for all triangles. Its other bounds, and those
    /// of the search for the first hit, are known only where these searches stop: a larger budget,
    /// which lets them finish, would not know them.
    fn tighten<R>(&mut self, bounds: &Bounds) -> Option<R> {
        if let Some(known) = &mut self.known {
            if self.stage == Stage::All {
                known.bounds.open_depth = known.bounds.open_depth.min(bounds.open_depth);
            }
            known.bounds.open = bounds.open;
        }
        None
    }

    /// What is known now.
    fn update_known(&mut self, options: &CheckOptions, parts: Parts<'_>) -> PairKnown {
        let (a, b, _) = parts;
        let known = self.known.get_or_insert_with(|| known_by_boxes(parts, options));
        known.stage = match self.stage {
            Stage::First | Stage::Same | Stage::All | Stage::Copy | Stage::Sort => {
                CheckStage::Triangles
            }
            Stage::Report => self.report_search.stage(),
            Stage::Distance => CheckStage::Distance,
        };
        if self.stage == Stage::Same {
            known.bounds.open = 1;
        }
        if !matches!(self.stage, Stage::First | Stage::Same | Stage::All) {
            (known.bounds.open_depth, known.bounds.open) = (0.0, 1);
            if self.pairs.is_empty() && self.stage > Stage::Copy {
                known.relations.retain(&|r| r != Relation::Touching);
                if !a.is_solid() && !b.is_solid() {
                    known.relations.retain(&|r| !r.is_collision());
                }
            }
        }
        self.report_search.narrow(&mut known.relations);
        if self.stage == Stage::Distance {
            known.relations.retain(&|r| !r.is_collision());
        }
        narrow_by_distance(known, options, parts);
        *known
    }
}

/// Excludes relations by the bounds of the distance.
fn narrow_by_distance(known: &mut PairKnown, options: &CheckOptions, parts: Parts<'_>) {
    let Bounds { lower, upper, .. } = known.bounds;
    if lower > 0.0 {
        known.relations.retain(&|r| !r.is_collision());
    }
    match options.clearance {
        None => known.relations.retain(&|r| r != Relation::Near),
        Some(clearance) => {
            if lower > clearance + near_search_slack(parts, clearance) {
                known.relations.retain(&|r| r != Relation::Near);
            }
            if upper <= clearance {
                known.relations.retain(&|r| r != Relation::Clear);
            }
        }
    }
}

/// What the boxes and the kinds of the parts tell.
fn known_by_boxes(parts: Parts<'_>, options: &CheckOptions) -> PairKnown {
    let (a, b, pose) = parts;
    let (box_a, box_b) = (a.bounds(), b.bounds().transformed(pose));
    let mut bounds = Bounds::of_boxes(&box_a, &box_b);
    if let (Some(t), Some(u)) = (a.triangles().first(), b.triangles().first()) {
        let there = pose.transform_point(b.vertices()[u[0] as usize]);
        bounds.include_points(a.vertices()[t[0] as usize], there);
        let gap = (box_a.min - box_b.max).max(box_b.min - box_a.max).max(Vec3::ZERO);
        let apart = length_down(gap);
        if apart > 0.0 {
            bounds.lower = apart.min(bounds.upper);
        }
    }
    let mut known =
        PairKnown { bounds, relations: Relations::all(), hit_count: 0, stage: CheckStage::Boxes };
    if a.is_prepared() && b.is_prepared() {
        let (a_is_solid, b_is_solid) = (a.is_solid(), b.is_solid());
        known.relations.retain(&|r| match r {
            Relation::AInsideB => b_is_solid,
            Relation::BInsideA => a_is_solid,
            _ => true,
        });
    }
    narrow_by_distance(&mut known, options, parts);
    known
}

/// The distance with the upper bound of its two triangles, without bounds that the search knew from
/// elsewhere: as a search without a budget reports it.
fn as_measured(distance: Distance, (a, b, pose): Parts<'_>) -> Distance {
    let (Some(i), Some(j)) = (distance.triangle_a, distance.triangle_b) else { return distance };
    let of_b = b.triangle(j as usize).map_each(|v| pose.transform_point(v));
    let measured = closest::triangle_triangle(&a.triangle(i as usize), &of_b);
    Distance { upper: measured.upper.max(distance.upper), ..distance }
}

/// As [`check_pair`], but stops when the budget is spent, and then returns bounds, the relations
/// that are still possible, and what is being computed. A further call with the same parts, pose
/// and options continues the check; with others it starts anew.
///
/// The final report is that of [`check_pair`], with two exceptions. With
/// [`CheckOptions::relation_only`], `hit_count` and `point` are those of the triangles that this
/// search found. A distance may differ within its bounds where `f64` rounds, for parts that are far
/// from each other compared with their sizes.
///
/// Everything that [`first_hit_within`](crate::pair::first_hit_within) says of budgets and bounds
/// holds here, too: they never loosen, and relations are only ever excluded. Apart from lists that
/// grow, the local analysis of a contact allocates, as it does in [`check_pair`].
///
/// The parts should be [prepared](Mesh::prepare); otherwise the answer follows from their boxes,
/// unless the budget is [unlimited](Budget::unlimited).
///
/// ```
/// use impinge::check::{CheckOptions, CheckWithin, PairSearch, Relation, check_pair_within};
/// use impinge::pair::Budget;
/// use impinge::{Pose, shapes};
///
/// let (plate, bolt) = (shapes::tube(3.0, 1.0, 2.0, 48)?, shapes::cylinder(1.0, 4.0, 48)?);
/// plate.prepare();
/// bolt.prepare();
/// let (options, mut search) = (CheckOptions::default(), PairSearch::new());
/// let relation = loop {
///     let mut budget = Budget::micros(100);
///     let pose = Pose::IDENTITY; // the bolt fills the hole
///     match check_pair_within(&plate, &bolt, &pose, &options, &mut budget, &mut search) {
///         CheckWithin::Final(report) => break report.relation,
///         CheckWithin::Open(known) => println!("one of {:?}", known.relations),
///     }
/// };
/// assert_eq!(relation, Relation::Touching);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn check_pair_within<'s>(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    options: &CheckOptions,
    budget: &mut Budget<'_>,
    search: &'s mut PairSearch,
) -> CheckWithin<'s> {
    search.run(a, b, pose, options, budget)
}
