//! Pairs of parts with the same report: the same two meshes at the same relative pose.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::arrays::{MapEach, MapToVec};
use crate::math::Pose;
use crate::scene::{Part, Scene};

/// For each pair of parts, the position in `pairs` of the first one with the same report: its parts
/// have the same two meshes, in the same order, and the same [relative pose](Pose::relative), bit
/// for bit. Every other pair is its own first.
///
/// A bolt in its hole is repeated many times in an assembly. It has to be checked only once, as
/// points of a [`PairReport`](super::PairReport) are in the frame of the first part.
///
/// ```
/// use std::sync::Arc;
///
/// use impinge::check::first_equal_pairs;
/// use impinge::{Pose, Scene, candidate_pairs, shapes};
///
/// let brick = Arc::new(shapes::cuboid([2.0, 1.0, 1.0])?);
/// let mut row = Scene::new();
/// for k in 0..4 {
///     let at = Pose::from_translation([2.0 * f64::from(k), 0.0, 0.0])?;
///     row.add(format!("brick {k}"), brick.clone(), at);
/// }
/// let pairs = candidate_pairs(&row, 0.0);
/// assert_eq!(pairs, [(0, 1), (1, 2), (2, 3)]);
/// assert_eq!(first_equal_pairs(&row, &pairs), [0, 0, 0]);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn first_equal_pairs(scene: &Scene, pairs: &[(usize, usize)]) -> Vec<usize> {
    let parts = scene.parts();
    let mut first: Vec<usize> = (0..pairs.len()).collect();
    let address = |part: &Part| Arc::as_ptr(&part.mesh).addr() as u64;
    let mut meshes: Vec<u64> = parts.iter().map(address).collect();
    meshes.sort_unstable();
    if meshes.windows(2).all(|two| two[0] != two[1]) {
        return first;
    }
    let key = |at: usize| {
        let (a, b) = (&parts[pairs[at].0], &parts[pairs[at].1]);
        let mut key = [0; 14];
        key[..2].copy_from_slice(&[a, b].map_each(|part| Arc::as_ptr(&part.mesh).addr() as u64));
        key[2..].copy_from_slice(&bits(&Pose::relative(&a.pose, &b.pose)));
        key
    };
    let hash = |at: usize| {
        let bytes = key(at).map(u64::to_ne_bytes);
        (xxh3_64(bytes.as_flattened()), at)
    };
    let mut hashes: Vec<(u64, usize)> = (0..pairs.len()).map_to_vec(hash);
    hashes.sort_unstable();
    for same_hash in hashes.chunk_by(|x, y| x.0 == y.0).filter(|chunk| chunk.len() > 1) {
        for (number, (_, at)) in same_hash.iter().enumerate() {
            let earlier = same_hash[..number].iter().map(|(_, earlier)| *earlier);
            let equal = earlier.filter(|e| first[*e] == *e).find(|e| key(*e) == key(*at));
            first[*at] = equal.unwrap_or(*at);
        }
    }
    first
}

/// The numbers of a pose; zeros of either sign are equal, and give equal reports.
fn bits(pose: &Pose) -> [u64; 12] {
    let mut numbers = [0.0; 12];
    numbers[..9].copy_from_slice(&pose.rotation().to_cols_array());
    numbers[9..].copy_from_slice(&pose.translation().to_array());
    numbers.map(|x| (x + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, candidate_pairs, check_pair};
    use crate::math::{Random, next_up};
    use crate::shapes;

    #[test]
    fn equal_pairs_have_equal_reports_and_others_are_their_own_first() {
        let mut random = Random::new(31);
        let meshes = [
            shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
            shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
            shapes::cylinder(0.5, 1.0, 7).unwrap(),
        ]
        .map(Arc::new);
        let (mut repeated, mut differ_by_an_ulp) = (0, 0);
        for round in 0..40 {
            let mut scene = Scene::new();
            let turns = [[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.9], [-0.0, 0.0, -0.7, 0.7]];
            for part in 0..24 {
                let mut step = || random.index(4) as f64 * 0.5;
                let mut at = [step(), step(), step()];
                if random.index(8) == 0 {
                    at[0] = next_up(at[0]);
                    differ_by_an_ulp += 1;
                }
                let turn = turns[if round % 2 == 0 { 0 } else { random.index(3) }];
                let pose = Pose::from_quaternion(turn, at).unwrap();
                scene.add(format!("{part}"), meshes[random.index(3)].clone(), pose);
            }
            let pairs = candidate_pairs(&scene, 0.2);
            let first = first_equal_pairs(&scene, &pairs);
            let pair = |k: usize| {
                let [a, b] = [pairs[k].0, pairs[k].1].map(|part| &scene.parts()[part]);
                (&a.mesh, &b.mesh, Pose::relative(&a.pose, &b.pose))
            };
            let options = CheckOptions::default().clearance(0.1);
            for (at, earlier) in first.iter().copied().enumerate() {
                let (a, b, pose) = pair(at);
                let equal = |k: &usize| {
                    let (c, d, other) = pair(*k);
                    Arc::ptr_eq(a, c) && Arc::ptr_eq(b, d) && pose == other
                };
                assert_eq!((0..=at).find(equal), Some(earlier));
                if earlier < at {
                    repeated += 1;
                    let (c, d, other) = pair(earlier);
                    let report = check_pair(c, d, &other, &options);
                    assert_eq!(check_pair(a, b, &pose, &options), report);
                }
            }
        }
        assert!(repeated > 200 && differ_by_an_ulp > 50, "{repeated} {differ_by_an_ulp}");
    }
}
