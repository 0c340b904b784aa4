//! The trees of the papers.

use std::ops::ControlFlow;

use impinge::pair::{Budget, NearPair};
use impinge_papers::klosowski::bv_tree::{
    BuildOptions, ByShape, Counts, DopShapes, Front, Order, Recording, TumbleOptions,
};
use impinge_papers::klosowski::bv_tree::{BvQuery, BvTree};
use impinge_papers::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};
use impinge_papers::zachmann::box_tree::{self, BoxTest, BoxTree, LeafTest, Options};

use super::budgets::{STEPS, judge_outcome};
use super::measures::judge_near;
use super::{Case, Row, pairs_of};
use crate::judge::Judge;

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
        every: 3,
        ask: bv,
    },
    Row { name: "tumbled k-DOPs", covers: &[], every: 4, ask: tumbled },
    Row {
        name: "box-trees",
        covers: &[
            "zachmann::box_tree::traverse",
            "zachmann::box_tree::traverse_counted",
            "zachmann::box_tree::BoxTree::validate",
        ],
        every: 3,
        ask: box_trees,
    },
];

fn bv(case: &Case<'_>, judge: &mut Judge<'_>) {
    match case.sample.index / 3 % 6 {
        0 => bv_of::<Dop6>(case, judge),
        1 => bv_of::<Dop14>(case, judge),
        2 => bv_of::<Dop18>(case, judge),
        3 => bv_of::<Dop26>(case, judge),
        4 => bv_of::<OrientedBox>(case, judge),
        _ => bv_of::<Sphere>(case, judge),
    }
}

fn bv_of<V: Volume>(case: &Case<'_>, judge: &mut Judge<'_>) {
    let tree_a = BvTree::<V>::build(&case.a, &BuildOptions::environment());
    let tree_b = BvTree::<V>::build(&case.b, &BuildOptions::flying());
    for (tree, mesh) in [(&tree_a, &case.a), (&tree_b, &case.b)] {
        judge.check(tree.validate(mesh).is_ok(), || {
            format!("{}: {:?}", V::NAME, tree.validate(mesh))
        });
    }
    let mut query = BvQuery::new((&case.a, &tree_a), (&case.b, &tree_b)).expect("each of its mesh");
    let mut front = Front::new();
    for (step, pose, truth) in case.steps() {
        for order in [Order::Environment, Order::Restart, Order::Larger] {
            let found = pairs_of(|sink| query.traverse(pose, order, sink));
            judge.case(&found);
            judge.check(found == truth.pairs, || {
                format!("step {step}: {} {order:?}: {found:?}, in truth {:?}", V::NAME, truth.pairs)
            });
        }
        let mut counts = Counts::default();
        let found = pairs_of(|sink| query.coherent_counted(pose, &mut front, sink, &mut counts));
        judge.case(&found);
        judge.check(found == truth.pairs, || {
            format!("step {step}: {} front: {found:?}, in truth {:?}", V::NAME, truth.pairs)
        });
        for steps in STEPS {
            let mut budget = steps.map_or_else(Budget::unlimited, Budget::steps);
            let mut counts = Counts::default();
            let outcome = query.within_counted(pose, &mut budget, &mut counts);
            judge.case(&outcome);
            judge_outcome(case, judge, truth, (step, *steps), &outcome);
        }
        for epsilon in [0.0, truth.roughly()] {
            let mut near = Vec::new();
            let mut take = |pair: NearPair| {
                near.push(pair);
                ControlFlow::Continue(())
            };
            query.near_counted(pose, epsilon, Order::Larger, &mut take, &mut counts);
            let mut again = 0;
            query.near(pose, epsilon, Order::Restart, &mut |_| {
                again += 1;
                ControlFlow::Continue(())
            });
            judge.check(again == near.len(), || format!("step {step}: {again} near pairs again"));
            near.sort_by_key(|p| (p.a, p.b));
            judge.case(&near.len());
            judge_near(case, judge, truth, (step, epsilon), &near);
        }
    }
    let pose = &case.sample.poses[0];
    let found = pairs_of(|sink| query.coherent(pose, &mut Front::new(), sink));
    let by_nodes = tree_a.nodes().len() as u32;
    let listed: usize = (0..by_nodes)
        .filter(|n| tree_a.nodes()[*n as usize].is_leaf())
        .map(|n| tree_a.triangles_of(n).len())
        .sum();
    judge.check(listed == case.a.triangles().len(), || format!("{listed} triangles at leaves"));
    let unlimited = query.within(pose, &mut Budget::unlimited());
    judge.check(unlimited.is_intersecting() != found.is_empty(), || {
        format!("{unlimited:?} {found:?}")
    });
    // Costs are times, which no digest holds; that the same pairs are compared again is all there
    // is.
    let mut recording = Recording::default();
    query.traverse_counted(&case.sample.poses[0], Order::Larger, &mut Ignore, &mut recording);
    let costs = query.measure(&case.sample.poses[0], &recording, 1);
    judge.check(!format!("{costs:?}").contains("NaN"), || format!("{costs:?}"));
}

