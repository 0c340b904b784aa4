use super::*;
use impinge::internals::Random;

fn cube() -> Vec<Vec3> {
    (0..8)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)))
        .collect()
}

/// An octahedron, by its corners at distance `r`.
fn octahedron(r: f64) -> Vec<Vec3> {
    [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|v| [v * r, v * -r]).collect()
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

#[test]
fn volumes_and_surfaces_of_known_solids() {
    let c = cube();
    assert_eq!((Dop6::around(&c).volume(), Dop6::around(&c).surface()), (1.0, 6.0));
    for (v, s) in [
        (Dop14::around(&c).volume(), Dop14::around(&c).surface()),
        (Dop18::around(&c).volume(), Dop18::around(&c).surface()),
        (Dop26::around(&c).volume(), Dop26::around(&c).surface()),
    ] {
        assert!(is_near(v, 1.0) && is_near(s, 6.0), "{v} {s}");
    }
    // The octahedron is itself a 14-DOP, with edges of length r sqrt 2.
    let o = octahedron(2.0);
    let dop = Dop14::around(&o);
    assert!(is_near(dop.volume(), 4.0 / 3.0 * 8.0), "{}", dop.volume());
    assert!(is_near(dop.surface(), 4.0 * 3.0_f64.sqrt() * 4.0), "{}", dop.surface());
    assert!(is_near(Dop26::around(&o).volume(), 4.0 / 3.0 * 8.0));
    // The rhombic dodecahedron |x| + |y| <= 2 and so on. Its corners on the axes are at 2, so
    // nothing is cut off.
    let mut r = octahedron(2.0);
    r.extend(cube().iter().map(|p| *p * 2.0 - Vec3::ONE));
    assert!(
        is_near(Dop18::around(&r).volume(), 16.0 * 1.0 * 1.0),
        "{}",
        Dop18::around(&r).volume()
    );
}

#[test]
fn volumes_of_flat_and_far_dops() {
    let flat: Vec<Vec3> = cube().iter().map(|p| *p * Vec3::new(1.0, 1.0, 0.0)).collect();
    for (v, s) in [
        (Dop14::around(&flat).volume(), Dop14::around(&flat).surface()),
        (Dop26::around(&flat).volume(), Dop26::around(&flat).surface()),
    ] {
        assert!(v.abs() < 1e-12 && is_near(s, 2.0), "{v} {s}");
    }
    let far: Vec<Vec3> = cube().iter().map(|p| *p + Vec3::splat(1e6)).collect();
    assert!((Dop26::around(&far).volume() - 1.0).abs() < 1e-8);
    let one = Dop18::around(&[Vec3::ONE]);
    assert_eq!((one.volume(), one.surface(), one.size()), (0.0, 0.0, 0.0));
}

#[test]
fn a_moved_dop_is_within_the_moved_box_and_grows_with_fewer_directions() {
    let mut random = Random::new(5);
    let mut sums = [0.0; 4];
    for _ in 0..200 {
        let points: Vec<Vec3> = (0..20).map(|_| random.direction()).collect();
        let pose = Pose::from_quaternion(random.rotation().to_array(), random.in_cube()).unwrap();
        let outer = Dop6::around(&points).transformed(&pose);
        let dop = Dop26::around(&points).transformed(&pose);
        for i in 0..3 {
            assert!(dop.min[i] >= outer.min[i] - 1e-13 && dop.max[i] <= outer.max[i] + 1e-13);
        }
        sums[0] += outer.volume();
        sums[1] += Dop14::around(&points).transformed(&pose).volume();
        sums[2] += Dop18::around(&points).transformed(&pose).volume();
        sums[3] += dop.volume();
    }
    assert!(sums[0] > sums[1] && sums[1] > sums[2] && sums[2] > sums[3], "{sums:?}");
}
