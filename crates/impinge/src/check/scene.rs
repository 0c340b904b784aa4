//! The pairs of parts of a scene that need a check: those whose boxes are close enough.

use crate::math::Aabb;
use crate::order::sort_by;
use crate::scene::{Part, Scene};

/// The pairs of parts whose boxes, in the scene's frame, are no further apart than `margin`,
/// smaller index first, sorted.
///
/// The list contains all pairs that meet or whose distance is at most `margin`. A check uses points
/// in the first part's frame, the boxes are in the scene's, and the conversion rounds; so each box
/// is first grown by a bound of that rounding. Ignored pairs are left out. Parts without triangles
/// have no pairs.
///
/// The method is a sweep along the axis on which the parts extend most: `O(n log n)` plus the
/// number of pairs that overlap on that axis.
#[must_use]
pub fn candidate_pairs(scene: &Scene, margin: f64) -> Vec<(usize, usize)> {
    let boxes: Vec<Aabb> = scene
        .parts()
        .iter()
        .enumerate()
        .map(|(i, p)| conservative_bounds(p, &scene.bounds_of(i), margin))
        .collect();
    let mut order: Vec<usize> = (0..boxes.len()).filter(|i| !boxes[*i].is_empty()).collect();
    let all = order.iter().fold(Aabb::EMPTY, |all, i| all.union(&boxes[*i]));
    let extent = if all.is_empty() { all.min } else { all.extent() };
    let axis = extent.max_position();
    sort_by(&mut order, &|a, b| boxes[*a].min[axis].total_cmp(&boxes[*b].min[axis]).then(a.cmp(b)));

    let mut found = Vec::new();
    let mut active: Vec<usize> = Vec::new();
    for i in order {
        // Only the box that is added is grown by the margin: rounding is monotone, so the
        // comparison of one rounded sum with a number that is not rounded cannot lose a pair.
        let grown = boxes[i].grown(margin);
        active.retain(|other| boxes[*other].max[axis] >= grown.min[axis]);
        for &other in &active {
            if grown.overlaps(&boxes[other]) && !scene.is_ignored(i, other) {
                found.push((i.min(other), i.max(other)));
            }
        }
        active.push(i);
    }
    found.sort_unstable();
    found
}

/// `bounds` grown by the largest distance that the change of frames can move a point of `part`.
///
/// With `R` the part's rotation, `u` a point of it and `e = R R^T - I`, a point that the relative
/// pose moves to `u` is within `|e| (|u| + margin)` of it in the scene's frame, plus the rounding
/// of about twelve operations on numbers no larger than the coordinates, the translation and the
/// margin.
fn conservative_bounds(part: &Part, bounds: &Aabb, margin: f64) -> Aabb {
    if bounds.is_empty() {
        return Aabb::EMPTY;
    }
    let r = part.pose.rotation();
    let product = r * r.transpose();
    let deviation = (0..3)
        .flat_map(|i| (0..3).map(move |j| (i, j)))
        .map(|(i, j)| (product.col(i)[j] - if i == j { 1.0 } else { 0.0 }).abs())
        .fold(0.0, f64::max);
    let own = part.mesh.bounds();
    let size = own.min.abs().max(own.max.abs()).max_element();
    let scale = size
        + part.pose.translation().abs().max_element()
        + bounds.min.abs().max(bounds.max.abs()).max_element()
        + margin;
    bounds.grown(8.0 * deviation * (size + margin) + 64.0 * f64::EPSILON * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Random, Vec3};
    use crate::mesh::Mesh;
    use std::sync::Arc;

    fn triangle(size: f64) -> Arc<Mesh> {
        let corners = vec![Vec3::ZERO, Vec3::X * size, Vec3::new(0.0, size, size)];
        Arc::new(Mesh::from_triangles(corners, vec![[0, 1, 2]]).unwrap())
    }

    #[test]
    fn the_sweep_and_a_comparison_of_all_boxes_agree() {
        let mut random = Random::new(7);
        for round in 0..40 {
            let mut scene = Scene::new();
            let spread = [1.0, 1e-9, 1e12][round % 3];
            for i in 0..60 {
                let t = [
                    random.unit() * 6.0 * spread,
                    random.unit() * 3.0 * spread,
                    random.unit() * 6.0 * spread,
                ];
                let q = [random.unit(), random.unit() - 0.5, random.unit(), random.unit() - 0.5];
                let pose = Pose::from_quaternion(q, t).unwrap();
                scene.add(format!("{i}"), triangle(spread * (0.2 + random.unit())), pose);
            }
            scene.ignore(3, 17);
            for margin in [0.0, 0.3 * spread] {
                let mut expected = Vec::new();
                for a in 0..60 {
                    for b in a + 1..60 {
                        let (x, y) = (scene.bounds_of(a), scene.bounds_of(b));
                        if x.grown(margin).overlaps(&y) && (a, b) != (3, 17) {
                            expected.push((a, b));
                        }
                    }
                }
                assert_eq!(candidate_pairs(&scene, margin), expected);
            }
        }
    }

    #[test]
    fn contacts_separated_by_rounding_in_the_scene_frame_are_kept() {
        // Two bodies that share a vertex in the frame of the first, placed in a rotated, distant
        // frame.
        let mesh = triangle(1.0);
        let mut random = Random::new(1);
        for _ in 0..200 {
            let q = [random.unit(), random.unit(), random.unit(), random.unit()];
            let frame = Pose::from_quaternion(q, [random.unit() * 1e6, 12.5, -3e5]).unwrap();
            let mut scene = Scene::new();
            scene.add("a", mesh.clone(), frame);
            scene.add(
                "b",
                mesh.clone(),
                frame.compose(&Pose::from_translation([1.0, 0.0, 0.0]).unwrap()).unwrap(),
            );
            assert_eq!(candidate_pairs(&scene, 0.0), [(0, 1)]);
        }
    }

    #[test]
    fn empty_scenes_and_empty_parts_have_no_pairs() {
        let mut scene = Scene::new();
        assert!(candidate_pairs(&scene, 1.0).is_empty());
        let nothing = Arc::new(Mesh::from_triangles(vec![], vec![]).unwrap());
        scene.add("nothing", nothing.clone(), Pose::IDENTITY);
        scene.add("nothing", nothing, Pose::IDENTITY);
        assert!(candidate_pairs(&scene, 1.0).is_empty());
    }
}
