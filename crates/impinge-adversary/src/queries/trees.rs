//! The trees of meshes: written, read, and refitted to moved vertices.

use impinge::internals;
use impinge::tree::Tree;
use impinge::{Deforming, Mesh, pair};

use super::measures::{Within, check_near};
use super::{Case, Row, pairs_of};
use crate::checker::Checker;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "trees from files",
        covers: &["tree::Tree::write", "tree::Tree::validate", "mesh::Mesh::restore_tree"],
        interval: 2,
        run: files,
    },
    Row {
        name: "deforming meshes",
        covers: &["mesh::Deforming::move_all", "mesh::Deforming::move_some", "tree::Tree::refit"],
        interval: 2,
        run: deforming,
    },
];

fn files(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut restored = Vec::new();
    for mesh in [&case.a, &case.b] {
        checker.check(mesh.tree().validate(mesh).is_ok(), || {
            format!("the tree is not valid: {:?}", mesh.tree().validate(mesh))
        });
        let mut bytes = Vec::new();
        mesh.tree().write(&mut bytes, mesh).expect("writing to memory succeeds");
        let tree = Tree::read(&*bytes, mesh).expect("the written tree is read");
        let fresh = Mesh::from_triangles(mesh.vertices().to_vec(), mesh.triangles().to_vec())
            .expect("the same mesh");
        checker.check(fresh.restore_tree(&*bytes).is_ok_and(|kept| kept), || {
            "the tree was not restored".to_owned()
        });
        restored.push((tree, fresh));
    }
    let [(tree_a, fresh_a), (tree_b, fresh_b)] = &restored[..] else { return };
    for (step, pose, truth) in case.steps() {
        let found = pair::intersecting_pairs(fresh_a, fresh_b, pose);
        checker.case(&found);
        checker.check(found == truth.pairs, || {
            format!("step {step}: {found:?} by restored trees, expected {:?}", truth.pairs)
        });
        let mut whole = false;
        let by_trees = pairs_of(|sink| {
            whole = internals::tree::traverse((&case.a, tree_a), (&case.b, tree_b), pose, sink);
        });
        checker.case(&(whole, &by_trees));
        // The trees cannot be used if sizes differ too much; the library then uses a sweep.
        checker.check(!whole || by_trees == truth.pairs, || {
            format!("step {step}: {by_trees:?} by trees that were read, expected {:?}", truth.pairs)
        });
        checker.count(if whole { "by trees" } else { "refused" });
        let mut near = Within(0.0, Vec::new());
        let searched = internals::tree::near((&case.a, tree_a), (&case.b, tree_b), pose, &mut near);
        near.1.sort_by_key(|p| (p.triangle_a, p.triangle_b));
        if searched {
            check_near(case, checker, truth, (step, 0.0), &near.1);
        }
    }
}

fn deforming(case: &Case<'_>, checker: &mut Checker<'_>) {
    // The vertices of B move to their positions at each pose: all at once, and a few at a time.
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
        for part in moved.chunks(2) {
            some.move_some(part).expect("in range");
        }
        tree.refit(whole.mesh()).expect("as many triangles");
        checker.check(tree.validate(whole.mesh()).is_ok(), || format!("step {step}: refitted"));
        for deformed in [&whole, &some] {
            let found =
                pair::intersecting_pairs(&case.a, deformed.mesh(), &impinge::Pose::IDENTITY);
            checker.case(&found);
            checker.check(found == truth.pairs, || {
                format!("step {step}: {found:?} of deformed meshes, expected {:?}", truth.pairs)
            });
            let distance = pair::distance(&case.a, deformed.mesh(), &impinge::Pose::IDENTITY);
            let holds = distance.is_none_or(|d| truth.is_between(d.lower, d.upper));
            checker
                .check(holds, || format!("step {step}: {distance:?} at {:e}", truth.approximate()));
        }
    }
}
