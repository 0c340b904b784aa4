//! Articulated objects: every part has its own sphere-tree, made once, and moves with its part
//! (Hubbard 1995, section VII).
#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use impinge::pair::Budget;
use impinge::spheres::{BuildOptions, SphereTree};
use impinge::{Mesh, Pose, Vec3, Verdict, shapes};
use impinge_papers::hubbard::narrow::NarrowQuery;

/// A link of an arm, standing on its joint, and its tree.
struct Link {
    mesh: Mesh,
    tree: SphereTree,
}

fn covered(mesh: Mesh) -> Link {
    let options = BuildOptions::default().balls([4, 16]).rounds(6);
    let tree = SphereTree::build(&mesh, &options).unwrap();
    Link { mesh, tree }
}

/// The poses of the links of an arm whose joints turn about the y axis.
fn poses(angles: &[f64], length: f64) -> Vec<Pose> {
    let step = Pose::from_translation([0.0, 0.0, length]).unwrap();
    let mut joint = Pose::IDENTITY;
    let mut poses = Vec::new();
    for angle in angles {
        joint = joint.compose(&Pose::from_axis_angle(Vec3::Y, *angle).unwrap()).unwrap();
        poses.push(joint);
        joint = joint.compose(&step).unwrap();
    }
    poses
}

/// The arm meets an obstacle if a link does; its gap is at most the smallest of the links' bounds,
/// after every level.
#[test]
fn an_arm_has_a_tree_for_every_link() {
    let rod = shapes::cuboid([0.2, 0.2, 1.0]).unwrap();
    let standing = rod.vertices().iter().map(|v| *v + Vec3::Z * 0.5).collect();
    let link = covered(Mesh::from_triangles(standing, rod.triangles().to_vec()).unwrap());
    let ball = covered(shapes::icosphere(0.4, 3).unwrap());
    let obstacle = Pose::from_translation([1.1, 0.0, 1.3]).unwrap();
    let (mut hits, mut graded) = (0, 0);
    for step in 0..60 {
        let angle = f64::from(step) * 0.05;
        let links = poses(&[0.3 * angle, 0.7 * angle, -0.4 * angle], 1.0);
        let mut exact = false;
        for level in 1..=link.tree.levels() as u32 + 1 {
            let (mut meets, mut open) = (false, false);
            let mut gap = f64::INFINITY;
            let mut distance = f64::INFINITY;
            for pose in &links {
                let relative = Pose::relative(pose, &obstacle);
                let mut query =
                    NarrowQuery::new((&link.mesh, &link.tree), (&ball.mesh, &ball.tree));
                let limit = if level > 3 { u32::MAX } else { level };
                match query.within(&relative, &mut Budget::depth(limit)) {
                    Verdict::Intersecting(_) => meets = true,
                    Verdict::Separated(_) => {}
                    Verdict::Undecided(known) => {
                        open = true;
                        gap = gap.min(known.gap);
                        assert!((known.normal.length() - 1.0).abs() < 1e-9, "{known:?}");
                    }
                }
                let found = impinge::distance(&link.mesh, &ball.mesh, &relative).unwrap();
                distance = distance.min(found.upper);
                exact |= impinge::intersects(&link.mesh, &ball.mesh, &relative).is_intersecting();
            }
            if open {
                graded += 1;
                assert!(gap >= distance * (1.0 - 1e-12), "{step}: {gap} {distance}");
            }
            assert!(!meets || exact, "{step}");
            if level > 3 {
                assert_eq!(meets, exact, "{step}");
                hits += u32::from(meets);
            }
        }
    }
    assert!(hits > 3 && hits < 57 && graded > 20, "{hits} {graded}");
}
