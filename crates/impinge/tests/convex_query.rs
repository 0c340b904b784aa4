//! Verdict, distance and depth of hulls, compared with exact arithmetic, over all families of
//! bodies and placements.
//!
//! `IMPINGE_CONVEX_PAIRS` sets the number of pairs (6,000 by default). A failure prints the seed of
//! its bodies, and the pose.
//!
//! **The cases.** There are twelve kinds of bodies of 1 to 2,000 vertices (65 % of up to 12, 28 %
//! of up to 40, 6 % of up to 200, 1 % of up to 2,000), including points, segments, polygons, and
//! needles and plates of 1e-6 to 1e-2; and fourteen placements. Half of the pairs have a scale of
//! 1e-6 to 1e6, a fifth is up to 1e8 times its size from the origin, and one placement uses the
//! largest and smallest numbers. Two bodies are tested at eight poses: the placement; three poses
//! with a chosen gap or overlap of 1e-17 to 1 of their size along the direction that was found;
//! touching up to rounding; one unit in the last place beside that; translated sideways; and with a
//! new rotation, vertex to vertex.
//!
//! **The checks at each pose.** The proofs of the verdict, of the cached verdict and of the contact
//! are verified exactly, by code that shares nothing with the queries; this determines the exact
//! verdict. Distances are compared with the exact closest points, depths with the overlap along
//! every face normal, and the separating translation with exact integers. One pose in four also
//! queries the distance alone, one the contact with a cache, and one the distance with a cache. At
//! every sixteenth pose the verdict is computed again without a hint and, for smaller bodies, by a
//! linear program in integers; at every 256th, the depth of small bodies by brute force in
//! integers.

use impinge::convex::{self, Hull, HullCache, Verdict, VertexPairs};
use impinge::internals::decide::{self, Hint};
use impinge::{Contact, Distance, Pose, Vec3};
use impinge_oracles::common::count_from;
use impinge_oracles::convex::{Small, overlap_is_at_most, rational, share_a_point};
use impinge_oracles::convex_families::{Pair, RelativePosition, for_each, pair};

/// The number of poses of each pair of bodies.
const POSES_PER_PAIR: u64 = 8;

fn pairs() -> u64 {
    count_from("IMPINGE_CONVEX_PAIRS", 6000) as u64
}

/// The hulls of a pair, and the vertices of B's hull in A's frame.
fn hulls(pair: &Pair) -> (Hull, Hull, Vec<Vec3>) {
    let hull = |points: &[Vec3]| Hull::new(points).expect("families have points");
    let (a, b) = (hull(&pair.a), hull(&pair.b));
    let placed = b.vertices().iter().map(|p| pair.pose.transform_point(*p)).collect();
    (a, b, placed)
}

