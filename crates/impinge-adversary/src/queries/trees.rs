//! The trees of meshes: stored, read again, refitted to moved vertices.

use impinge::internals;
use impinge::tree::Tree;
use impinge::{Deforming, Mesh, pair};

use super::measures::{Within, judge_near};
use super::{Case, Row, pairs_of};
use crate::judge::Judge;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "trees from files",
        covers: &["tree::Tree::write", "tree::Tree::validate", "mesh::Mesh::restore_tree"],
        every: 2,
        ask: files,
    },
    Row {
        name: "meshes that bend",
        covers: &["mesh::Deforming::move_all", "mesh::Deforming::move_some", "tree::Tree::refit"],
        every: 2,
        ask: deforming,
    },
];

fn files(case: &Case<'_>, judge: &mut Judge<'_>) {
    let mut restored = Vec::new();
    for mesh in [&case.a, &case.b] {
        judge.check(mesh.tree().validate(mesh).is_ok(), || {
            format!("the tree is not valid: {:?}", mesh.tree().validate(mesh))
        });
        let mut bytes = Vec::new();
        mesh.tree().write(&mut bytes, mesh).expect("memory takes everything");
        let tree = Tree::read(&*bytes, mesh).expect("what was written");
        let fresh = Mesh::from_triangles(mesh.vertices().to_vec(), mesh.triangles().to_vec())
            .expect("the same mesh");
        judge.check(fresh.restore_tree(&*bytes).is_ok_and(|kept| kept), || {
            "the tree was not restored".to_owned()
        });
        restored.push((tree, fresh));
    }
    let [(tree_a, fresh_a), (tree_b, fresh_b)] = &restored[..] else { return };
    for (step, pose, truth) in case.steps() {
        let found = pair::intersecting_pairs(fresh_a, fresh_b, pose);
        judge.case(&found);
        judge.check(found == truth.pairs, || {
            format!("step {step}: {found:?} by restored trees, in truth {:?}", truth.pairs)
        });
        let mut whole = false;
        let by_trees = pairs_of(|sink| {
            whole = internals::tree::traverse((&case.a, tree_a), (&case.b, tree_b), pose, sink);
        });
        judge.case(&(whole, &by_trees));
        // A refusal is legal where sizes differ too much; the caller then sweeps.
        judge.check(!whole || by_trees == truth.pairs, || {
            format!("step {step}: {by_trees:?} by trees read, in truth {:?}", truth.pairs)
        });
        judge.count(if whole { "by trees" } else { "refused" });
        let mut near = Within(0.0, Vec::new());
        let searched = internals::tree::near((&case.a, tree_a), (&case.b, tree_b), pose, &mut near);
        near.1.sort_by_key(|p| (p.a, p.b));
        if searched {
            judge_near(case, judge, truth, (step, 0.0), &near.1);
        }
    }
}

fn deforming(case: &Case<'_>, judge: &mut Judge<'_>) {
    // B deforms from its own frame to where each pose puts it, then all at once and a few at a
    // time.
    let mut whole = Deforming::new(case.b.clone());
    let mut some = Deforming::new(case.b.clone());
    let mut tree = Tree::build(&case.b);
    for (step, _, truth) in case.steps() {
        let in_range = truth.posed.iter().all(|p| p.abs().max_element() <= impinge::MAX_COORDINATE);
        if !in_range {
            continue;
        }
        whole.move_all(&truth.posed).expect("in range");
        let moved: Vec<(u32, impinge::Vec3)> =
            truth.posed.iter().enumerate().map(|(k, p)| (k as u32, *p)).collect();
        for few in moved.chunks(2) {
            some.move_some(few).expect("in range");
        }
        tree.refit(whole.mesh()).expect("as many triangles");
        judge.check(tree.validate(whole.mesh()).is_ok(), || format!("step {step}: refitted"));
        for bent in [&whole, &some] {
            let found = pair::intersecting_pairs(&case.a, bent.mesh(), &impinge::Pose::IDENTITY);
            judge.case(&found);
            judge.check(found == truth.pairs, || {
                format!("step {step}: {found:?} of bent meshes, in truth {:?}", truth.pairs)
            });
            let distance = pair::distance(&case.a, bent.mesh(), &impinge::Pose::IDENTITY);
            let holds = distance.is_none_or(|d| truth.is_between(d.lower, d.upper));
            judge.check(holds, || format!("step {step}: {distance:?} at {:e}", truth.roughly()));
        }
    }
}
