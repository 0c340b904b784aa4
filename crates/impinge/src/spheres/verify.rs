//! The proof that a tree of balls covers a mesh, by code that shares nothing with the builders.
//!
//! [`Parts`] states, for every piece of every triangle, the deepest ball that it belongs to; the
//! piece then belongs to that ball's parent, and so on. So the patches of the children of a ball
//! always make up its own patch, and the patches of a level make up the surface. What remains to be
//! proven is that every ball contains its patch. Balls and pieces are convex: a piece is inside a
//! ball if its corners are. A corner is a sum of vertices with dyadic weights; its squared distance
//! is compared with the squared radius in `f64` with an error bound, and in integers where that
//! leaves the answer open. The verdict is exact for the coordinates given.

use std::fmt;

use num_bigint::BigInt;

use super::Parts;
use crate::exact::integer::scale_all;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// Why a tree of balls is no cover of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// There is no level, or a level without balls, or a mesh without triangles.
    Empty,
    /// A centre or a radius is not finite, or a radius is negative.
    NotABall {
        /// The level.
        level: usize,
        /// The ball, within its level.
        ball: usize,
    },
    /// A parent does not exist, or the parents of a level are not ascending, or a ball above the
    /// deepest level has no child.
    WrongParent {
        /// The level.
        level: usize,
        /// The ball, within its level.
        ball: usize,
    },
    /// The list of cuts ends too early, continues after the last triangle, cuts a piece too often,
    /// or names a ball that does not exist.
    WrongCuts {
        /// The triangle.
        triangle: usize,
    },
    /// A ball does not contain its patch.
    NotCovered {
        /// The level.
        level: usize,
        /// The ball, within its level.
        ball: usize,
        /// A triangle with a piece in the patch of this ball that the ball does not contain.
        triangle: usize,
    },
    /// The list of triangles of a deepest ball is not that of its patch, ascending.
    WrongTriangles {
        /// The ball, within the deepest level.
        ball: usize,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there are no levels, no balls, or no triangles"),
            Self::NotABall { level, ball } => {
                write!(f, "ball {ball} of level {level} has no finite centre or radius")
            }
            Self::WrongParent { level, ball } => write!(
                f,
                "ball {ball} of level {level} has a wrong parent, or no child above the deepest level"
            ),
            Self::WrongCuts { triangle } => {
                write!(f, "the cuts of triangle {triangle} cannot be read")
            }
            Self::NotCovered { level, ball, triangle } => write!(
                f,
                "ball {ball} of level {level} does not contain its part of triangle {triangle}"
            ),
            Self::WrongTriangles { ball } => {
                write!(f, "the triangles listed for deepest ball {ball} are not those of its patch")
            }
        }
    }
}

impl std::error::Error for Flaw {}

/// Cuts one inside the other; more cannot be written with weights of 48 bits.
const DEEPEST: usize = 48;