/// The size that rounding errors are relative to: the extent of the pair plus its distance from the
/// origin, at least 1e-310.
fn size(a: &[Vec3], placed: &[Vec3]) -> f64 {
    let all = || a.iter().chain(placed);
    let (low, high) = all().fold((placed[0], placed[0]), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element() + all().map(|p| p.abs().max_element()).fold(1e-310, f64::max)
}

/// The vertex furthest along a direction.
fn furthest(points: &[Vec3], along: Vec3) -> usize {
    let mut best = 0;
    for (i, p) in points.iter().enumerate() {
        if along.dot(*p - points[best]) > 0.0 {
            best = i;
        }
    }
    best
}

/// Two hulls at a pose, with the data that the checks need.
struct Case<'a> {
    pair: &'a Pair,
    hulls: [&'a Hull; 2],
    /// The vertices of A, and those of B in A's frame.
    a: &'a [Vec3],
    b: &'a [Vec3],
    name: String,
    size: f64,
    /// Selects the slower checks of this case.
    number: u64,
}

impl Case<'_> {
    /// Whether a slower check runs that runs for every `n`-th case.
    fn is_due(&self, n: u64) -> bool {
        self.number % n == 0
    }

    fn check_verdict(&self, found: &Verdict) {
        assert!(found.verify(self.a, self.b), "{}: {found:?}", self.name);
        if self.is_due(16) {
            let exact = decide::decide(self.a, self.b, &Hint::NONE);
            assert_eq!(found.is_intersecting(), exact.is_intersecting(), "{}", self.name);
            if self.a.len() + self.b.len() < 40 {
                let known = share_a_point(self.a, self.b);
                assert_eq!(found.is_intersecting(), known, "{}", self.name);
            }
        }
    }

    /// Checks bounds and points of separated bodies.
    fn check_distance(&self, found: &Distance, exact: &decide::Closest) {
        let (name, size) = (&self.name, self.size);
        assert!(
            found.lower <= exact.upper && exact.lower <= found.upper,
            "{name}: {found:?} {exact:?}"
        );
        assert!(found.upper - found.lower <= 1e-12 * size, "{name}: {found:?}");
        let between = ((found.point_a - found.point_b) / size).length() * size;
        assert!((between - exact.upper).abs() <= 1e-11 * size, "{name}: {found:?} {exact:?}");
    }

    /// The closest points by exact arithmetic, started at the vertices furthest towards the other
    /// body.
    fn closest(&self, along: Vec3) -> decide::Closest {
        let start = [furthest(self.a, along) as u32, furthest(self.b, -along) as u32];
        let pairs = if self.is_due(16) { VertexPairs::NONE } else { VertexPairs::new(&[start]) };
        decide::closest(self.a, self.b, &Hint { pairs, ..Hint::NONE }).expect("finite points")
    }

    /// Checks the bounds of bodies that meet.
    fn check_overlap(&self, overlap: &Contact) {
        let name = &self.name;
        let (min_depth, max_depth) = (-overlap.upper, -overlap.lower);
        assert!(0.0 <= min_depth && min_depth <= max_depth, "{name}: {overlap:?}");
        if max_depth.is_finite() {
            // The slack covers the rounded length of the direction.
            let (along, limit) = (overlap.direction, max_depth + 4.0 * f64::EPSILON * self.size);
            assert!(overlap_is_at_most(self.a, self.b, along, limit), "{name}: {overlap:?}");
        }
        let least = self.min_overlap_along_face_normals();
        assert!(
            min_depth <= least + 1e-14 * self.size + f64::MIN_POSITIVE,
            "{name}: {overlap:?} {least}"
        );
        if self.is_due(256) && self.a.len() <= 10 && self.b.len() <= 10 {
            let depth = Small::new(self.a, self.b).squared_depth().expect("bodies that meet");
            let (low, high) = (rational(min_depth), rational(max_depth));
            assert!(&low * &low <= depth && depth <= &high * &high, "{name}: {overlap:?}");
        }
    }

    /// The smallest overlap along the face normals of both bodies; infinite for large bodies.
    fn min_overlap_along_face_normals(&self) -> f64 {
        let mut least = f64::INFINITY;
        if self.a.len() + self.b.len() > 100 {
            return least;
        }
        for (hull, points, sign) in [(0, self.a, 1.0), (1, self.b, -1.0)] {
            for face in self.hulls[hull].faces().filter(|face| face.len() > 2) {
                let corner = |k: usize| points[face[k] as usize];
                let u = (corner(1) - corner(0)) / self.size;
                let v = (corner(2) - corner(0)) / self.size;
                let Some(n) = u.cross(v).try_normalize() else { continue };
                let n = n * sign;
                let (p, q) = (self.a[furthest(self.a, n)], self.b[furthest(self.b, -n)]);
                least = least.min(n.dot(p - q));
            }
        }
        least
    }

    /// Runs all queries at the pose and checks them. Returns the relative position of the bodies.
    fn check(&self, caches: &mut [HullCache; 3]) -> RelativePosition {
        let ([a, b], pose, name) = (self.hulls, &self.pair.pose, &self.name);
        let verdict = convex::intersects(a, b, pose);
        self.check_verdict(&verdict);
        let warm = convex::intersects_cached(a, b, pose, &mut caches[0]);
        assert!(warm.verify(self.a, self.b), "{name}: {warm:?}");
        assert_eq!(warm.is_intersecting(), verdict.is_intersecting(), "{name}");
        let mut contacts = vec![convex::contact(a, b, pose)];
        let mut distances = Vec::new();
        match self.number % 4 {
            0 => contacts.push(convex::contact_cached(a, b, pose, &mut caches[1])),
            1 => distances.push(convex::distance(a, b, pose)),
            2 => distances.push(convex::distance_cached(a, b, pose, &mut caches[2])),
            _ => {}
        }
        for (found, proof) in &contacts {
            assert_eq!(proof.is_intersecting(), verdict.is_intersecting(), "{name}");
            assert!(proof.verify(self.a, self.b), "{name}: {proof:?}");
            let length = found.direction.length();
            assert!(length == 0.0 || (length - 1.0).abs() <= 1e-14, "{name}: {found:?}");
        }
        let (first, proof) = contacts[0];
        match proof {
            Verdict::Separated(gap) => {
                let exact = self.closest(gap.direction);
                assert!(exact.upper > 0.0, "{name}: {exact:?}");
                for (found, _) in &contacts {
                    let Contact { lower, upper, point_a, point_b, .. } = *found;
                    let (triangle_a, triangle_b) = (None, None);
                    let found = Distance { lower, upper, point_a, point_b, triangle_a, triangle_b };
                    self.check_distance(&found, &exact);
                }
                distances.iter().for_each(|found| self.check_distance(found, &exact));
                RelativePosition { along: gap.direction, signed_distance: first.upper }
            }
            Verdict::Intersecting(_) => {
                for (found, _) in &contacts {
                    self.check_overlap(found);
                    let agree = found.lower <= first.upper && first.lower <= found.upper;
                    assert!(agree, "{name}: {found:?} {first:?}");
                }
                for found in &distances {
                    assert_eq!((found.lower, found.upper), (0.0, 0.0), "{name}: {found:?}");
                }
                RelativePosition { along: first.direction, signed_distance: first.lower }
            }
        }
    }
}

