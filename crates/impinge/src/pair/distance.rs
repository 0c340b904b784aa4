//! The distance of two meshes, with bounds that hold.
//!
//! Triangles are put into blocks of neighbours; blocks whose boxes are further apart than the best distance so far are skipped, and within a pair
//! of blocks so are triangles.

use crate::closest;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;

use super::blocks::{Block, blocks};
use super::{Posed, first_hit};

/// How far apart two meshes are, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// They are at least this far apart; zero only if they meet, or if the gap is too narrow to tell from zero in `f64`.
    pub lower: f64,
    /// They are at most this far apart; zero if and only if they meet.
    pub upper: f64,
    /// The triangle of A that comes closest.
    pub a: u32,
    /// The triangle of B that comes closest.
    pub b: u32,
    /// The closest point of A, in A's frame, rounded.
    pub on_a: Vec3,
    /// The closest point of B, in A's frame, rounded.
    pub on_b: Vec3,
}

/// How far apart the surfaces of `a` and `b` are, with `b` at `pose` in `a`'s frame. `None` if one of them has no triangles.
///
/// A solid inside another is as far away as its surface is.
///
/// ```
/// use impinge::{Pose, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let away = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let d = impinge::distance(&cube, &cube, &away).expect("both have triangles");
/// assert!(d.lower <= 2.0 && 2.0 <= d.upper && d.upper - d.lower < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn distance(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<Distance> {
    let hit = first_hit(a, b, pose);
    let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
    match hit {
        Some(hit) => Some(Distance {
            lower: 0.0,
            upper: 0.0,
            a: hit.a,
            b: hit.b,
            on_a: hit.point,
            on_b: hit.point,
        }),
        None => closest_pair(&a, &b, f64::INFINITY),
    }
}

/// The closest pair of triangles of two meshes that share no point. `None` if they are certainly further apart than `limit`, or one is empty.
pub(crate) fn closest_pair(a: &Posed<'_>, b: &Posed<'_>, limit: f64) -> Option<Distance> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (blocks_a, blocks_b) = (blocks(&a.collect(&a.bounds())), blocks(&b.collect(&b.bounds())));
    // The nearest blocks first: a good first bound prunes most of the rest.
    let mut order: Vec<(f64, usize)> = blocks_a
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let nearest = blocks_b
                .iter()
                .map(|q| box_gap(&p.bounds, &q.bounds))
                .fold(f64::INFINITY, f64::min);
            (nearest, i)
        })
        .collect();
    order.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));

    let mut search = Search { best: None, lower: f64::INFINITY, bound: limit };
    let mut near = Vec::new();
    for (gap, i) in order {
        if gap > search.bound {
            break;
        }
        near.clear();
        let p = &blocks_a[i];
        near.extend(
            blocks_b
                .iter()
                .enumerate()
                .map(|(j, q)| (box_gap(&p.bounds, &q.bounds), j))
                .filter(|(gap, _)| *gap <= search.bound),
        );
        near.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for (gap, j) in &near {
            if *gap > search.bound {
                break;
            }
            search.compare(a, p, b, &blocks_b[*j]);
        }
    }
    search
        .best
        .filter(|d| d.lower <= limit)
        .map(|d| Distance { lower: search.lower.min(d.upper), ..d })
}

/// What is known so far.
struct Search {
    best: Option<Distance>,
    /// The smallest lower bound of any pair looked at.
    lower: f64,
    /// Pairs further apart than this do not matter.
    bound: f64,
}

impl Search {
    fn compare(&mut self, a: &Posed<'_>, p: &Block, b: &Posed<'_>, q: &Block) {
        for (i, bounds) in &p.triangles {
            if box_gap(bounds, &q.bounds) > self.bound {
                continue;
            }
            let t = a.triangle(*i);
            for (j, other) in &q.triangles {
                if box_gap(bounds, other) > self.bound {
                    continue;
                }
                let c = closest::disjoint(&t, &b.triangle(*j));
                self.lower = self.lower.min(c.lower);
                // Ties go to the lowest indices, so that the order of blocks does not show.
                let closer = self.best.is_none_or(|d| (c.upper, *i, *j) < (d.upper, d.a, d.b));
                if closer && c.lower <= self.bound {
                    self.best = Some(Distance {
                        lower: c.lower,
                        upper: c.upper,
                        a: *i,
                        b: *j,
                        on_a: c.a,
                        on_b: c.b,
                    });
                    self.bound = self.bound.min(c.upper);
                }
            }
        }
    }
}

/// A certain lower bound of the distance between points of two boxes. Squares that underflow give zero, which is a bound too; the
/// factor covers the five roundings.
fn box_gap(p: &Aabb, q: &Aabb) -> f64 {
    p.distance_squared(q).sqrt() * (1.0 - 8.0 * f64::EPSILON)
}
