//! The arrays of a tree, checked from outside by walking it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::internals::tree::{Arrays, Link, LocalBox, arrays};
use impinge::internals::wide::{Lanes3, Task, Wide, Wide3, run};
use impinge::{Deforming, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{grid_soups, needles, tilted_star};

/// A walk over all links from the root.
struct Walk<'a> {
    tree: Arrays<'a>,
    mesh: &'a Mesh,
    /// How often each node, leaf and triangle was reached.
    reached: [Vec<u32>; 3],
    /// The boxes above the present link.
    ancestors: Vec<LocalBox>,
}

impl Walk<'_> {
    fn visit(&mut self, link: Link) -> Result<(), String> {
        let index = link.index();
        self.reached[usize::from(link.is_leaf())][index] += 1;
        if link.is_leaf() {
            return self.visit_leaf(index);
        }
        let node = &self.tree.nodes[index];
        self.ancestors.push(node.bounds);
        for (slot, below) in node.links() {
            self.ancestors.push(node.get(slot));
            self.visit(below)?;
            self.ancestors.pop();
        }
        self.ancestors.pop();
        Ok(())
    }

    fn visit_leaf(&mut self, index: usize) -> Result<(), String> {
        let leaf = &self.tree.leaves[index];
        self.ancestors.push(leaf.bounds());
        for triangle in &leaf.triangles[..leaf.count as usize] {
            self.reached[2][*triangle as usize] += 1;
            for corner in self.mesh.triangle(*triangle as usize) {
                let local = self.tree.frame.local(corner);
                if let Some(wrong) = self.ancestors.iter().find(|b| !contains(b, local)) {
                    return Err(format!("triangle {triangle} is not inside of {wrong:?}"));
                }
            }
        }
        self.ancestors.pop();
        Ok(())
    }
}

fn contains(b: &LocalBox, p: Vec3) -> bool {
    let (center, half) = (b.center.map(f64::from), b.half.map(f64::from));
    let distance = (p - Vec3::from_array(center)).abs();
    distance.cmple(Vec3::from_array(half)).all()
}

/// Checks that every node, leaf and triangle of a tree is reached exactly once, and that every
/// triangle is in the boxes of all its ancestors.
fn check(tree: Arrays<'_>, mesh: &Mesh) -> Result<(), String> {
    let counts = [tree.nodes.len(), tree.leaves.len(), mesh.triangles().len()];
    let reached = counts.map(|n| vec![0; n]);
    let mut walk = Walk { tree, mesh, reached, ancestors: Vec::new() };
    if let Some((bounds, link)) = tree.root {
        walk.ancestors.push(bounds);
        walk.visit(link)?;
    }
    for (reached, what) in walk.reached.iter().zip(["node", "leaf", "triangle"]) {
        if let Some(i) = reached.iter().position(|count| *count != 1) {
            return Err(format!("{what} {i} is reached {} times", reached[i]));
        }
    }
    Ok(())
}

fn check_mesh(mesh: &Mesh) {
    check(arrays(mesh.tree()), mesh).unwrap();
}

#[test]
fn every_triangle_is_in_one_leaf_and_in_the_boxes_above_it() {
    let away = Pose::from_translation([1e7, -3e6, 5e5]).unwrap();
    for mesh in [
        shapes::tetrahedron(1.0).unwrap(),
        shapes::torus(1.0, 0.4, 96, 48).unwrap(),
        shapes::cuboid_grid([1.0, 2.0, 1.0], [9, 9, 9]).unwrap(),
        impinge_samples::shapes::stalagmites(4, 3, 6, 1).unwrap(),
        tilted_star(),
    ] {
        check_mesh(&mesh);
        check_mesh(&mesh.transformed(&away));
    }
    grid_soups(40, |a, b, _| [a, b].into_iter().for_each(check_mesh));
    needles(10, |a, b, _| [a, b].into_iter().for_each(check_mesh));
    check_mesh(&Mesh::from_triangles(Vec::new(), Vec::new()).unwrap());
}

#[test]
fn the_tree_of_a_deformed_mesh_has_the_same_properties() {
    let mut random = Random::new(3);
    let mut body = Deforming::new(shapes::plane([4.0, 4.0], [40, 40]).unwrap());
    for _ in 0..10 {
        let moved: Vec<Vec3> =
            body.mesh().vertices().iter().map(|v| *v + random.point() * 0.3).collect();
        body.move_all(&moved).unwrap();
        check_mesh(body.mesh());
    }
}

#[test]
fn a_tree_of_another_mesh_is_refused() {
    let ball = shapes::icosphere(1.0, 6).unwrap();
    let mut moved = ball.vertices().to_vec();
    moved[17] *= 1.5;
    let other = Mesh::from_triangles(moved, ball.triangles().to_vec()).unwrap();
    assert!(check(arrays(ball.tree()), &other).unwrap_err().contains("not inside"));
    let tree = arrays(ball.tree());
    let first = Arrays { root: tree.root.map(|(b, _)| (b, tree.nodes[0].link[0])), ..tree };
    assert!(check(first, &ball).unwrap_err().contains("reached 0 times"));
}

/// The slots of a node whose boxes share a point with a box, by vectors of eight numbers.
struct Overlaps<'a> {
    center: &'a Lanes3,
    half: &'a Lanes3,
    other: LocalBox,
}

impl Task for Overlaps<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<W: Wide>(self) -> u32 {
        let distance = Wide3::<W>::load(self.center).sub(Wide3::splat(self.other.center)).abs();
        let reach = Wide3::<W>::load(self.half).add(Wide3::splat(self.other.half));
        distance.all_le(reach).bits()
    }
}

#[test]
fn eight_boxes_are_compared_at_once() {
    let ring = shapes::torus(1.0, 0.4, 48, 24).unwrap();
    let nodes = arrays(ring.tree()).nodes;
    let (mut overlapping, mut apart) = (0, 0);
    for node in nodes {
        for other in nodes.iter().map(|n| n.bounds) {
            let found = run(Overlaps { center: &node.center, half: &node.half, other });
            let expected = (0..8).filter(|slot| {
                let b = node.get(*slot);
                (0..3).all(|k| (b.center[k] - other.center[k]).abs() <= b.half[k] + other.half[k])
            });
            assert_eq!(found, expected.fold(0, |bits, slot| bits | 1 << slot));
            overlapping += found.count_ones();
            apart += 8 - found.count_ones();
        }
    }
    assert!(overlapping > 100 && apart > 100, "{overlapping} {apart}");
}
