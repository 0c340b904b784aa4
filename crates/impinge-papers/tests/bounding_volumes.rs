//! Every bounding volume contains its points, checked in rational arithmetic.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::{Pose, Vec3};
use impinge_oracles::common::Random;
use impinge_papers::klosowski::volume::{
    Dop, Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume,
};
use num_rational::BigRational;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

fn dot(a: Vec3, b: [BigRational; 3]) -> BigRational {
    let [x, y, z] = b;
    exact(a.x) * x + exact(a.y) * y + exact(a.z) * z
}

fn minus(a: Vec3, b: Vec3) -> [BigRational; 3] {
    [0, 1, 2].map(|k| exact(a[k]) - exact(b[k]))
}

/// The exact definition of the set of each kind of volume.
trait ExactVolume: Volume {
    fn contains_exactly(&self, p: Vec3) -> bool;
    /// Unit vectors along which two volumes of this kind may be separated.
    fn directions(&self, other: &Self) -> Vec<Vec3>;
}

impl<const HALF: usize> ExactVolume for Dop<HALF> {
    fn contains_exactly(&self, p: Vec3) -> bool {
        (0..HALF).all(|i| {
            let d = Vec3::from(Self::DIRECTIONS[i].map(f64::from));
            let s = dot(d, minus(p, Vec3::ZERO));
            exact(self.min()[i]) <= s && s <= exact(self.max()[i])
        })
    }

    fn directions(&self, _: &Self) -> Vec<Vec3> {
        Self::DIRECTIONS.iter().map(|d| Vec3::from(d.map(f64::from)).normalize()).collect()
    }
}

impl ExactVolume for OrientedBox {
    fn contains_exactly(&self, p: Vec3) -> bool {
        (0..3).all(|k| {
            let s = dot(self.axes()[k], minus(p, self.center()));
            let h = exact(self.half()[k]);
            -h.clone() <= s && s <= h
        })
    }

    fn directions(&self, other: &Self) -> Vec<Vec3> {
        let mut all = [self.axes(), other.axes()].concat();
        for a in self.axes() {
            all.extend(other.axes().iter().filter_map(|b| a.cross(*b).try_normalize()));
        }
        all
    }
}

impl ExactVolume for Sphere {
    fn contains_exactly(&self, p: Vec3) -> bool {
        let d = minus(p, self.center());
        let square = d.iter().fold(exact(0.0), |sum, c| sum + c * c);
        square <= exact(self.radius()) * exact(self.radius())
    }

    fn directions(&self, other: &Self) -> Vec<Vec3> {
        vec![(other.center() - self.center()).try_normalize().unwrap_or(Vec3::X)]
    }
}

/// Point clouds of various counts, shapes, sizes and distances from the origin.
fn clouds(random: &mut Random) -> Vec<Vec<Vec3>> {
    let mut all = Vec::new();
    for scale in [1.0, 1e-9, 1e9, 1e-160, 1e-300, 1e-318, 1e59] {
        for away in [0.0, 1.0, 1e6] {
            let offset = Vec3::new(0.3, -0.7, 0.45) * (away * scale);
            for shape in 0..6 {
                let direction = random.point();
                let (u, v) = (random.point(), random.point());
                let count = [1, 2, 3, 4, 6, 9][random.below(6)];
                let cloud = (0..count).map(|_| match shape {
                    0 => random.point(),
                    1 => direction * random.signed(),
                    2 => u * random.signed() + v * random.signed(),
                    3 => random.grid_point(2),
                    4 => u,
                    _ => random.point() * Vec3::new(1.0, 1e-3, 1e-7),
                });
                all.push(cloud.map(|p| p * scale + offset).collect());
            }
        }
    }
    all
}

fn pose(random: &mut Random, reach: f64) -> Pose {
    let q = [0; 4].map(|_: i32| random.signed());
    Pose::from_quaternion(q, random.point() * reach).unwrap()
}

fn size(points: &[Vec3]) -> f64 {
    points.iter().fold(0.0, |s, p| s.max(p.abs().max_element()))
}

