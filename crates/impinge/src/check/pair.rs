//! The check of one pair of parts.

use std::ops::ControlFlow;

use crate::answer::Distance;
use crate::answer::Verdict;
use crate::arrays::MapEach;
use crate::budget::Budget;
use crate::exact::{HitKind, triangle_triangle};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{Hit, Posed, closest_pair, first_hit, intersecting_pairs, traverse};
use crate::sink::{Sink, sort_key};
use crate::solid::share_no_space;

use super::duplicate::same_triangles;
use super::report_search::{Parts, ReportSearch};
use super::{Relation, boxes};

/// What a check computes in addition to the relation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Parts no further apart than this are [`Relation::Near`]. In the unit of the coordinates; a
    /// negative or NaN clearance has no effect.
    pub clearance: Option<f64>,
    /// Also measure the distance of parts that do not meet, for every separation.
    pub distance: bool,
    /// Keep every intersecting pair of triangles, not only their number.
    pub keep_hits: bool,
    /// Decide the relation without counting the intersecting pairs of triangles, which takes most
    /// of the time where parts touch or cross. Without effect together with
    /// [`keep_hits`](Self#structfield.keep_hits).
    pub relation_only: bool,
}

impl CheckOptions {
    /// With this [`clearance`](Self#structfield.clearance).
    #[must_use]
    pub fn clearance(mut self, clearance: impl Into<Option<f64>>) -> Self {
        self.clearance = clearance.into();
        self
    }

    /// With or without the [`distance`](Self#structfield.distance).
    #[must_use]
    pub fn distance(mut self, distance: bool) -> Self {
        self.distance = distance;
        self
    }

    /// With or without [a count of the pairs of triangles](Self#structfield.relation_only).
    #[must_use]
    pub fn relation_only(mut self, relation_only: bool) -> Self {
        self.relation_only = relation_only;
        self
    }

    /// With or without [every pair of triangles](Self#structfield.keep_hits).
    #[must_use]
    pub fn keep_hits(mut self, keep_hits: bool) -> Self {
        self.keep_hits = keep_hits;
        self
    }
}

/// The result of the check of one pair of parts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PairReport {
    /// The relation of the parts.
    pub relation: Relation,
    /// The number of intersecting pairs of triangles; with [`CheckOptions::relation_only`], of
    /// those that were found until the relation was known: at least one if any triangles meet.
    pub hit_count: usize,
    /// The intersecting pairs, sorted, if [`CheckOptions::keep_hits`] was set.
    pub hits: Vec<Hit>,
    /// A common point, in A's frame, for every collision: of two triangles, preferably of two that
    /// cross, or of a part inside the other.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_point"))]
    pub point: Option<Vec3>,
    /// The distance, if it was requested and the parts do not meet. With a clearance but without
    /// [`CheckOptions::distance`], only for parts within the clearance.
    pub distance: Option<Distance>,
}

