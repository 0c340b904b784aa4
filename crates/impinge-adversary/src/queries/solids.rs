//! Solids: location of points, and the relation of two solids.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::check::{
    CheckOptions, PairReport, Relation, candidate_pairs, check_pair, first_equal_pairs,
};
use impinge::exact::Location;
use impinge::internals::exact::{locate_point, winding_number};
use impinge::internals::pair::Posed;
use impinge::internals::solid::{Occupancy, occupancy};
use impinge::pair::First;
use impinge::pieces::{self, DecomposeOptions};
use impinge::solid;
use impinge::{Pose, Scene, Shape, Vec3, shape};
use impinge_papers::leung::HullTree;
use impinge_papers::zachmann::MonteCarlo;

use super::{Case, Row};
use crate::checker::Checker;
use crate::sample::add_ulps;
use crate::truth::{HullTruth, in_tetrahedron};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "relations of solids",
        covers: &["check::check_pair", "zachmann::monte_carlo"],
        interval: 1,
        run: relations,
    },
    Row {
        name: "relations of surfaces",
        covers: &["check::candidate_pairs", "check::first_equal_pairs", "scene::Scene::bounds_of"],
        interval: 2,
        run: surfaces,
    },
    Row { name: "points in solids", covers: &["solid::locate"], interval: 1, run: points },
    Row {
        name: "convex pieces",
        covers: &[
            "pieces::decompose",
            "pieces::decompose_watched",
            "pieces::decompose_exactly",
            "leung::HullTree::first_hit",
            "leung::HullTree::traverse",
            "leung::HullTree::is_convex",
            "leung::exact",
        ],
        interval: 3,
        run: convex_pieces,
    },
];

/// The corners of both tetrahedra, and the exact results for their hulls.
pub(super) struct Solids {
    a: [Vec3; 4],
    b: [Vec3; 4],
    hulls: HullTruth,
}

impl Solids {
    /// `None` if a tetrahedron has no volume: such a surface can only touch.
    pub(super) fn new(case: &Case<'_>, posed: &[Vec3]) -> Option<Self> {
        let a: [Vec3; 4] = case.sample.a.vertices.as_slice().try_into().ok()?;
        let b: [Vec3; 4] = posed.try_into().ok()?;
        in_tetrahedron(a[0], &a)?;
        in_tetrahedron(b[0], &b)?;
        Some(Self { a, b, hulls: HullTruth::new(a.to_vec(), b.to_vec()) })
    }

    pub(super) fn relation(&self) -> Relation {
        let inside = |points: &[Vec3; 4], solid: &[Vec3; 4]| {
            points.iter().all(|p| in_tetrahedron(*p, solid) >= Some(0))
        };
        if !self.hulls.meet {
            return Relation::Clear;
        }
        match (inside(&self.a, &self.b), inside(&self.b, &self.a)) {
            (true, true) => Relation::Duplicate,
            (true, false) => Relation::AInsideB,
            (false, true) => Relation::BInsideA,
            (false, false) => {
                let depth = self.hulls.measured().and_then(|m| m.depth.as_ref());
                let touch = depth.is_some_and(crate::oracle::units::Square::is_zero);
                if touch { Relation::Touching } else { Relation::Crossing }
            }
        }
    }
}

