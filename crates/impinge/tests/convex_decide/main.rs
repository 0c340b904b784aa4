//! The exact decision for two convex bodies, compared with independent exact references, and the
//! verification of every certificate.
//!
//! `IMPINGE_CONVEX_PAIRS` sets the number of pairs (3,000 by default). A failure prints the seed of
//! its pair, from which `impinge_oracles::convex_families::pair` generates it again.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3 as Vec3;
use impinge::exact::Sign;
use impinge::internals::decide::{
    Closest, Hint, IntersectionCertificate, SeparationCertificate, Verdict, VertexPairs,
    certain_gap, closest, compare_distance, decide,
};
use impinge_oracles::common::{Random, count_from};
use impinge_oracles::convex::{Small, rational, share_a_point};
use impinge_oracles::convex_families::{PLACEMENTS, for_each, pair};
use num_traits::Zero;

/// The number of pairs, divided by `divisor` for slower tests.
fn pairs(divisor: u64) -> u64 {
    count_from("IMPINGE_CONVEX_PAIRS", 3000) as u64 / divisor
}

/// The number of verdicts of each kind, for every placement.
struct Tally(Vec<[AtomicU64; 2]>);

impl Tally {
    fn new() -> Self {
        Self((0..PLACEMENTS).map(|_| Default::default()).collect())
    }

    fn count(&self, seed: u64, verdict: bool) {
        self.0[(seed % PLACEMENTS) as usize][usize::from(verdict)].fetch_add(1, Ordering::Relaxed);
    }

    /// The verdicts of one placement: separated, intersecting.
    fn of(&self, name: &str) -> [u64; 2] {
        let seed = (0..PLACEMENTS).find(|s| pair(*s, 4).placement == name).expect("a placement");
        [0, 1].map(|k| self.0[seed as usize][k].load(Ordering::Relaxed))
    }
}

/// Hints: random vertices and direction, the vertices of the answer, the direction of the answer.
fn hints(random: &mut Random, a: &[Vec3], b: &[Vec3], found: &Closest) -> [Hint; 3] {
    let mut any = || [random.below(a.len() + 1) as u32, random.below(b.len() + 1) as u32];
    let pairs = [any(), any(), any(), any()];
    let direction = random.point();
    [
        Hint { pairs: VertexPairs::new(&pairs[..random.below(5)]), direction },
        Hint { pairs: found.pairs, direction: Vec3::ZERO },
        Hint { pairs: VertexPairs::NONE, direction: found.point_b - found.point_a },
    ]
}

#[test]
fn verdicts_match_a_linear_program() {
    let tally = Tally::new();
    let by_features = AtomicU64::new(0);
    for_each(pairs(1), |seed| {
        let pair = pair(seed, 2000);
        let (a, b) = (&pair.a, &pair.placed());
        let expected = share_a_point(a, b);
        tally.count(seed, expected);
        let decision = decide(a, b, &Hint::NONE);
        assert_eq!(decision.is_intersecting(), expected, "{}", pair.name());
        assert!(decision.verify(a, b), "{}: {decision:?}", pair.name());
        assert!(decision.swapped().verify(b, a), "{}: {decision:?}", pair.name());
        if let Verdict::Separated(gap) = decision {
            by_features.fetch_add(u64::from(!gap.pairs.is_empty()), Ordering::Relaxed);
        }
        let reversed = decide(b, a, &Hint::NONE);
        assert!(reversed.verify(b, a), "{}", pair.name());
        assert_eq!(reversed.is_intersecting(), expected, "{}", pair.name());
        let found = closest(a, b, &Hint::NONE).expect("finite points");
        for hint in hints(&mut Random::new(seed), a, b, &found) {
            let hinted = decide(a, b, &hint);
            assert!(hinted.verify(a, b), "{}: {hint:?}", pair.name());
            assert_eq!(hinted.is_intersecting(), expected, "{}: {hint:?}", pair.name());
        }
    });
    // The placements have the intended verdicts.
    if pairs(1) >= 2000 {
        for name in ["vertex to vertex", "vertex over a face", "edge across an edge", "on a grid"] {
            let [apart, meeting] = tally.of(name);
            assert!(apart > 20 && meeting > 20, "{name}: {apart} apart, {meeting} meeting");
        }
        for name in ["a shared vertex", "a shared edge", "a shared face"] {
            assert_eq!(tally.of(name)[0], 0, "{name}");
        }
        assert_eq!(tally.of("apart")[1], 0);
        let by_features = by_features.into_inner();
        assert!(by_features > 5, "{by_features} gaps too narrow for a vector of floats");
    }
}

