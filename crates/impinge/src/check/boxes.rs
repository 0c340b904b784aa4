//! Parts that are axis-aligned boxes in the frame of the query.

use crate::arrays::MapEach;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;

/// A common point of two parts that are boxes with parallel sides and touch without common space;
/// `None` if they do anything else, or are anything else. `b` is at `pose` in `a`'s frame.
///
/// A pose without rotation moves each coordinate by itself, and rounding is monotone. So it maps
/// the faces of a box, cut in any way, onto the faces of the moved box, and the surface and the
/// space of the part are those of that box.
pub(super) fn touch(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<Vec3> {
    if pose.rotation() != Pose::IDENTITY.rotation() || !a.is_box() || !b.is_box() {
        return None;
    }
    let moved = [b.bounds().min, b.bounds().max].map_each(|corner| pose.transform_point(corner));
    let (one, other) = (a.bounds(), Aabb { min: moved[0], max: moved[1] });
    if !other.min.cmplt(other.max).all() {
        return None;
    }
    let (low, high) = (one.min.max(other.min), one.max.min(other.max));
    let touch = low.cmple(high).all() && low.cmpeq(high).any();
    touch.then(|| low + (high - low) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::super::{CheckOptions, Relation, check_pair};
    use super::*;
    use crate::math::Random;
    use crate::shapes;

    #[test]
    fn only_boxes_are_boxes() {
        let cube = shapes::cuboid([1.0, 2.0, 3.0]).unwrap();
        let grid = shapes::cuboid_grid([1.0, 2.0, 3.0], [3, 2, 4]).unwrap();
        assert!(cube.is_box() && grid.is_box());
        let tilt = Pose::from_axis_angle([1.0, 0.0, 0.0], 0.5).unwrap();
        assert!(!cube.transformed(&tilt).is_box());
        assert!(!shapes::icosphere(1.0, 2).unwrap().is_box());
        // A box with a face missing, and one with a dent.
        let triangles = cube.triangles()[2..].to_vec();
        assert!(!Mesh::from_triangles(cube.vertices().to_vec(), triangles).unwrap().is_box());
        let mut vertices = grid.vertices().to_vec();
        let inner = vertices.iter().position(|v| v.x.abs() < 0.4 && v.y.abs() < 0.9);
        vertices[inner.unwrap()].z *= 0.5;
        let dented = Mesh::from_triangles(vertices, grid.triangles().to_vec()).unwrap();
        assert!(!dented.is_box());
    }

    #[test]
    fn reports_about_boxes_are_those_of_their_triangles() {
        let mut random = Random::new(59);
        let (mut touching, mut other) = (0, 0);
        for round in 0..1500 {
            let scale = [1.0, 1e-3, 1e30, 0.1][round % 4];
            let mut size = || [0; 3].map(|_| (1 + random.index(3)) as f64 * scale);
            let (size_a, size_b) = (size(), size());
            let cells = [0; 3].map(|_| 1 + random.index(2));
            let a = shapes::cuboid_grid(size_a, cells).unwrap();
            let b = shapes::cuboid(size_b).unwrap();
            let shift = [0; 3].map(|_: usize| {
                let ulps = [0.0, 0.0, 0.0, 1.0, -1.0][random.index(5)];
                let steps = random.index(13) as f64 * 0.5 - 3.0;
                steps * scale * (1.0 + ulps * f64::EPSILON)
            });
            let pose = Pose::from_translation(shift).unwrap();
            let full = check_pair(&a, &b, &pose, &CheckOptions::default());
            let options = CheckOptions::default().relation_only(true);
            let short = check_pair(&a, &b, &pose, &options);
            assert_eq!(short.relation, full.relation, "{size_a:?} {size_b:?} {shift:?}");
            let point = touch(&a, &b, &pose);
            assert_eq!(point.is_some(), full.relation == Relation::Touching);
            if let Some(p) = point {
                touching += 1;
                // The point is in both boxes, so it is on both boundaries.
                let back = pose.transform_point(b.bounds().min);
                assert!(a.bounds().contains(p) && p.cmpge(back).all());
                assert!(p.cmple(pose.transform_point(b.bounds().max)).all());
            } else {
                other += 1;
            }
        }
        assert!(touching > 80 && other > 500, "{touching} {other}");
    }
}