#[test]
fn answers_are_exact_and_proven() {
    for_each(pairs().div_ceil(POSES_PER_PAIR), |seed| {
        let mut pair = pair(seed, 2000);
        let (a, b, _) = hulls(&pair);
        let mut caches = [HullCache::default(), HullCache::default(), HullCache::default()];
        for step in 0..POSES_PER_PAIR {
            let pose = pair.pose;
            let placed: Vec<_> = b.vertices().iter().map(|p| pose.transform_point(*p)).collect();
            let case = Case {
                pair: &pair,
                hulls: [&a, &b],
                a: a.vertices(),
                b: &placed,
                name: format!("{}, pose {step}", pair.name()),
                size: size(a.vertices(), &placed),
                // With this stride, every pose of every placement is at times a sixteenth case.
                number: seed + step * 5,
            };
            let position = case.check(&mut caches);
            pair.pose = pair.next_pose(step + 1, &position);
        }
    });
}

/// Regression: directions on the border of two faces of the cube map were assigned to the wrong end
/// of a face, and a vertex was missed. Bodies that meet were reported as separated.
#[test]
fn directions_between_two_cube_map_faces_find_all_vertices() {
    for seed in [296_998, 357_589] {
        let pair = pair(seed, 2000);
        let (a, b, placed) = hulls(&pair);
        let found = convex::intersects(&a, &b, &pair.pose);
        assert!(found.is_intersecting() && found.verify(a.vertices(), &placed), "{}", pair.name());
        assert_eq!(convex::distance(&a, &b, &pair.pose).upper, 0.0, "{}", pair.name());
    }
}

/// Regression: all but one vertex of A are close together, relative to its size. The search missed
/// the other vertex, where B is, and reported the bodies as separated.
#[test]
fn a_vertex_far_from_all_others_is_found() {
    let mut random = impinge_oracles::common::Random::new(3);
    for size in [1e-160, 1e-20, 1e-15, 1e-9] {
        for round in 0..6 {
            let mut points: Vec<Vec3> =
                (0..200).map(|_| random.point().normalize() * size).collect();
            let far = random.point();
            points.push(far);
            let (a, b) = (Hull::new(&points).unwrap(), Hull::new(&points[..40]).unwrap());
            let shift = far + random.point() * [0.0, 1e-3][round % 2];
            let pose = Pose::from_translation(shift).unwrap();
            let placed: Vec<_> = b.vertices().iter().map(|p| pose.transform_point(*p)).collect();
            let found = convex::intersects(&a, &b, &pose);
            assert_eq!(
                found.is_intersecting(),
                share_a_point(a.vertices(), &placed),
                "{size:e} {round}"
            );
            assert!(found.verify(a.vertices(), &placed), "{found:?}");
        }
    }
}

