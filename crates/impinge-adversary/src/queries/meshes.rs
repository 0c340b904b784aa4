//! The triangles of two meshes that meet, by every method.

use impinge::internals::pair::{Posed, brute, sweep};
use impinge::pair::{self, Count, First, Hit, MeshCache, Separation, Verdict};
use impinge::{Pose, Vec3};
use impinge_papers::zachmann::edges::{self, EdgePreChecks};

use super::{Case, Row, pairs_of};
use crate::checker::Checker;
use crate::oracle::certificate::slab_holds;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "all pairs",
        covers: &[
            "pair::traverse",
            "pair::intersecting_pairs",
            "pair::par_intersecting_pairs",
            "pair::all_pairs",
            "pair::uses_trees",
            "pair::Hit::edge_and_face",
        ],
        interval: 1,
        run: all_pairs,
    },
    Row {
        name: "first pair",
        covers: &["pair::first_pair", "pair::first_hit"],
        interval: 1,
        run: first,
    },
    Row {
        name: "first pair, cached",
        covers: &["pair::first_pair_cached", "pair::first_hit_cached"],
        interval: 1,
        run: cached,
    },
    Row {
        name: "verdict with evidence",
        covers: &["pair::intersects", "pair::Separation::verify"],
        interval: 1,
        run: verdict,
    },
    Row {
        name: "pairs without trees",
        covers: &["mesh::Mesh::bounds_at", "mesh::Mesh::triangle"],
        interval: 1,
        run: without_trees,
    },
    Row {
        name: "edges against faces",
        covers: &[
            "zachmann::edges::traverse",
            "zachmann::edges::after_pre_checks",
            "zachmann::edges::by_vertices",
        ],
        interval: 2,
        run: by_edges,
    },
];

fn all_pairs(case: &Case<'_>, checker: &mut Checker<'_>) {
    let sample = case.sample;
    for (step, pose, truth) in case.steps() {
        let found = pair::intersecting_pairs(&case.a, &case.b, pose);
        checker.case(&found);
        let wrong = |what: &str, found: &[(u32, u32)]| {
            format!("step {step}: {what} are {found:?}, expected {:?}", truth.pairs)
        };
        checker.check(found == truth.pairs, || wrong("pairs", &found));
        let parallel = pair::par_intersecting_pairs(&case.a, &case.b, pose);
        checker.check(parallel == truth.pairs, || wrong("parallel pairs", &parallel));
        let mut count = Count::default();
        pair::traverse(&case.a, &case.b, pose, &mut count);
        checker.check(count.pairs == truth.pairs.len(), || format!("counted {}", count.pairs));
        let hits = pair::all_pairs(&case.a, &case.b, pose);
        checker.case(&hits);
        checker.check(hits.len() == truth.pairs.len(), || format!("{} hits", hits.len()));
        // A few are enough: families with many hits have many equal copies.
        for hit in hits.iter().take(12) {
            let contact = truth.contact(sample, hit.triangle_a, hit.triangle_b);
            checker.check(contact == Some(hit.kind), || {
                format!("step {step}: {hit:?}, expected {contact:?}")
            });
            checker.check(
                near_both(hit, truth.corners(sample, hit.triangle_a, hit.triangle_b)),
                || format!("step {step}: the point of {hit:?} is far from the triangles"),
            );
            let witness = hit.edge_and_face(&case.a, &case.b, pose);
            checker
                .check(witness.is_some(), || format!("step {step}: {hit:?} has no edge and face"));
        }
        if pair::uses_trees(&case.a, &case.b) {
            checker.count("by trees");
        }
    }
}

/// Whether the point lies in the boxes of both triangles, up to rounding.
fn near_both(hit: &Hit, corners: ([Vec3; 3], [Vec3; 3])) -> bool {
    let largest = |t: &[Vec3; 3]| t.iter().fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let slack = largest(&corners.0).max(largest(&corners.1)) * 1e-14 + 5e-324 * 16.0;
    [corners.0, corners.1].iter().all(|[p, q, r]| {
        let (low, high) = (p.min(*q).min(*r), p.max(*q).max(*r));
        hit.point.cmpge(low - slack).all() && hit.point.cmple(high + slack).all()
    })
}

fn first(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
        let found = pair::first_pair(&case.a, &case.b, pose);
        checker.case(&found);
        check_first(checker, step, found, &truth.pairs);
        let hit = pair::first_hit(&case.a, &case.b, pose);
        checker.case(&hit);
        checker.check(hit.map(|h| (h.triangle_a, h.triangle_b)) == found, || {
            format!("step {step}: the first hit is {hit:?}, the first pair {found:?}")
        });
    }
}

fn check_first(
    checker: &mut Checker<'_>,
    step: usize,
    found: Option<(u32, u32)>,
    truth: &[(u32, u32)],
) {
    let holds = match found {
        Some(pair) => truth.binary_search(&pair).is_ok(),
        None => truth.is_empty(),
    };
    checker.check(holds, || format!("step {step}: found {found:?}, expected {truth:?}"));
}

fn cached(case: &Case<'_>, checker: &mut Checker<'_>) {
    let (mut pairs, mut hits) = (MeshCache::default(), MeshCache::default());
    for (step, pose, truth) in case.steps() {
        let found = pair::first_pair_cached(&case.a, &case.b, pose, &mut pairs);
        checker.case(&found);
        check_first(checker, step, found, &truth.pairs);
        let hit = pair::first_hit_cached(&case.a, &case.b, pose, &mut hits);
        checker.case(&hit);
        check_first(checker, step, hit.map(|h| (h.triangle_a, h.triangle_b)), &truth.pairs);
    }
}

