//! Solids over a chain of cross sections with the same number of corners, such as wings and palms.

use super::builder::Surface;
use crate::math::Vec3;

/// The closed skin through `sections`, with a flat polygon at either end.
///
/// Every section runs counter-clockwise seen from the last section.
pub fn loft(sections: impl IntoIterator<Item = Vec<Vec3>>) -> Surface {
    let mut surface = Surface::new();
    let rings: Vec<_> = sections.into_iter().map(|section| surface.ring(section)).collect();
    surface.capped_skin(&rings);
    surface
}

/// The sections from `first` to `last`, in `pieces` equal steps, with each point on a straight
/// line.
#[must_use]
pub fn between(first: &[Vec3], last: &[Vec3], pieces: usize) -> Vec<Vec<Vec3>> {
    (0..=pieces)
        .map(|k| {
            let t = k as f64 / pieces as f64;
            first.iter().zip(last).map(|(a, b)| *a + (*b - *a) * t).collect()
        })
        .collect()
}
