//! The evidence for "separated".

use std::fmt;

use crate::math::{Pose, Vec3, direction};
use crate::mesh::Mesh;

use super::distance::{ClosestPair, closest_pair};
use super::{First, Posed, sweep};

/// Why two meshes share no point.
///
/// ```
/// use impinge::{Pose, Separation, Verdict, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let away = Pose::from_translation([0.0, 3.0, 0.0])?;
/// let Verdict::Separated(proof) = impinge::intersects(&cube, &cube, &away) else { panic!() };
/// assert!(matches!(proof, Separation::Slab { lower, .. } if lower > 1.99));
/// assert!(proof.verify(&cube, &cube, &away));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Separation {
    /// One of them has no triangles.
    Empty,
    /// They lie on different sides of a slab: `direction . (q - p) >= lower > 0` for every point
    /// `p` of A and `q` of B, in A's frame. [`Separation::verify`] checks it in one pass over the
    /// vertices.
    Slab {
        /// From A towards B, in A's frame, of length one to rounding.
        direction: Vec3,
        /// Lower bound of the width of the slab along the direction, including all rounding.
        lower: f64,
    },
    /// No slab was found between them (they may be interlocked), but their distance has this lower
    /// bound.
    Distance {
        /// A certain lower bound of the distance. Zero if the gap is too narrow for `f64` to bound
        /// it away from zero; the verdict is exact nevertheless.
        lower: f64,
    },
}

impl Separation {
    /// Evidence for two meshes that were found to share no point.
    pub(crate) fn find(mesh_a: &Mesh, mesh_b: &Mesh, pose: &Pose) -> Self {
        let (a, b) = (&Posed::new(mesh_a, &Pose::IDENTITY), &Posed::new(mesh_b, pose));
        if a.is_empty() || b.is_empty() {
            return Self::Empty;
        }
        let centers = direction(b.bounds().center() - a.bounds().center());
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        let mut best: Option<(Vec3, f64)> = None;
        for direction in axes.chain(centers) {
            let lower = gap_along(a, b, direction);
            if lower > 0.0 && best.is_none_or(|(_, known)| lower > known) {
                best = Some((direction, lower));
            }
        }
        if let Some((direction, lower)) = best {
            return Self::Slab { direction, lower };
        }
        let Some(closest) = closest_pair(mesh_a, mesh_b, pose, f64::INFINITY) else {
            return Self::Empty;
        };
        if let Some(direction) = direction(closest.point_b - closest.point_a) {
            let lower = gap_along(a, b, direction);
            if lower > 0.0 {
                return Self::Slab { direction, lower };
            }
        }
        Self::Distance { lower: closest.lower }
    }

    /// A certain lower bound of the distance; infinite if a mesh is empty.
    #[must_use]
    pub fn lower(&self) -> f64 {
        match self {
            Self::Empty => f64::INFINITY,
            // The direction is longer than one by a few ulps at most.
            Self::Slab { lower, .. } => lower * (1.0 - 8.0 * f64::EPSILON),
            Self::Distance { lower } => *lower,
        }
    }

    /// Checks the evidence against the meshes it was found for: a slab in one pass over the
    /// vertices, a distance by a search for triangles that meet and a second measurement.
    #[must_use]
    pub fn verify(&self, a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
        let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
        match self {
            Self::Empty => a.is_empty() || b.is_empty(),
            Self::Slab { direction, lower } => {
                let length = direction.length();
                *lower > 0.0
                    && (length - 1.0).abs() < 1e-15
                    && gap_along(&a, &b, *direction) >= *lower
            }
            Self::Distance { lower } => {
                // A bound of zero does not prove that no triangles meet, so that is checked
                // separately. Both checks use other methods than the verdict.
                let mut first = First::default();
                sweep::traverse(&a, &b, &mut first);
                first.pair.is_none()
                    && ClosestPair::in_blocks(&a, &b).is_none_or(|c| c.lower >= *lower)
            }
        }
    }
}

/// A lower bound of `direction . (q - p)` over all points `p` of A and `q` of B; negative if the
/// meshes overlap along the direction.
///
/// The products are relative to a point between the meshes. With `w = v - o` rounded, the error of
/// `direction . w` is at most `4 u (|d0 w0| + |d1 w1| + |d2 w2|)` (one rounding of the difference,
/// one of each product, two of the sums); the code uses twice that.
fn gap_along(a: &Posed<'_>, b: &Posed<'_>, direction: Vec3) -> f64 {
    let origin = (a.bounds().center() + b.bounds().center()) * 0.5;
    let project = |v: Vec3| {
        let terms = (v - origin) * direction;
        (
            terms.x + terms.y + terms.z,
            4.0 * f64::EPSILON * terms.abs().element_sum() + f64::MIN_POSITIVE,
        )
    };
    let extreme = |m: &Posed<'_>, best: f64, better: fn(f64, f64, f64) -> f64| {
        m.mesh().triangles().iter().flatten().fold(best, |best, v| {
            let (value, error) = project(m.vertices()[*v as usize]);
            better(best, value, error)
        })
    };
    let top_of_a = extreme(a, f64::NEG_INFINITY, |best, value, error| best.max(value + error));
    let bottom_of_b = extreme(b, f64::INFINITY, |best, value, error| best.min(value - error));
    let gap = bottom_of_b - top_of_a;
    gap - gap.abs() * f64::EPSILON
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("one mesh has no triangles"),
            Self::Slab { direction: d, lower } => {
                write!(f, "at least {lower:.6} apart along ({:.4}, {:.4}, {:.4})", d.x, d.y, d.z)
            }
            Self::Distance { lower } => write!(f, "at least {lower:.6} apart everywhere"),
        }
    }
}