#[test]
fn distances_of_small_bodies_match_brute_force() {
    for_each(pairs(16), |seed| {
        let pair = pair(seed, 9);
        let (a, b) = (&pair.a, &pair.placed());
        let small = Small::new(a, b);
        let squared = small.squared_distance();
        let name = pair.name();
        assert_eq!(squared.is_none(), share_a_point(a, b), "{name}");
        assert_eq!(squared.is_none(), decide(a, b, &Hint::NONE).is_intersecting(), "{name}");
        let found = closest(a, b, &Hint::NONE).expect("finite points");
        let (lower, upper) = (rational(found.lower), rational(found.upper));
        let squared = squared.unwrap_or_default();
        assert!(&lower * &lower <= squared && squared <= &upper * &upper, "{name}: {found:?}");
        assert!(found.upper.to_bits() - found.lower.to_bits() <= 1, "{name}: {found:?}");
        let mut random = Random::new(seed);
        let hints = hints(&mut random, a, b, &found);
        for hint in &hints {
            let bounds = closest(a, b, hint).map(|c| (c.lower, c.upper));
            assert_eq!(bounds, Some((found.lower, found.upper)), "{name}: {hint:?}");
        }
        let radii = [found.lower, found.upper, found.upper * random.unit(), 0.0, 1.0];
        for (radius, hint) in radii.into_iter().zip(hints.iter().cycle()) {
            let (ra, rb) = (radius * random.unit(), radius * random.unit());
            for (ra, rb) in [(radius, 0.0), (0.0, radius), (ra, radius - ra), (ra, rb)] {
                let sum = rational(ra) + rational(rb);
                let sign = match squared.cmp(&(&sum * &sum)) {
                    std::cmp::Ordering::Less => Sign::Negative,
                    std::cmp::Ordering::Equal => Sign::Zero,
                    std::cmp::Ordering::Greater => Sign::Positive,
                };
                assert_eq!(compare_distance(a, b, ra, rb, hint), sign, "{name}: {ra} {rb}");
            }
        }
    });
}

/// Checks the reference for penetration, which other tests use: no direction has a smaller overlap.
#[test]
fn the_depth_is_the_smallest_overlap() {
    let deep = AtomicU64::new(0);
    for_each(pairs(24), |seed| {
        let pair = pair(seed, 9);
        let (a, b) = (&pair.a, &pair.placed());
        let small = Small::new(a, b);
        let depth = small.squared_depth();
        assert_eq!(depth.is_some(), share_a_point(a, b), "{}", pair.name());
        let Some(depth) = depth else { return };
        deep.fetch_add(u64::from(!depth.is_zero()), Ordering::Relaxed);
        let mut random = Random::new(seed);
        for _ in 0..30 {
            let along = random.point();
            assert!(small.squared_overlap(along) >= depth, "{}: {along}", pair.name());
        }
    });
    assert!(deep.into_inner() > pairs(24) / 4);
}

#[test]
fn false_certificates_do_not_verify() {
    for_each(pairs(4), |seed| {
        let pair = pair(seed, 40);
        let (a, b) = (&pair.a, &pair.placed());
        let mut random = Random::new(seed);
        let found = closest(a, b, &Hint::NONE).expect("finite points");
        match decide(a, b, &Hint::NONE) {
            Verdict::Separated(gap) => {
                let exact = SeparationCertificate { lower: found.lower, pairs: found.pairs, ..gap };
                assert!(exact.verify(a, b), "{}", pair.name());
                let above = f64::from_bits(found.upper.to_bits() + 1);
                assert!(
                    !SeparationCertificate { lower: above, ..exact }.verify(a, b),
                    "{}",
                    pair.name()
                );
                assert!(
                    !SeparationCertificate { lower: above, ..gap }.verify(a, b),
                    "{}",
                    pair.name()
                );
                let direction = -gap.direction;
                assert!(
                    !SeparationCertificate { direction, pairs: VertexPairs::NONE, ..gap }
                        .verify(a, b)
                );
                // No vertices prove a common point.
                for _ in 0..20 {
                    let mut any = || [random.below(a.len()) as u32, random.below(b.len()) as u32];
                    let pairs = [any(), any(), any(), any()];
                    let pairs = VertexPairs::new(&pairs[..1 + random.below(4)]);
                    assert!(
                        !IntersectionCertificate { pairs }.verify(a, b),
                        "{}: {pairs:?}",
                        pair.name()
                    );
                }
            }
            Verdict::Intersecting(common) => {
                let point = common.point(a, b).expect("the proof holds");
                let other = common.swapped().point(b, a).expect("the proof holds");
                assert_eq!(point, other, "{}", pair.name());
                // No direction proves a gap.
                for _ in 0..20 {
                    let direction = random.point();
                    assert!(certain_gap(direction, a, b) <= 0.0, "{}", pair.name());
                    let features = VertexPairs::new(
                        &common.pairs.as_slice()[..random.below(4).min(common.pairs.len())],
                    );
                    assert!(
                        !SeparationCertificate { direction, lower: 0.0, pairs: features }
                            .verify(a, b),
                        "{}",
                        pair.name()
                    );
                }
            }
        }
    });
}