/// Verifies that every ball contains its patch of the surface, that the patches of its children
/// make up its own, that the patches of every level make up the whole surface, and that every
/// deepest ball lists the triangles of its patch. Exact: rounding changes no verdict.
///
/// # Errors
/// The first [`Flaw`] that was found.
///
/// ```
/// use impinge::spheres::{Ball, CoverOptions, Node, SphereTree, verify};
/// use impinge::{Vec3, shapes};
///
/// let cube = shapes::cuboid([2.0, 2.0, 2.0])?;
/// let around = Node::root(Ball { center: Vec3::ZERO, radius: 2.0 });
/// let tree = SphereTree::from_levels(&cube, &[vec![around]], &CoverOptions::default())?;
/// assert_eq!(verify(&cube, tree.parts()), Ok(()));
/// let mut forged = tree.parts().clone();
/// forged.levels[0][0].ball.radius = 1.7;
/// assert!(verify(&cube, &forged).is_err());
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn verify(mesh: &Mesh, parts: &Parts) -> Result<(), Flaw> {
    let Parts { levels, cuts, triangles } = parts;
    let Some(deepest) = levels.last() else { return Err(Flaw::Empty) };
    if mesh.is_empty() || levels.iter().any(Vec::is_empty) {
        return Err(Flaw::Empty);
    }
    check_levels(parts)?;
    if triangles.len() != deepest.len() {
        return Err(Flaw::WrongTriangles { ball: triangles.len().min(deepest.len()) });
    }
    // How many triangles of each list have been met. Triangles are met in ascending order.
    let mut met = vec![0_usize; deepest.len()];
    let mut rest = cuts.iter();
    for triangle in 0..mesh.triangles().len() {
        let vertices = mesh.triangle(triangle);
        // Corners of pieces as weights of the vertices, and the number of cuts that led to them.
        let mut waiting =
            vec![([[1_u64 << DEEPEST, 0, 0], [0, 1 << DEEPEST, 0], [0, 0, 1 << DEEPEST]], 0)];
        while let Some((piece, cut)) = waiting.pop() {
            let Some(next) = rest.next() else { return Err(Flaw::WrongCuts { triangle }) };
            let [a, b, c] = piece;
            if *next < 3 {
                if cut == DEEPEST {
                    return Err(Flaw::WrongCuts { triangle });
                }
                let mid = |p: [u64; 3], q: [u64; 3]| [0, 1, 2].map(|i| (p[i] + q[i]) / 2);
                let (first, second) = match *next {
                    0 => ([a, mid(a, b), c], [mid(a, b), b, c]),
                    1 => ([a, b, mid(b, c)], [a, mid(b, c), c]),
                    _ => ([mid(c, a), b, c], [a, b, mid(c, a)]),
                };
                waiting.push((second, cut + 1));
                waiting.push((first, cut + 1));
                continue;
            }
            let mut ball = (*next - 3) as usize;
            let Some(list) = triangles.get(ball) else {
                return Err(Flaw::WrongCuts { triangle });
            };
            let found = &mut met[ball];
            let is_known = *found > 0 && list.get(*found - 1) == Some(&(triangle as u32));
            if !is_known {
                if list.get(*found) != Some(&(triangle as u32)) {
                    return Err(Flaw::WrongTriangles { ball });
                }
                *found += 1;
            }
            for (level, nodes) in levels.iter().enumerate().rev() {
                let node = &nodes[ball];
                let (center, radius) = (node.ball.center, node.ball.radius);
                if !piece.iter().all(|corner| is_inside(center, radius, &vertices, corner)) {
                    return Err(Flaw::NotCovered { level, ball, triangle });
                }
                ball = node.parent as usize;
            }
        }
    }
    if rest.next().is_some() {
        return Err(Flaw::WrongCuts { triangle: mesh.triangles().len() });
    }
    match (0..deepest.len()).find(|ball| met[*ball] != triangles[*ball].len()) {
        Some(ball) => Err(Flaw::WrongTriangles { ball }),
        None => Ok(()),
    }
}

/// Balls are balls, and parents exist, ascend, and have children.
fn check_levels(parts: &Parts) -> Result<(), Flaw> {
    for (level, nodes) in parts.levels.iter().enumerate() {
        for (ball, node) in nodes.iter().enumerate() {
            let is_ball =
                node.ball.center.is_finite() && (0.0..=f64::MAX).contains(&node.ball.radius);
            if !is_ball {
                return Err(Flaw::NotABall { level, ball });
            }
            // Ascending without gaps from zero to the last ball above.
            let parent = node.parent as usize;
            let fits = match (level, ball) {
                (0, _) => node.parent == super::NO_PARENT,
                (_, 0) => parent == 0,
                (_, _) => {
                    let before = nodes[ball - 1].parent as usize;
                    parent == before || parent == before + 1
                }
            };
            let is_last = ball + 1 == nodes.len();
            let ends = level == 0 || !is_last || parent + 1 == parts.levels[level - 1].len();
            if !(fits && ends) {
                return Err(Flaw::WrongParent { level, ball });
            }
        }
    }
    Ok(())
}