fn verdict(case: &Case<'_>, checker: &mut Checker<'_>) {
    let used = |soup: &crate::sample::Soup, vertices: &[Vec3]| -> Vec<Vec3> {
        soup.triangles.iter().flatten().map(|v| vertices[*v as usize]).collect()
    };
    for (step, pose, truth) in case.steps() {
        let found = pair::intersects(&case.a, &case.b, pose);
        checker.case(&found);
        checker.check(found.is_intersecting() == truth.meet(), || {
            format!(
                "step {step}: {found:?}, expected {:?}, distance {:e}",
                truth.pairs,
                truth.approximate()
            )
        });
        let points_a = used(&case.sample.a, &case.sample.a.vertices);
        let points_b = used(&case.sample.b, &truth.posed);
        match found {
            Verdict::Intersecting(hit) => {
                check_first(checker, step, Some((hit.triangle_a, hit.triangle_b)), &truth.pairs);
            }
            Verdict::Separated(proof) => {
                let holds = match proof {
                    Separation::Empty => truth.distance.is_none(),
                    Separation::Slab { direction, lower: gap } => {
                        checker.count("slabs");
                        slab_holds(&points_a, &points_b, direction, gap)
                    }
                    Separation::Distance { lower } => {
                        checker.count("distances");
                        truth.is_at_least(lower)
                    }
                    _ => false,
                };
                checker.check(holds, || {
                    format!("step {step}: {proof:?} does not hold at {:e}", truth.approximate())
                });
                checker.check(proof.verify(&case.a, &case.b, pose), || {
                    format!("step {step}: {proof:?} does not verify")
                });
                checker.check(truth.is_at_least(proof.lower()) || truth.distance.is_none(), || {
                    format!(
                        "step {step}: a gap of {:e} at {:e}",
                        proof.lower(),
                        truth.approximate()
                    )
                });
            }
        }
        // False proofs must not verify.
        if truth.distance.is_some() {
            for direction in [Vec3::X, Vec3::NEG_Y] {
                let gap = truth.approximate() * 1.001 + 5e-324;
                let forged = Separation::Slab { direction, lower: gap };
                let is_false = !slab_holds(&points_a, &points_b, direction, gap);
                checker.check(is_false && !forged.verify(&case.a, &case.b, pose), || {
                    format!(
                        "step {step}: a forged {forged:?} verifies at {:e}",
                        truth.approximate()
                    )
                });
            }
        }
    }
}

fn without_trees(case: &Case<'_>, checker: &mut Checker<'_>) {
    let a = Posed::new(&case.a, &Pose::IDENTITY);
    for (step, pose, truth) in case.steps() {
        let b = Posed::new(&case.b, pose);
        let every = pairs_of(|sink| brute::traverse(&a, &b, sink));
        checker.case(&every);
        checker.check(every == truth.pairs, || {
            format!("step {step}: brute force {every:?}, expected {:?}", truth.pairs)
        });
        let swept = pairs_of(|sink| sweep::traverse(&a, &b, sink));
        checker.case(&swept);
        checker.check(swept == truth.pairs, || {
            format!("step {step}: the sweep {swept:?}, expected {:?}", truth.pairs)
        });
        let bounds = case.b.bounds_at(pose);
        for j in 0..case.b.triangles().len() as u32 {
            let corners = b.triangle(j);
            let original = case.b.triangle(j as usize).map(|v| pose.transform_point(v));
            let inside =
                corners.iter().all(|p| bounds.contains(*p) && b.triangle_bounds(j).contains(*p));
            checker.check(corners == original && inside, || format!("step {step}: triangle {j}"));
        }
        let region = a.bounds();
        let near = b.collect(&region).len();
        let expected = (0..case.b.triangles().len() as u32)
            .filter(|j| b.triangle_bounds(*j).overlaps(&region));
        checker.check(near == expected.count(), || format!("step {step}: collected {near}"));
    }
}

fn by_edges(case: &Case<'_>, checker: &mut Checker<'_>) {
    let a = Posed::new(&case.a, &Pose::IDENTITY);
    for (step, pose, truth) in case.steps() {
        let b = Posed::new(&case.b, pose);
        let checks = [
            EdgePreChecks::NONE,
            EdgePreChecks::OBJECT_BOX,
            EdgePreChecks::FACE_BOX,
            EdgePreChecks::COLLECT,
        ];
        for checks in checks {
            let found = pairs_of(|sink| {
                edges::traverse(&a, &b, &checks, sink);
            });
            checker.case(&found);
            checker.check(found == truth.pairs, || {
                format!("step {step}: {checks:?} finds {found:?}, expected {:?}", truth.pairs)
            });
        }
        // Relaxed answers may be wrong in one direction only.
        let early = edges::after_pre_checks(&a, &b);
        checker.case(&early.collision);
        checker.check(early.collision || !truth.meet(), || format!("step {step}: {early:?}"));
        let relaxed = edges::by_vertices(&a, &b);
        checker.case(&relaxed.collision);
        checker.check(!relaxed.collision || truth.meet(), || format!("step {step}: {relaxed:?}"));
        let mut first = First::default();
        edges::traverse(&a, &b, &EdgePreChecks::COLLECT, &mut first);
        check_first(checker, step, first.pair, &truth.pairs);
    }
}