fn relations(case: &Case<'_>, checker: &mut Checker<'_>) {
    if !case.are_tetrahedra() {
        return;
    }
    for (step, pose, truth) in case.steps() {
        let Some(solids) = Solids::new(case, &truth.posed) else { continue };
        let relation = solids.relation();
        let options = CheckOptions::default().distance(true).keep_hits(true);
        let report = check_pair(&case.a, &case.b, pose, &options);
        checker.case(&report);
        checker.count(match relation {
            Relation::Clear => "clear",
            Relation::Touching => "touching",
            Relation::Crossing => "crossing",
            Relation::Duplicate => "duplicate",
            _ => "contained",
        });
        checker.check(report.relation == relation, || {
            format!("step {step}: {report:?}, expected {relation:?}; {:?} {:?}", solids.a, solids.b)
        });
        checker.check(report.hit_count == truth.pairs.len() || relation == Relation::Clear, || {
            format!("step {step}: {report:?}, expected {:?}", truth.pairs)
        });
        if let Some(d) = report.distance {
            checker.check(truth.is_between(d.lower, d.upper), || {
                format!("step {step}: {d:?} excludes {:e}", truth.approximate())
            });
        }
        same_without_pairs(case, pose, &report, options, checker);
        checker.check((relation == Relation::Clear) == report.point.is_none(), || {
            format!("step {step}: witness of {report:?}")
        });
        let (a, b) = (Posed::new(&case.a, &Pose::IDENTITY), Posed::new(&case.b, pose));
        let occupancy = occupancy(&a, &b, &impinge::all_pairs(&case.a, &case.b, pose));
        let expected = match relation {
            Relation::Clear | Relation::Near => Occupancy::Disjoint,
            Relation::Touching => Occupancy::Touching,
            Relation::AInsideB => Occupancy::AInB,
            Relation::BInsideA => Occupancy::BInA,
            Relation::Duplicate => Occupancy::Equal,
            _ => Occupancy::Overlapping,
        };
        checker.case(&occupancy);
        checker.check(occupancy == expected, || {
            format!("step {step}: {occupancy:?}, expected {relation:?}")
        });
        let options = MonteCarlo::default().points(5);
        let guess = impinge_papers::zachmann::monte_carlo(&case.a, &case.b, pose, &options)
            .expect("closed");
        checker.case(&guess);
        // The method may miss a common point, but a reported point must be common.
        let holds = guess.point.is_none_or(|p| {
            in_tetrahedron(p, &solids.a) >= Some(0) && in_tetrahedron(p, &solids.b) >= Some(0)
        });
        checker.check(holds, || format!("step {step}: {guess:?} of {:?} {:?}", solids.a, solids.b));
        let shapes = [&case.a, &case.b].map(|m| Shape::solid(Arc::new(m.clone())).expect("closed"));
        let verdict = shape::intersects(&shapes[0], &shapes[1], pose);
        checker.case(&verdict);
        let meet = relation != Relation::Clear;
        checker.check(verdict.is_intersecting() == meet && verdict.is_separated() != meet, || {
            format!("step {step}: solids {verdict:?}, expected {relation:?}")
        });
    }
}

/// Checks that the relation is the same without counting pairs of triangles.
fn same_without_pairs(
    case: &Case<'_>,
    pose: &Pose,
    report: &PairReport,
    options: CheckOptions,
    checker: &mut Checker<'_>,
) {
    let options = options.keep_hits(false).relation_only(true);
    let short = check_pair(&case.a, &case.b, pose, &options);
    let same = short.relation == report.relation
        && short.distance == report.distance
        && short.point.is_some() == report.point.is_some()
        && (short.hit_count > 0) == (report.hit_count > 0)
        && short.hit_count <= report.hit_count;
    checker.check(same, || format!("{short:?} without pairs of triangles, {report:?} with them"));
}

fn surfaces(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
        let clearance = truth.approximate();
        let options = CheckOptions::default().clearance(clearance);
        let report = check_pair(&case.a, &case.b, pose, &options);
        checker.case(&report);
        checker.check(report.hit_count == truth.pairs.len(), || {
            format!("step {step}: {report:?}, expected {:?}", truth.pairs)
        });
        same_without_pairs(case, pose, &report, options, checker);
        checker.check(report.relation.is_collision() || !truth.meet(), || {
            format!("step {step}: {report:?}, pairs that meet: {:?}", truth.pairs)
        });
        // With a clearance a little above the distance, the relation must be `Near`.
        if !truth.meet() && truth.distance.is_some() && !report.relation.is_collision() {
            let options = options.clearance(clearance * (1.0 + 1e-9));
            let wide = check_pair(&case.a, &case.b, pose, &options);
            checker.check(wide.relation == Relation::Near, || {
                format!("step {step}: {wide:?} at {clearance:e}")
            });
        }
        let mut scene = Scene::default();
        scene.add("a", case.a.clone(), Pose::IDENTITY);
        let b = Arc::new(case.b.clone());
        scene.add("b", b.clone(), *pose);
        let found = candidate_pairs(&scene, 0.0);
        checker.case(&found);
        checker.check(!truth.meet() || found == [(0, 1)], || format!("step {step}: {found:?}"));
        let wide = candidate_pairs(&scene, truth.approximate() * (1.0 + 1e-9) + 1e-322);
        checker.check(truth.distance.is_none() || wide == [(0, 1)], || {
            format!("step {step}: no candidates at {:e}", truth.approximate())
        });
        // The same two meshes, at the same pose and at one that differs in the last place.
        scene.add("c", b.clone(), *pose);
        let mut rows = pose.to_matrix();
        rows[0][3] = add_ulps(rows[0][3], 1);
        if let Ok(moved) = Pose::from_matrix(rows) {
            scene.add("d", b, moved);
            let first = first_equal_pairs(&scene, &[(0, 1), (0, 2), (0, 3)]);
            checker.check(first == [0, 0, 2], || format!("step {step}: {first:?}"));
        }
        let bounds = scene.bounds_of(1);
        let used = case.sample.b.triangles.iter().flatten();
        let holds = used.map(|v| truth.posed[*v as usize]).all(|p| bounds.contains(p));
        checker.check(holds, || format!("step {step}: {bounds:?}"));
    }
}

