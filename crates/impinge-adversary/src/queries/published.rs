//! The trees of the papers.

use std::ops::ControlFlow;

use impinge::pair::{Budget, NearPair};
use impinge_papers::hubbard::bsp::{BspOptions, BspQuery, BspTree, Question};
use impinge_papers::hubbard::narrow::{NarrowQuery, overlapped};
use impinge_papers::hubbard::spheres::{SphereOptions, octree};
use impinge_papers::klosowski::bv_tree::{
    BuildOptions, ByShape, Counts, DopShapes, Front, Order, Recording, TumbleOptions,
};
use impinge_papers::klosowski::bv_tree::{BvQuery, BvTree};
use impinge_papers::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};
use impinge_papers::zachmann::box_tree::{self, BoxTest, BoxTree, LeafTest, Options};

use super::budgets::{STEP_LIMITS, check_outcome};
use super::measures::check_near;
use super::{Case, Row, pairs_of};
use crate::checker::Checker;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "trees of bounding volumes",
        covers: &[
            "klosowski::bv_tree::BvQuery::traverse",
            "klosowski::bv_tree::BvQuery::traverse_counted",
            "klosowski::bv_tree::BvQuery::within",
            "klosowski::bv_tree::BvQuery::within_counted",
            "klosowski::bv_tree::BvQuery::coherent",
            "klosowski::bv_tree::BvQuery::coherent_counted",
            "klosowski::bv_tree::BvQuery::near",
            "klosowski::bv_tree::BvQuery::near_counted",
            "klosowski::bv_tree::BvTree::validate",
            "klosowski::bv_tree::BvTree::triangles_of",
        ],
        interval: 3,
        run: bv,
    },
    Row { name: "tumbled k-DOPs", covers: &[], interval: 4, run: tumbled },
    Row {
        name: "BSP trees and sphere-trees",
        covers: &[
            "hubbard::bsp::BspQuery::meets",
            "hubbard::bsp::BspQuery::within",
            "hubbard::bsp::BspTree::validate",
            "hubbard::narrow::NarrowQuery::within",
            "hubbard::narrow::NarrowQuery::coherent",
            "hubbard::narrow::overlapped",
            "hubbard::spheres::octree",
        ],
        interval: 4,
        run: hubbard,
    },
    Row {
        name: "box-trees",
        covers: &[
            "zachmann::box_tree::traverse",
            "zachmann::box_tree::traverse_counted",
            "zachmann::box_tree::BoxTree::validate",
        ],
        interval: 3,
        run: box_trees,
    },
];

fn hubbard(case: &Case<'_>, checker: &mut Checker<'_>) {
    let tree = BspTree::build(&case.a, &BspOptions::default());
    checker.check(tree.validate(&case.a).is_ok(), || format!("{:?}", tree.validate(&case.a)));
    let mut bsp = BspQuery::new((&case.a, &tree), &case.b).expect("the tree belongs to the mesh");
    let options = SphereOptions::default().levels(2);
    // A mesh without triangles, or too large for the coordinates of spheres, has no sphere-tree.
    let trees = octree(&case.a, &options).and_then(|a| Ok((a, octree(&case.b, &options)?)));
    let mut spheres =
        trees.as_ref().ok().map(|(a, b)| NarrowQuery::new((&case.a, a), (&case.b, b)));
    for (step, pose, truth) in case.steps() {
        let expected = truth.meet();
        let verdict = bsp.meets(pose, Question::Surfaces);
        checker.case(&verdict.is_intersecting());
        let holds = !verdict.is_undecided() && verdict.is_intersecting() == expected;
        checker.check(holds, || format!("step {step}: BSP tree: {verdict:?}"));
        let known = bsp.within(pose, Question::Surfaces, &mut Budget::steps(3));
        let holds = known.is_undecided() || known.is_intersecting() == expected;
        checker.check(holds, || format!("step {step}: BSP tree within 3 steps: {known:?}"));
        let Some(spheres) = &mut spheres else { continue };
        let answers = [
            spheres.within(pose, &mut Budget::unlimited()),
            spheres.coherent(pose, &mut Budget::unlimited()),
        ];
        for answer in answers {
            let holds = !answer.is_undecided() && answer.is_intersecting() == expected;
            checker.check(holds, || format!("step {step}: sphere-trees: {answer:?}"));
        }
        let narrow = |()| spheres.within(pose, &mut Budget::unlimited()).is_intersecting();
        let overlapped = overlapped(|found| found(()), narrow);
        checker.check(overlapped == [expected], || format!("step {step}: {overlapped:?}"));
        let known = spheres.within(pose, &mut Budget::steps(3));
        let holds = known.is_undecided() || known.is_intersecting() == expected;
        checker.check(holds, || format!("step {step}: sphere-trees within 3 steps: {known:?}"));
    }
}

fn bv(case: &Case<'_>, checker: &mut Checker<'_>) {
    match case.sample.index / 3 % 6 {
        0 => bv_of::<Dop6>(case, checker),
        1 => bv_of::<Dop14>(case, checker),
        2 => bv_of::<Dop18>(case, checker),
        3 => bv_of::<Dop26>(case, checker),
        4 => bv_of::<OrientedBox>(case, checker),
        _ => bv_of::<Sphere>(case, checker),
    }
}

