use glam::DMat3;

use super::*;
use crate::math::Random;

#[test]
fn a_tilted_slab_gets_its_own_axes() {
    let mut random = Random::new(1);
    for _ in 0..20 {
        let pose =
            Pose::from_quaternion(random.rotation().to_array(), random.in_cube() * 10.0).unwrap();
        let triangles: Vec<[Vec3; 3]> = (0..200)
            .map(|_| {
                [0; 3].map(|_| pose.transform_point(random.in_cube() * Vec3::new(3.0, 1.0, 0.1)))
            })
            .collect();
        let tight = OrientedBox::around_triangles(&triangles);
        assert!(tight.volume() < 1.5 * 8.0 * 0.3, "{}", tight.volume());
        let m = DMat3::from_cols(tight.axes[0], tight.axes[1], tight.axes[2]);
        let g = m.transpose() * m - DMat3::IDENTITY;
        assert!(g.to_cols_array().iter().all(|e| e.abs() <= 16.0 * UNIT_ROUNDOFF), "{g}");
    }
}

#[test]
fn boxes_that_are_separated_only_by_an_edge_product() {
    let square = |p: Pose| {
        OrientedBox::around(
            &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[x, y]| p.transform_point(Vec3::new(x, y, 0.0))),
        )
    };
    let upright = Pose::from_axis_angle([1.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2).unwrap();
    let flat = square(Pose::IDENTITY);
    let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.7).unwrap();
    for z in [0.9, 1.3, 1.6] {
        let lifted = Pose::from_translation([0.3, 0.0, z]).unwrap();
        let other = square(turned.compose(&lifted.compose(&upright).unwrap()).unwrap());
        let depth = flat.overlap_depth(&other);
        assert_eq!(flat.overlaps(&other), depth > 0.0);
        assert_eq!(flat.gap(&other) > 0.0, !flat.overlaps(&other));
    }
}