fn points(case: &Case<'_>, checker: &mut Checker<'_>) {
    if !case.are_tetrahedra() {
        return;
    }
    let Ok(corners) = <[Vec3; 4]>::try_from(case.sample.a.vertices.as_slice()) else { return };
    let triangles = || (0..4).map(|k| case.a.triangle(k));
    for (step, _, truth) in case.steps() {
        let middle = |p: Vec3, q: Vec3| p + (q - p) * 0.5;
        let more = (0..4).map(|k| middle(corners[k], truth.posed[k]));
        for p in truth.posed.iter().copied().chain(more) {
            let Some(side) = in_tetrahedron(p, &corners) else { return };
            let expected = match side {
                1 => Location::Inside,
                0 => Location::Boundary,
                _ => Location::Outside,
            };
            let found = solid::locate(&case.a, p).expect("closed");
            let by_rays = locate_point(p, triangles());
            let winding = winding_number(p, triangles());
            checker.case(&(found, by_rays, winding));
            let winds = match expected {
                Location::Boundary => winding.is_none(),
                Location::Inside => winding.is_some_and(|w| w != 0),
                Location::Outside => winding == Some(0),
            };
            checker.check(found == expected && by_rays == expected && winds, || {
                format!(
                    "step {step}: {p} in {corners:?}: {found:?} {by_rays:?} {winding:?}, expected {expected:?}"
                )
            });
        }
    }
}

fn convex_pieces(case: &Case<'_>, checker: &mut Checker<'_>) {
    if !case.are_tetrahedra() {
        return;
    }
    if Solids::new(case, &case.sample.b.vertices).is_none() {
        return;
    }
    let sorted = |points: &[Vec3]| {
        let mut keys: Vec<[u64; 3]> =
            points.iter().map(|p| (*p + Vec3::ZERO).to_array().map(f64::to_bits)).collect();
        keys.sort_unstable();
        keys
    };
    let mut trees = Vec::new();
    for mesh in [&case.a, &case.b] {
        let exactly = pieces::decompose_exactly(mesh, 4).expect("a closed mesh with volume");
        checker.check(exactly.exact && exactly.error == 0.0, || format!("{exactly:?}"));
        let one = exactly.pieces.len() == 1
            && sorted(exactly.pieces[0].hull.vertices()) == sorted(mesh.vertices());
        checker.check(one, || format!("{exactly:?} of {:?}", mesh.vertices()));
        let tolerance = mesh.bounds().extent().max_element() * 0.5;
        let options = DecomposeOptions::new(tolerance, 4);
        let approximate = pieces::decompose(mesh, &options);
        let watched =
            pieces::decompose_watched(mesh, &options, &mut |_, _| ControlFlow::Continue(()));
        let same = match (&approximate, &watched) {
            (Ok(x), Ok(y)) => !x.pieces.is_empty() && x.error == y.error && x.error >= 0.0,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        checker.check(same, || format!("{approximate:?} {watched:?}"));
        let tree = HullTree::of_mesh(mesh, 4).expect("a closed mesh with volume");
        checker.check(tree.is_exact() && tree.is_convex(0), || format!("{tree:?}"));
        trees.push(tree);
    }
    for (step, pose, truth) in case.steps() {
        let meet = HullTruth::new(case.sample.a.vertices.clone(), truth.posed.clone()).meet;
        let found = trees[0].first_hit(&trees[1], pose);
        checker.case(&found);
        checker
            .check(found.is_some() == meet, || format!("step {step}: {found:?}, expected {meet}"));
        let mut first = First::default();
        trees[0].traverse(&trees[1], pose, &mut impinge_papers::leung::exact, &mut first);
        checker.check(first.pair.is_some() == meet, || format!("step {step}: {first:?}"));
        let direct = impinge_papers::leung::exact(&case.sample.a.vertices, &truth.posed);
        checker.check(direct == meet, || format!("step {step}: {direct}, expected {meet}"));
    }
}