/// Computed without underflow of squares. Not less than the exact distance.
fn distance(a: Vec3, b: Vec3) -> f64 {
    let d = a - b;
    let largest = d.abs().max_element();
    if largest == 0.0 { 0.0 } else { (d / largest).length() * largest * (1.0 + 1e-15) + 1e-323 }
}

fn check_points<V: ExactVolume>() {
    let mut random = Random::new(1);
    for points in clouds(&mut random) {
        let volume = V::around(&points);
        assert!(!volume.is_empty());
        for p in &points {
            assert!(
                volume.contains(*p) && volume.contains_exactly(*p),
                "{} {p} {points:?}",
                V::NAME
            );
        }
        assert!(volume.volume() >= 0.0 && volume.surface() >= 0.0 && volume.size() >= 0.0);
        let reach = size(&points);
        for scale in [0.0, 1.0, 1e7] {
            let mut pose = pose(&mut random, (reach * scale).min(1e59));
            if scale == 1e7 && reach < 1e50 {
                // A matrix that is a rotation only within the tolerance of a pose.
                let mut rows = pose.to_matrix();
                for row in &mut rows[..2] {
                    row[random.below(3)] += 2e-10;
                }
                pose = Pose::from_matrix(rows).unwrap();
            }
            let moved = volume.transformed(&pose);
            for p in &points {
                let there = pose.transform_point(*p);
                assert!(moved.contains_exactly(there), "{} {p} {pose:?} {volume:?}", V::NAME);
            }
        }
        assert_eq!(volume.transformed(&Pose::IDENTITY), volume);
        let by = reach * random.unit();
        let large = volume.enlarged(by);
        for p in &points {
            let step = random.point().normalize() * by * (1.0 - 1e-12);
            if (step.length() <= by && step.length() > 1e-150) || by == 0.0 {
                assert!(
                    large.contains_exactly(*p) && large.contains_exactly(*p + step),
                    "{} {p} {by}",
                    V::NAME
                );
            }
        }
    }
}

fn check_merging<V: ExactVolume>() {
    let mut random = Random::new(2);
    let all = clouds(&mut random);
    for pair in all.windows(2) {
        let (p, q) = (V::around(&pair[0]), V::around(&pair[1]));
        let both = p.merged(&q);
        for point in pair.concat() {
            assert!(both.contains_exactly(point), "{} {point}", V::NAME);
        }
        if V::MERGES_TIGHTLY {
            assert_eq!(both, V::around(&pair.concat()));
        }
        let nothing = V::around(&[]);
        assert!(nothing.is_empty() && !nothing.overlaps(&p) && !p.overlaps(&nothing));
        assert!(!nothing.overlaps(&nothing) && !nothing.contains(pair[0][0]));
        assert_eq!((nothing.merged(&p), p.merged(&nothing)), (p, p));
        let pose = pose(&mut random, 1.0);
        assert!(nothing.transformed(&pose).is_empty() && nothing.enlarged(1.0).is_empty());
        assert_eq!((nothing.volume(), nothing.surface(), nothing.size()), (0.0, 0.0, 0.0));
        assert_eq!((p.gap(&nothing), p.overlap_depth(&nothing)), (f64::INFINITY, 0.0));
    }
}