/// Whether a weighted sum of vertices is in a closed ball, exactly.
fn is_inside(center: Vec3, radius: f64, vertices: &[Vec3; 3], weights: &[u64; 3]) -> bool {
    // In `f64` relative to the centre. With `m` the largest coordinate and `u` the unit roundoff,
    // each coordinate of the sum is off by at most 4 u m, its length by 7 u m; the length, its
    // comparison and the slack add less than 9 u m. Where squares may underflow or overflow,
    // integers decide.
    let offsets = vertices.map(|v| v - center);
    let m = offsets.iter().fold(0.0, |m: f64, x| m.max(x.abs().max_element()));
    if (1e-130..1e130).contains(&m) {
        let weight = |i: usize| weights[i] as f64 / (1_u64 << DEEPEST) as f64;
        let sum = offsets[0] * weight(0) + offsets[1] * weight(1) + offsets[2] * weight(2);
        let (length, slack) = (sum.length(), 16.0 * f64::EPSILON * m);
        if length + slack <= radius {
            return true;
        }
        if length - slack > radius {
            return false;
        }
    }
    is_inside_exactly(center, radius, vertices, weights)
}

/// As [`is_inside`], in integers.
fn is_inside_exactly(center: Vec3, radius: f64, vertices: &[Vec3; 3], weights: &[u64; 3]) -> bool {
    let [a, b, c] = vertices.map(|v| v.to_array());
    let center = center.to_array();
    let numbers: Vec<f64> = [a, b, c, center].concat().into_iter().chain([radius]).collect();
    let Some(n) = scale_all(&numbers) else { return false };
    let mut square = BigInt::from(0);
    for i in 0..3 {
        let sum = &n[i] * weights[0] + &n[3 + i] * weights[1] + &n[6 + i] * weights[2];
        let difference = sum - (&n[9 + i] << DEEPEST);
        square += &difference * &difference;
    }
    let radius = &n[12] << DEEPEST;
    square <= &radius * &radius
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, next_down};

    #[test]
    fn corners_on_the_sphere_are_inside_and_one_ulp_less_is_not() {
        // Three, four, five at every scale and offset: the distance is a float.
        for scale in [0, -996, -1070, 166].map(|k| 2.0_f64.powi(k)) {
            for offset in [0.0, 1.0, 1024.0] {
                let center = Vec3::splat(offset) * scale;
                let p = center + Vec3::new(3.0, 4.0, 0.0) * scale;
                let exact = (p.x - center.x == 3.0 * scale) && (p.y - center.y == 4.0 * scale);
                if !exact {
                    continue;
                }
                let vertices = [p, center, center];
                let corner = [1 << DEEPEST, 0, 0];
                let radius = 5.0 * scale;
                assert!(is_inside(center, radius, &vertices, &corner));
                assert!(!is_inside(center, next_down(radius), &vertices, &corner));
                // The middle of the edge is half as far.
                let middle = [1 << (DEEPEST - 1), 1 << (DEEPEST - 1), 0];
                assert!(is_inside(center, radius / 2.0, &vertices, &middle));
                assert!(!is_inside(center, next_down(radius / 2.0), &vertices, &middle));
            }
        }
    }

    #[test]
    fn filter_and_integers_agree() {
        let mut random = Random::new(8);
        for scale in [1.0, 1e-140, 1e40] {
            for _ in 0..300 {
                let vertices = [(); 3].map(|()| random.in_cube() * scale);
                let center = random.in_cube() * scale;
                let w = random.bits() >> 16;
                let weights = [w, (1 << DEEPEST) - w, 0];
                let p = vertices[0] * (w as f64 / (1_u64 << DEEPEST) as f64)
                    + vertices[1] * (weights[1] as f64 / (1_u64 << DEEPEST) as f64);
                let length = (p / scale - center / scale).length() * scale;
                for radius in [length, next_down(length), length * (1.0 + 1e-14), length * 0.9] {
                    assert_eq!(
                        is_inside(center, radius, &vertices, &weights),
                        is_inside_exactly(center, radius, &vertices, &weights)
                    );
                }
            }
        }
    }
}
