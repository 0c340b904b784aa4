//! Broad and narrow phase at the same time (section X): the narrow phase compares pairs while the
//! broad phase still searches for others.

use std::sync::mpsc;
use std::thread;

/// Runs a broad phase on a thread of its own, and `narrow` on this one for each pair that it finds.
///
/// `broad` calls the function it is given with every pair. The answers are those of one phase after
/// the other, in the order of the pairs: `narrow` gets the same pairs one by one, in that order.
///
/// ```
/// use impinge::pair::Budget;
/// use impinge::{Aabb, Pose, shapes};
/// use impinge_papers::hubbard::narrow::{NarrowQuery, overlapped};
/// use impinge_papers::hubbard::spheres::{self, SphereOptions};
/// use impinge_papers::hubbard::turk::TurkGrid;
///
/// let ball = shapes::icosphere(0.5, 4)?;
/// let tree = spheres::octree(&ball, &SphereOptions::default().levels(2))?;
/// let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]);
/// let poses = [at(0.0)?, at(0.9)?, at(1.95)?];
/// let boxes: Vec<Aabb> = poses.iter().map(|pose| ball.bounds_at(pose)).collect();
/// let mut grid = TurkGrid::new(1.0);
/// let mut query = NarrowQuery::new((&ball, &tree), (&ball, &tree));
/// let hits = overlapped(
///     |found| {
///         grid.pairs(&boxes, |a, b| {
///             found((a, b));
///             true
///         });
///     },
///     |(a, b)| {
///         let pose = Pose::relative(&poses[a as usize], &poses[b as usize]);
///         query.within(&pose, &mut Budget::unlimited()).is_intersecting()
///     },
/// );
/// assert_eq!(hits, [true]);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn overlapped<P: Send, R>(
    broad: impl FnOnce(&mut dyn FnMut(P)) + Send,
    narrow: impl FnMut(P) -> R,
) -> Vec<R> {
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            broad(&mut |pair| {
                // The receiver lives until the sender is dropped.
                let _ = sender.send(pair);
            });
        });
        receiver.into_iter().map(narrow).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_one_phase_after_the_other() {
        let pairs: Vec<(u32, u32)> = (0..500).map(|i| (i, i * i % 17)).collect();
        let narrow = |(a, b): (u32, u32)| (a ^ b) % 3;
        let answers = overlapped(|found| pairs.iter().for_each(|pair| found(*pair)), narrow);
        assert_eq!(answers, pairs.iter().map(|pair| narrow(*pair)).collect::<Vec<u32>>());
        assert!(overlapped(|_: &mut dyn FnMut(u32)| {}, |p| p).is_empty());
    }
}