fn bv_of<V: Volume>(case: &Case<'_>, checker: &mut Checker<'_>) {
    let tree_a = BvTree::<V>::build(&case.a, &BuildOptions::environment());
    let tree_b = BvTree::<V>::build(&case.b, &BuildOptions::flying());
    for (tree, mesh) in [(&tree_a, &case.a), (&tree_b, &case.b)] {
        checker.check(tree.validate(mesh).is_ok(), || {
            format!("{}: {:?}", V::NAME, tree.validate(mesh))
        });
    }
    let mut query = BvQuery::new((&case.a, &tree_a), (&case.b, &tree_b))
        .expect("each tree belongs to its mesh");
    let mut front = Front::new();
    for (step, pose, truth) in case.steps() {
        for order in [Order::Environment, Order::Restart, Order::Larger] {
            let found = pairs_of(|sink| query.traverse(pose, order, sink));
            checker.case(&found);
            checker.check(found == truth.pairs, || {
                format!("step {step}: {} {order:?}: {found:?}, expected {:?}", V::NAME, truth.pairs)
            });
        }
        let mut counts = Counts::default();
        let found = pairs_of(|sink| query.coherent_counted(pose, &mut front, sink, &mut counts));
        checker.case(&found);
        checker.check(found == truth.pairs, || {
            format!("step {step}: {} front: {found:?}, expected {:?}", V::NAME, truth.pairs)
        });
        for steps in STEP_LIMITS {
            let mut budget = steps.map_or_else(Budget::unlimited, Budget::steps);
            let mut counts = Counts::default();
            let outcome = query.within_counted(pose, &mut budget, &mut counts);
            checker.case(&outcome);
            check_outcome(case, checker, truth, (step, *steps), &outcome);
        }
        for epsilon in [0.0, truth.approximate()] {
            let mut near = Vec::new();
            let mut take = |pair: NearPair| {
                near.push(pair);
                ControlFlow::Continue(())
            };
            query.near_counted(pose, epsilon, Order::Larger, &mut take, &mut counts);
            let mut count = 0;
            query.near(pose, epsilon, Order::Restart, &mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            checker.check(count == near.len(), || {
                format!("step {step}: {count} near pairs, {} with counters", near.len())
            });
            near.sort_by_key(|p| (p.triangle_a, p.triangle_b));
            checker.case(&near.len());
            check_near(case, checker, truth, (step, epsilon), &near);
        }
    }
    let pose = &case.sample.poses[0];
    let found = pairs_of(|sink| query.coherent(pose, &mut Front::new(), sink));
    let nodes = tree_a.nodes().len() as u32;
    let listed: usize = (0..nodes)
        .filter(|n| tree_a.nodes()[*n as usize].is_leaf())
        .map(|n| tree_a.triangles_of(n).len())
        .sum();
    checker.check(listed == case.a.triangles().len(), || format!("{listed} triangles in leaves"));
    let unlimited = query.within(pose, &mut Budget::unlimited());
    checker.check(unlimited.is_intersecting() != found.is_empty(), || {
        format!("{unlimited:?} {found:?}")
    });
    // Costs are measured times, so they are not part of the digest and have no expected value; they
    // only must be numbers.
    let mut recording = Recording::default();
    query.traverse_counted(&case.sample.poses[0], Order::Larger, &mut Ignore, &mut recording);
    let costs = query.measure(&case.sample.poses[0], &recording, 1);
    checker.check(!format!("{costs:?}").contains("NaN"), || format!("{costs:?}"));
}

/// Ignores all pairs.
struct Ignore;

impl impinge::pair::Sink for Ignore {
    fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn tumbled(case: &Case<'_>, checker: &mut Checker<'_>) {
    let tree_a = BvTree::<Dop14>::build(&case.a, &BuildOptions::environment());
    let tree_b = BvTree::<Dop14>::build(&case.b, &BuildOptions::flying());
    for options in
        [TumbleOptions::published(), TumbleOptions::approximate(), TumbleOptions::exact()]
    {
        let shapes =
            DopShapes::new(&case.b, &tree_b, &options).expect("the tree belongs to its mesh");
        let mut query =
            BvQuery::with_tumble((&case.a, &tree_a), (&case.b, &tree_b), ByShape::new(&shapes))
                .expect("each tree belongs to its mesh");
        for (step, pose, truth) in case.steps() {
            let found = pairs_of(|sink| query.traverse(pose, Order::Larger, sink));
            checker.case(&found);
            checker.check(found == truth.pairs, || {
                format!("step {step}: {options:?}: {found:?}, expected {:?}", truth.pairs)
            });
        }
    }
}

fn box_trees(case: &Case<'_>, checker: &mut Checker<'_>) {
    let small = Options::default().min_polygons(1).max_depth(12);
    let build = |mesh: &impinge::Mesh| BoxTree::build(mesh, &small);
    let (tree_a, tree_b) = (build(&case.a).expect("options"), build(&case.b).expect("options"));
    for (tree, mesh) in [(&tree_a, &case.a), (&tree_b, &case.b)] {
        checker.check(tree.validate(mesh).is_ok(), || format!("{:?}", tree.validate(mesh)));
    }
    let mut scratch = box_tree::Scratch::default();
    for (step, pose, truth) in case.steps() {
        for test in [BoxTest::Clipping, BoxTest::AxisAligned] {
            for leaves in [LeafTest::Edges, LeafTest::Triangles] {
                let query = box_tree::Query::new((&case.a, &tree_a), (&case.b, &tree_b), pose)
                    .expect("the trees are those of the meshes")
                    .boxes(test)
                    .leaves(leaves);
                let found = pairs_of(|sink| box_tree::traverse(&query, &mut scratch, sink));
                checker.case(&found);
                let mut counts = box_tree::Counts::default();
                let counted = pairs_of(|sink| {
                    box_tree::traverse_counted(&query, &mut scratch, &mut counts, sink);
                });
                checker.check(counted == found, || format!("step {step}: counted {counted:?}"));
                checker.check(found == truth.pairs, || {
                    format!(
                        "step {step}: {test:?} {leaves:?}: {found:?}, expected {:?}",
                        truth.pairs
                    )
                });
            }
        }
    }
}