/// Aligned boxes beside, in and on each other: the origin is often on the boundary of the simplex.
#[test]
fn aligned_boxes_have_exact_distances_and_depths() {
    let corner = |i: usize| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - 0.5;
    let cube = Hull::new(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let mut random = impinge_oracles::common::Random::new(8);
    let mut cache = HullCache::default();
    for round in 0..4000 {
        // Translated along up to three axes; exactly touching, one ulp beside, and further apart.
        let steps =
            [0.0, 0.25, 1.0, -1.0, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON, 1.0 + 1e-9, 1.0 - 1e-9];
        let mut shift = Vec3::ZERO;
        for k in 0..3 {
            shift[k] = match random.below(4) {
                0 => 1.2 * random.signed(),
                1 | 2 => steps[random.below(steps.len())],
                _ => 0.0,
            };
        }
        let pose = Pose::from_translation(shift).unwrap();
        let placed: Vec<_> = cube.vertices().iter().map(|p| pose.transform_point(*p)).collect();
        // Computed from the rounded corners, as are all answers.
        let mut gaps = Vec3::ZERO;
        for k in 0..3 {
            let low = placed.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
            let high = placed.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
            gaps[k] = (low - 0.5).max(-0.5 - high);
        }
        let apart = gaps.max_element() > 0.0;
        let decision = convex::intersects(&cube, &cube, &pose);
        assert_eq!(decision.is_intersecting(), !apart, "{shift}");
        assert!(decision.verify(cube.vertices(), &placed), "{shift} {decision:?}");
        let warm = convex::contact_cached(&cube, &cube, &pose, &mut cache);
        for contact in [convex::contact(&cube, &cube, &pose), warm] {
            assert!(contact.1.verify(cube.vertices(), &placed), "{shift} {contact:?}");
            match contact {
                (found, Verdict::Separated(_)) => {
                    let exact = gaps.max(Vec3::ZERO).length();
                    assert!(apart && (found.lower - exact).abs() <= 1e-12, "{shift} {found:?}");
                    assert!((found.upper - exact).abs() <= 1e-12, "{shift} {found:?}");
                }
                (found, Verdict::Intersecting(_)) => {
                    let (exact, name) = (gaps.max_element(), format!("{round} {shift} {found:?}"));
                    assert!(!apart && found.lower <= exact && exact <= found.upper, "{name}");
                    assert!(found.upper - found.lower <= 1e-11, "{name}");
                    let along = found.direction * -found.lower;
                    let clear = (shift + along).abs().max_element() >= 1.0 - 1e-12;
                    assert!(clear, "{name}");
                }
            }
        }
    }
}

#[test]
fn a_cache_of_other_bodies_changes_no_verdict() {
    let mut caches = [HullCache::default(), HullCache::default(), HullCache::default()];
    for seed in 0..pairs() / 3 {
        let pair = pair(seed, 100);
        let (a, b, placed) = hulls(&pair);
        let cold = convex::intersects(&a, &b, &pair.pose);
        for _ in 0..2 {
            let warm = convex::intersects_cached(&a, &b, &pair.pose, &mut caches[0]);
            assert_eq!(warm.is_intersecting(), cold.is_intersecting(), "{}", pair.name());
            assert!(warm.verify(a.vertices(), &placed), "{}: {warm:?}", pair.name());
            let exact = convex::distance(&a, &b, &pair.pose);
            let warm = convex::distance_cached(&a, &b, &pair.pose, &mut caches[1]);
            assert!(
                warm.lower <= exact.upper && exact.lower <= warm.upper,
                "{}: {warm:?} {exact:?}",
                pair.name()
            );
            let (p, exact) = convex::contact(&a, &b, &pair.pose);
            let (q, warm) = convex::contact_cached(&a, &b, &pair.pose, &mut caches[2]);
            assert_eq!(warm.is_intersecting(), exact.is_intersecting(), "{}", pair.name());
            assert!(p.lower <= q.upper && q.lower <= p.upper, "{}: {p:?} {q:?}", pair.name());
        }
    }
}