/// The relation of `a` and `b`, with `b` at `pose` in `a`'s frame. It is exact with one exception:
/// a distance has two bounds, and parts are [`Relation::Near`] if the lower bound does not exceed
/// the clearance.
///
/// ```
/// use impinge::check::{CheckOptions, Relation, check_pair};
/// use impinge::{Pose, shapes};
///
/// let (room, ball) = (shapes::cuboid([4.0, 4.0, 4.0])?, shapes::icosphere(1.0, 2)?);
/// let report = check_pair(&room, &ball, &Pose::IDENTITY, &CheckOptions::default());
/// assert_eq!(report.relation, Relation::BInsideA);
/// assert_eq!(report.hit_count, 0); // no triangles meet
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn check_pair(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> PairReport {
    if options.relation_only && !options.keep_hits {
        return relation_of(a, b, pose, options);
    }
    clear_by_hulls(a, b, pose, options).unwrap_or_else(|| by_triangles(a, b, pose, options))
}

/// The report without the number of pairs of triangles that meet. The order of the fast tests only
/// matters for the time.
fn relation_of(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> PairReport {
    let may_touch = boxes_may_touch(a, b, pose);
    let fast = match may_touch {
        true => boxes_that_touch(a, b, pose),
        false => clear_by_hulls(a, b, pose, options),
    };
    if let Some(report) = fast {
        return report;
    }
    if let Some(hit) = first_hit(a, b, pose) {
        return by_first_hit(a, b, pose, &hit).unwrap_or_else(|| by_triangles(a, b, pose, options));
    }
    let clear = if may_touch { clear_by_hulls(a, b, pose, options) } else { None };
    clear.unwrap_or_else(|| by_pairs(a, b, pose, options, &[], None))
}

/// Parts whose boxes overlap by less than this share of their size, along an axis, probably touch.
const THIN_OVERLAP: f64 = 1e-9;

/// Whether the boxes of two parts hardly overlap, so that hulls are not expected to decide.
fn boxes_may_touch(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    let (a, b) = (a.bounds(), b.bounds().transformed(pose));
    let depth = (a.max.min(b.max) - a.min.max(b.min)).min_element();
    depth >= 0.0 && depth <= THIN_OVERLAP * (a.extent() + b.extent()).max_element()
}

/// The report about boxes with parallel sides that touch.
fn boxes_that_touch(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<PairReport> {
    boxes::touch(a, b, pose).map(|point| report_of_contact(Relation::Touching, point))
}

/// The report about parts of which two triangles meet, without the number of such pairs: where
/// these two cross, where the parts are the same, and where half-spaces around one of them prove
/// that the parts share no space.
fn by_first_hit(a: &Mesh, b: &Mesh, pose: &Pose, hit: &Hit) -> Option<PairReport> {
    let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
    let relation = if same_triangles(&a, &b) {
        Relation::Duplicate
    } else if hit.kind == HitKind::Crossing {
        Relation::Crossing
    } else if share_no_space(&a, &b) {
        Relation::Touching
    } else {
        return None;
    };
    Some(report_of_contact(relation, hit.point))
}

/// The report about parts that meet, without the number of pairs of triangles that meet.
fn report_of_contact(relation: Relation, point: Vec3) -> PairReport {
    PairReport { relation, hit_count: 1, hits: Vec::new(), point: Some(point), distance: None }
}

/// The report about parts that share no point, before their distance is known.
pub(super) fn report_of_clear() -> PairReport {
    PairReport {
        relation: Relation::Clear,
        hit_count: 0,
        hits: Vec::new(),
        point: None,
        distance: None,
    }
}

/// The report about parts whose hulls share no point, which is a fast test. It equals that of
/// [`by_triangles`].
///
/// For convex parts it decides nearly all pairs that are apart. Parts whose hulls meet need not
/// meet: B's vertices are rounded when they are moved by the pose, so a face of four corners is no
/// longer flat and the hull is a little larger than the part. So the triangles decide about pairs
/// whose hulls meet.
fn clear_by_hulls(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> Option<PairReport> {
    let (hull_a, hull_b) = (a.cloud()?, b.cloud()?);
    let Verdict::Separated(gap) = hull_a.intersects(hull_b, pose) else { return None };
    let mut report = report_of_clear();
    add_distance(&mut report, (a, b, pose), options, gap.lower);
    Some(report)
}

/// The report from the triangles that meet.
fn by_triangles(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> PairReport {
    if options.relation_only && !options.keep_hits {
        let mut found = UntilCrossing { meshes: (a, b, pose), pairs: Vec::new(), crossing: None };
        traverse(a, b, pose, &mut found);
        let UntilCrossing { mut pairs, crossing, .. } = found;
        pairs.sort_unstable_by_key(sort_key);
        return by_pairs(a, b, pose, options, &pairs, crossing);
    }
    by_pairs(a, b, pose, options, &intersecting_pairs(a, b, pose), None)
}

/// The report from the sorted pairs of triangles that meet, up to one that crosses, which is given.
fn by_pairs(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    options: &CheckOptions,
    pairs: &[(u32, u32)],
    crossing: Option<(u32, u32)>,
) -> PairReport {
    let mut search = ReportSearch::default();
    if let Some(pair) = crossing {
        search.set_crossing(pair);
    }
    let report = search.run((a, b, pose), pairs, options.keep_hits, &mut Budget::unlimited());
    let mut report = report.expect("an unlimited budget is never spent");
    if report.relation == Relation::Clear {
        add_distance(&mut report, (a, b, pose), options, 0.0);
    }
    report
}

/// The search for near triangles may find triangles beyond the clearance, by less than this share
/// of the parts' size.
const NEAR_SEARCH_SLACK: f64 = 1e-9;

/// The same as a length.
pub(super) fn near_search_slack((a, b, pose): Parts<'_>, limit: f64) -> f64 {
    let size = |mesh: &Mesh| mesh.bounds().min.abs().max(mesh.bounds().max.abs()).max_element();
    NEAR_SEARCH_SLACK * (size(a) + size(b) + pose.translation().abs().max_element() + limit)
}

/// Adds the requested distance of parts that are clear. `apart` is a lower bound of it.
fn add_distance(
    report: &mut PairReport,
    (a, b, pose): (&Mesh, &Mesh, &Pose),
    options: &CheckOptions,
    apart: f64,
) {
    let clearance = options.clearance.filter(|c| *c >= 0.0);
    let limit = if options.distance { Some(f64::INFINITY) } else { clearance };
    let Some(limit) = limit else { return };
    if !options.distance && apart > limit + near_search_slack((a, b, pose), limit) {
        return;
    }
    report.distance = closest_pair(a, b, pose, limit);
    let near = |d: &Distance| clearance.is_some_and(|c| d.lower <= c);
    if report.distance.as_ref().is_some_and(near) {
        report.relation = Relation::Near;
    }
}

/// Collects pairs of triangles that meet, up to the first that crosses.
struct UntilCrossing<'a> {
    meshes: (&'a Mesh, &'a Mesh, &'a Pose),
    pairs: Vec<(u32, u32)>,
    crossing: Option<(u32, u32)>,
}

impl Sink for UntilCrossing<'_> {
    fn pair(&mut self, i: u32, j: u32) -> ControlFlow<()> {
        self.pairs.push((i, j));
        let (a, b, pose) = self.meshes;
        let corners_b = b.triangle(j as usize).map_each(|v| pose.transform_point(v));
        if triangle_triangle(&a.triangle(i as usize), &corners_b) == Some(HitKind::Crossing) {
            self.crossing = Some((i, j));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shapes;

    fn options() -> impl Iterator<Item = CheckOptions> {
        let some = |clearance, distance| CheckOptions {
            clearance,
            distance,
            keep_hits: true,
            relation_only: false,
        };
        [
            (None, false),
            (Some(0.05), false),
            (None, true),
            (Some(0.5), true),
            (Some(f64::NAN), false),
        ]
        .into_iter()
        .map(move |(clearance, distance)| some(clearance, distance))
    }

    /// Asserts that the report is the same with and without hulls. Returns whether the hulls
    /// decided it, and the relation.
    fn assert_same_report(a: &Mesh, b: &Mesh, pose: &Pose) -> (bool, Relation) {
        let mut decided = false;
        for options in options() {
            let plain = by_triangles(a, b, pose, &options);
            assert_eq!(check_pair(a, b, pose, &options), plain, "{pose:?} {options:?}");
            decided = clear_by_hulls(a, b, pose, &options).is_some();
            let options = CheckOptions { keep_hits: false, relation_only: true, ..options };
            let short = check_pair(a, b, pose, &options);
            assert_eq!((short.relation, short.distance), (plain.relation, plain.distance));
            assert_eq!(short.point.is_some(), plain.point.is_some());
            assert_eq!(short.hit_count > 0, plain.hit_count > 0);
            assert!(short.hit_count <= plain.hit_count && short.hits.is_empty());
        }
        (decided, by_triangles(a, b, pose, &CheckOptions::default()).relation)
    }

    #[test]
    fn hulls_change_no_report_about_the_sample_assembly() {
        // The samples use the library as a dependency, this test is inside the library: meshes have
        // to be built again.
        let scene = impinge_samples::shapes::sample_assembly().unwrap();
        let remade = |part: &impinge_samples::impinge::Part| {
            let (vertices, triangles) = (part.mesh.vertices(), part.mesh.triangles());
            let mesh = Mesh::from_triangles(vertices.to_vec(), triangles.to_vec()).unwrap();
            let (r, t) = (part.pose.rotation(), part.pose.translation());
            let rows = [0, 1, 2].map(|k| [r.x_axis[k], r.y_axis[k], r.z_axis[k], t[k]]);
            (mesh, Pose::from_matrix(rows).unwrap())
        };
        let parts: Vec<(Mesh, Pose)> = scene.parts().iter().map(remade).collect();
        let mut decided = 0;
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[i + 1..] {
                let pose = Pose::relative(&a.1, &b.1);
                decided += usize::from(assert_same_report(&a.0, &b.0, &pose).0);
            }
        }
        assert!(decided > 5, "{decided}");
    }

    #[test]
    fn hulls_change_no_report_about_convex_parts() {
        let mut random = Random::new(19);
        let parts = [
            shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
            shapes::icosphere(0.5, 3).unwrap(),
            shapes::cuboid([4.0, 4.0, 4.0]).unwrap(),
            shapes::cylinder(0.5, 1.0, 16).unwrap(),
            shapes::torus(1.0, 0.3, 12, 8).unwrap(),
            Mesh::from_triangles(vec![], vec![]).unwrap(),
        ];
        let mut seen = std::collections::BTreeSet::new();
        let mut decided = 0;
        for round in 0..40 {
            for a in &parts {
                for b in &parts {
                    // On a grid parts touch and coincide. An empty mesh is never a duplicate.
                    let step = |r: &mut Random| (r.range(-4.0, 4.0) * 2.0).round() * 0.5;
                    let at = match round % 4 {
                        0 => Vec3::new(step(&mut random), step(&mut random), step(&mut random)),
                        1 => Vec3::new(step(&mut random), 0.0, 0.0),
                        2 => random.in_cube() * 3.0,
                        _ => Vec3::ZERO,
                    };
                    let turn =
                        if round % 4 == 2 { [0.3, 0.2, 0.1, 0.9] } else { [0.0, 0.0, 0.0, 1.0] };
                    let pose = Pose::from_quaternion(turn, at).unwrap();
                    let (by_hulls, relation) = assert_same_report(a, b, &pose);
                    decided += usize::from(by_hulls);
                    seen.insert(relation);
                }
            }
        }
        use Relation::{AInsideB, BInsideA, Clear, Crossing, Duplicate, Touching};
        for relation in [Clear, Touching, Crossing, AInsideB, BInsideA, Duplicate] {
            assert!(seen.contains(&relation), "{relation}");
        }
        assert!(decided > 200, "{decided}");
    }

    /// A stepped shaft or a stepped ring with four or six sides, on a grid, along any axis.
    fn stepped(random: &mut Random) -> Mesh {
        let steps = 1 + random.index(3);
        let mut outer = Vec::new();
        let mut z = -(random.index(4) as f64);
        let bottom = z;
        for _ in 0..steps {
            let radius = 2.0 + random.index(4) as f64;
            let top = z + 1.0 + random.index(3) as f64;
            if outer.last() != Some(&[radius, z]) {
                outer.push([radius, z]);
            }
            outer.push([radius, top]);
            z = top;
        }
        let ring = random.index(2) == 0;
        let inner = if ring { 1.0 } else { 0.0 };
        let mut profile = vec![[inner, bottom]];
        profile.extend(outer);
        profile.push([inner, z]);
        if ring {
            profile.push([inner, bottom]);
        }
        let mesh = shapes::revolve(&profile, [4, 6][random.index(2)]).unwrap();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turns = [[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half], [0.0, half, 0.0, half]];
        mesh.transformed(&Pose::from_quaternion(turns[random.index(3)], Vec3::ZERO).unwrap())
    }

    #[test]
    fn half_spaces_change_no_relation_of_stepped_bodies() {
        let mut random = Random::new(23);
        let mut seen = std::collections::BTreeMap::new();
        for round in 0..700 {
            let (a, b) = (stepped(&mut random), stepped(&mut random));
            let scale = [1.0, 0.1, 2.0_f64.powi(-300)][round % 3];
            let (a, b) = (a.scaled(scale).unwrap(), b.scaled(scale).unwrap());
            let mut along = |spread: usize| {
                let steps = random.index(2 * spread + 1) as f64 - spread as f64;
                let ulps = [0.0, 0.0, 0.0, 1.0, -1.0][random.index(5)];
                steps * scale * (1.0 + ulps * f64::EPSILON)
            };
            let mut at = match round % 4 {
                0 => Vec3::new(0.0, 0.0, along(6)),
                _ => Vec3::new(along(4), along(4), along(4)),
            };
            if round % 2 == 1 {
                // One end at the other's.
                let axis = random.index(3);
                let ends = [a.bounds().max[axis], b.bounds().min[axis]];
                at[axis] = ends[0] - ends[1] + at[axis] * f64::EPSILON;
            }
            let pose = Pose::from_translation(at).unwrap();
            let full = by_triangles(&a, &b, &pose, &CheckOptions::default());
            let options = CheckOptions::default().relation_only(true);
            let short = check_pair(&a, &b, &pose, &options);
            assert_eq!(short.relation, full.relation, "round {round}");
            assert_eq!(short.point.is_some(), full.point.is_some(), "round {round}");
            *seen.entry(full.relation).or_insert(0) += 1;
        }
        assert!(seen[&Relation::Touching] > 60 && seen[&Relation::Crossing] > 100, "{seen:?}");
    }

    #[test]
    fn gaps_close_to_the_clearance() {
        let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        for gap in [0.5, 0.5 + 1e-15, 0.5 - 1e-15, 0.05, 0.05 + 1e-16, 1e-12] {
            assert_same_report(
                &cube,
                &cube,
                &Pose::from_translation([1.0 + gap, 0.25, 0.0]).unwrap(),
            );
        }
    }
}