/// Takes every pair and keeps none.
struct Ignore;

impl impinge::pair::Sink for Ignore {
    fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn tumbled(case: &Case<'_>, judge: &mut Judge<'_>) {
    let tree_a = BvTree::<Dop14>::build(&case.a, &BuildOptions::environment());
    let tree_b = BvTree::<Dop14>::build(&case.b, &BuildOptions::flying());
    for options in
        [TumbleOptions::published(), TumbleOptions::approximate(), TumbleOptions::exact()]
    {
        let shapes = DopShapes::new(&case.b, &tree_b, &options).expect("of its mesh");
        let mut query =
            BvQuery::with_tumble((&case.a, &tree_a), (&case.b, &tree_b), ByShape::new(&shapes))
                .expect("each of its mesh");
        for (step, pose, truth) in case.steps() {
            let found = pairs_of(|sink| query.traverse(pose, Order::Larger, sink));
            judge.case(&found);
            judge.check(found == truth.pairs, || {
                format!("step {step}: {options:?}: {found:?}, in truth {:?}", truth.pairs)
            });
        }
    }
}

fn box_trees(case: &Case<'_>, judge: &mut Judge<'_>) {
    let small = Options { min_polygons: 1, max_depth: 12, ..Options::default() };
    let build = |mesh: &impinge::Mesh| BoxTree::build(mesh, &small);
    let (tree_a, tree_b) = (build(&case.a).expect("options"), build(&case.b).expect("options"));
    for (tree, mesh) in [(&tree_a, &case.a), (&tree_b, &case.b)] {
        judge.check(tree.validate(mesh).is_ok(), || format!("{:?}", tree.validate(mesh)));
    }
    let mut scratch = box_tree::Scratch::default();
    for (step, pose, truth) in case.steps() {
        for test in [BoxTest::Clipping, BoxTest::AxisAligned] {
            for leaves in [LeafTest::Edges, LeafTest::Triangles] {
                let query = box_tree::Query {
                    boxes: test,
                    leaves,
                    ..box_tree::Query::new((&case.a, &tree_a), (&case.b, &tree_b), pose)
                };
                let found = pairs_of(|sink| box_tree::traverse(&query, &mut scratch, sink));
                judge.case(&found);
                let mut counts = box_tree::Counts::default();
                let counted = pairs_of(|sink| {
                    box_tree::traverse_counted(&query, &mut scratch, &mut counts, sink);
                });
                judge.check(counted == found, || format!("step {step}: counted {counted:?}"));
                judge.check(found == truth.pairs, || {
                    format!(
                        "step {step}: {test:?} {leaves:?}: {found:?}, in truth {:?}",
                        truth.pairs
                    )
                });
            }
        }
    }
}