fn check_comparisons<V: ExactVolume>() {
    let mut random = Random::new(3);
    let (mut apart, mut together) = (0, 0);
    for round in 0..6 {
        for points in clouds(&mut random) {
            let reach = size(&points);
            let spread = points.iter().fold(0.0_f64, |s, p| s.max((*p - points[0]).length()));
            let shift = random.point() * spread * [0.0, 1e-15, 0.3, 1.0, 2.0, 3.0][round];
            let others: Vec<Vec3> =
                points.iter().map(|p| points[0] - (*p - points[0]) + shift).collect();
            let (p, q) = (V::around(&points), V::around(&others));
            let nearest = points
                .iter()
                .flat_map(|a| others.iter().map(move |b| distance(*a, *b)))
                .fold(f64::INFINITY, f64::min);
            let (gap, depth) = (p.gap(&q), p.overlap_depth(&q));
            assert!(gap <= nearest * (1.0 + 1e-14) + 1e-150, "{} {gap} {nearest}", V::NAME);
            assert_eq!(p.overlaps(&q), q.overlaps(&p));
            if points.iter().any(|a| others.contains(a)) {
                assert!(p.overlaps(&q), "{}", V::NAME);
            }
            if p.overlaps(&q) {
                together += 1;
                assert_eq!(gap, 0.0);
                assert!(depth >= 0.0 && depth.is_finite());
                // A translation by this depth along one of the directions separates the volumes, up
                // to rounding.
                if reach > 1e-140 {
                    let enough = p.directions(&q).into_iter().flat_map(|d| [d, -d]).any(|d| {
                        let step = d * depth;
                        let there: Vec<Vec3> = others.iter().map(|p| *p + step).collect();
                        let left = p.overlap_depth(&V::around(&there));
                        left <= 1e-9 * depth + 1e-12 * reach
                    });
                    assert!(enough, "{} {depth} {p:?} {q:?}", V::NAME);
                }
            } else {
                apart += 1;
                assert_eq!(depth, 0.0);
            }
            assert!(p.enlarged(nearest).overlaps(&q), "{} {nearest}", V::NAME);
        }
    }
    assert!(apart > 80 && together > 80, "{} {apart} {together}", V::NAME);
}

macro_rules! for_each_kind {
    ($test:ident, $property:ident) => {
        #[test]
        fn $test() {
            $property::<Dop6>();
            $property::<Dop14>();
            $property::<Dop18>();
            $property::<Dop26>();
            $property::<OrientedBox>();
            $property::<Sphere>();
        }
    };
}

for_each_kind!(volumes_contain_their_points_moved_and_enlarged, check_points);
for_each_kind!(merged_volumes_contain_both, check_merging);
for_each_kind!(overlaps_gaps_and_depths, check_comparisons);

#[test]
fn balls_are_the_smallest_around_their_points() {
    let mut random = Random::new(4);
    for n in [2, 3, 4, 10, 100, 1000] {
        let points: Vec<Vec3> = (0..n).map(|_| random.point().normalize() * 2.0).collect();
        assert!(Sphere::around(&points).radius() <= 2.0 + 1e-9);
        // No smaller ball contains all points: every half of the ball has a point near its
        // boundary.
        let ball = Sphere::around(&points);
        for _ in 0..50 {
            let step = random.point() * 1e-3;
            let worst = points.iter().fold(0.0_f64, |w, p| w.max(p.distance(ball.center() + step)));
            assert!(worst >= ball.radius() * (1.0 - 1e-8), "{n}");
        }
    }
    let cube: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)))
        .collect();
    assert!((Sphere::around(&cube).radius() - 0.75_f64.sqrt()).abs() < 1e-12);
}

/// Regression: two balls of very different sizes that touch from inside. The larger ball contained
/// the smaller one, but [`Volume::contains`] returned false because of its rounding.
#[test]
fn merged_spheres_contain_the_points_of_both() {
    let mut random = Random::new(77);
    for round in 0..20_000 {
        let scale = [1e-310, 1e-160, 1.0, 1e50][round % 4];
        let far = scale * [0.0, 1.0, 1e8, 1e12][round / 4 % 4];
        let points = |random: &mut Random, at: Vec3| -> Vec<Vec3> {
            (0..4).map(|_| at + random.point() * scale).collect()
        };
        let p = points(&mut random, Vec3::ZERO);
        let mut q = points(&mut random, Vec3::splat(far));
        q.push(random.point() * scale);
        let both = Sphere::around(&p).merged(&Sphere::around(&q));
        assert!(p.iter().chain(&q).all(|v| both.contains(*v)), "{p:?} {q:?} {both:?}");
    }
}
