//! Verdict, distance and depth of hulls against exact arithmetic, over all families of bodies and placements.
//!
//! `IMPINGE_CONVEX_PAIRS` sets the number of pairs (3,000 by default). A failure names the number of its pair, from which it is made again.

mod common;
mod convex_families;
mod convex_oracle;

use common::count_from;
use convex_families::{Pair, for_each, pair};
use convex_oracle::{Small, rational, share_a_point};
use impinge::Vec3;
use impinge::convex::decide::{self, Decision, Hint};
use impinge::convex::{self, Cache, Contact, Hull};

fn pairs() -> u64 {
    count_from("IMPINGE_CONVEX_PAIRS", 3000) as u64
}

/// The hulls of a pair, and the vertices of B's in A's frame.
fn hulls(pair: &Pair) -> (Hull, Hull, Vec<Vec3>) {
    let hull = |points: &[Vec3]| Hull::new(points).expect("families have points");
    let (a, b) = (hull(&pair.a), hull(&pair.b));
    let placed = b.vertices().iter().map(|p| pair.pose.transform_point(*p)).collect();
    (a, b, placed)
}

/// The size of the pair, which rounding is relative to: its box and how far it is from the origin, and that of the smallest numbers.
fn size(a: &Hull, placed: &[Vec3]) -> f64 {
    let all = || a.vertices().iter().chain(placed);
    let (low, high) = all().fold((placed[0], placed[0]), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element() + all().map(|p| p.abs().max_element()).fold(1e-310, f64::max)
}

#[test]
fn verdicts_are_exact_and_proven() {
    for_each(pairs(), |seed| {
        let pair = pair(seed, 2000);
        let (a, b, placed) = hulls(&pair);
        let found = convex::intersects(&a, &b, &pair.pose);
        let exact = decide::decide(a.vertices(), &placed, &Hint::NONE);
        assert_eq!(found.is_intersecting(), exact.is_intersecting(), "{}", pair.name());
        assert!(found.verify(a.vertices(), &placed), "{}: {found:?}", pair.name());
        if pair.a.len() + pair.b.len() < 40 {
            let known = share_a_point(a.vertices(), &placed);
            assert_eq!(found.is_intersecting(), known, "{}", pair.name());
        }
    });
}

/// Directions on the border of two faces of the cube map went to the wrong end of a face, and a vertex was missed: bodies that meet were "separated".
#[test]
fn directions_between_two_faces_miss_no_vertex() {
    for seed in [296_998, 357_589] {
        let pair = pair(seed, 2000);
        let (a, b, placed) = hulls(&pair);
        let found = convex::intersects(&a, &b, &pair.pose);
        assert!(found.is_intersecting() && found.verify(a.vertices(), &placed), "{}", pair.name());
        assert_eq!(convex::distance(&a, &b, &pair.pose).upper, 0.0, "{}", pair.name());
    }
}

#[test]
fn distances_and_depths_are_within_their_bounds() {
    for_each(pairs(), |seed| {
        let pair = pair(seed, 2000);
        let (a, b, placed) = hulls(&pair);
        let exact = decide::closest(a.vertices(), &placed, &Hint::NONE).unwrap();
        let found = convex::distance(&a, &b, &pair.pose);
        let size = size(&a, &placed);
        let name = pair.name();
        assert!(
            found.lower <= exact.upper && exact.lower <= found.upper,
            "{name}: {found:?} {exact:?}"
        );
        assert!(found.upper - found.lower <= 1e-12 * size, "{name}: {found:?}");
        let between = ((found.point_a - found.point_b) / size).length() * size;
        assert!((between - exact.upper).abs() <= 1e-11 * size, "{name}: {found:?} {exact:?}");
        let contact = convex::contact(&a, &b, &pair.pose);
        assert_eq!(contact.is_meeting(), exact.upper == 0.0, "{name}");
        match contact {
            Contact::Apart(distance, gap) => {
                assert_eq!(distance, found, "{name}");
                assert!(Decision::Separated(gap).verify(a.vertices(), &placed), "{name}: {gap:?}");
            }
            Contact::Meeting(overlap, common) => {
                assert!(overlap.lower <= overlap.upper, "{name}: {overlap:?}");
                assert!(Decision::Intersecting(common).verify(a.vertices(), &placed), "{name}");
                if seed % 16 == 0 && a.vertices().len() <= 10 && placed.len() <= 10 {
                    let depth = Small::new(a.vertices(), &placed).squared_depth().unwrap();
                    let (low, high) = (rational(overlap.lower), rational(overlap.upper));
                    assert!(&low * &low <= depth && depth <= &high * &high, "{name}: {overlap:?}");
                }
            }
        }
    });
}

#[test]
fn a_cache_changes_no_verdict_whatever_it_was_used_for_before() {
    let mut caches = [Cache::default(), Cache::default(), Cache::default()];
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
            let exact = convex::contact(&a, &b, &pair.pose);
            let warm = convex::contact_cached(&a, &b, &pair.pose, &mut caches[2]);
            assert_eq!(warm.is_meeting(), exact.is_meeting(), "{}", pair.name());
            if let (Contact::Meeting(p, _), Contact::Meeting(q, _)) = (warm, exact) {
                assert!(p.lower <= q.upper && q.lower <= p.upper, "{}: {p:?} {q:?}", pair.name());
            }
        }
    }
}
