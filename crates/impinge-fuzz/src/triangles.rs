//! Two triangles: whether and how they meet, compared with clipping in integers.

use impinge::exact::{triangle_triangle, triangles_intersect};
use impinge_oracles::common::Random;
use impinge_oracles::triangles::contact;

use crate::decode::Numbers;

/// Decodes six points. The library must agree with the oracle, in any order of the corners and the
/// triangles.
pub fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let mut triangle = || [0; 3].map(|_| numbers.point());
    let (a, b) = (triangle(), triangle());
    let expected = contact(&a, &b);
    assert_eq!(triangle_triangle(&a, &b), expected, "{a:?} {b:?}");
    assert_eq!(triangles_intersect(&a, &b), expected.is_some(), "{a:?} {b:?}");
    let swapped = expected.map(impinge::HitKind::swapped);
    assert_eq!(triangle_triangle(&b, &a), swapped, "{b:?} {a:?}");
    let turned = [a[1], a[2], a[0]];
    assert_eq!(triangles_intersect(&turned, &b), expected.is_some(), "{turned:?} {b:?}");
}

/// Random bytes below a limit. With low limits, most coordinates are small integers
/// ([`Numbers::coordinate`]).
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..4)
        .map(|kind| {
            let limit = [160, 200, 240, 256][kind];
            (0..120).map(|_| random.below(limit) as u8).collect()
        })
        .collect()
}
