//! How a pair is checked: chosen by what the two are and how large, from measured costs (Zachmann
//! 1994, sections 3.6.5 and 7.1).

use std::fmt;

use super::geometry::{Part, mesh_of};
use crate::shape::Kind;

/// A way to find out whether two shapes meet. All give the same verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The query for shapes of these kinds, of which one at least is no mesh: certified GJK, or a
    /// search over the mesh's tree.
    Shapes,
    /// The hulls of two convex solids, which decide wherever these are apart; a contact is
    /// confirmed by triangles, because rounding bends the faces of a body that is turned.
    Hulls,
    /// The hulls of two meshes from the last separating vector, and their triangles only if that
    /// leaves it open.
    HullsThenTriangles,
    /// The trees of two meshes, from where the last check ended.
    Triangles,
    /// The boxes of all triangles, sorted along an axis.
    Sweep,
    /// Every triangle with every other.
    BruteForce,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Shapes,
        Self::Hulls,
        Self::HullsThenTriangles,
        Self::Triangles,
        Self::Sweep,
        Self::BruteForce,
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shapes => "shapes",
            Self::Hulls => "hulls",
            Self::HullsThenTriangles => "hulls, then triangles",
            Self::Triangles => "triangles",
            Self::Sweep => "sweep",
            Self::BruteForce => "brute force",
        })
    }
}

/// What a method is expected to cost for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The method.
    pub method: Method,
    /// Nanoseconds a check, roughly, for bodies that move a little from frame to frame; `None` if
    /// the method cannot decide for these shapes.
    pub nanoseconds: Option<f64>,
}

/// What counts for the choice, of one shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// How many triangles, if it is a mesh.
    pub triangles: Option<usize>,
    /// Whether its inside counts and it is convex, so that its hull is all there is to know.
    pub convex_solid: bool,
}

impl Traits {
    pub(super) fn of(part: &Part) -> Self {
        let mesh = mesh_of(part.shape());
        let solid = matches!(part.shape().kind(), Kind::Solid(_));
        Self {
            triangles: mesh.map(|mesh| mesh.triangles().len()),
            convex_solid: mesh.is_none()
                || (solid && mesh.is_some_and(|m| m.classification().convex)),
        }
    }
}

/// The measured costs, in nanoseconds: `docs/results/methods.md` has the table they come from, and
/// the command.
mod cost {
    /// A query of shapes that are no meshes.
    pub(super) const SHAPES: f64 = 180.0;
    /// The same with a mesh, and for each doubling of its triangles.
    pub(super) const SHAPE_MESH: f64 = 930.0;
    pub(super) const SHAPE_MESH_DOUBLING: f64 = 30.0;
    /// Two hulls, from the last separating vector.
    pub(super) const HULLS: f64 = 60.0;
    /// How often hulls leave it open, of pairs whose boxes overlap.
    pub(super) const OPEN: f64 = 0.67;
    /// Two trees, for each doubling of the product of their sizes.
    pub(super) const TREES_DOUBLING: f64 = 30.0;
    /// Up to so many triangles in the smaller mesh and in the larger one, a query by triangles is a
    /// sweep.
    pub(super) const SMALL: f64 = crate::tree::MOST_WITHOUT_TREE as f64;
    pub(super) const LARGE: f64 = crate::tree::MOST_FOR_SWEEP as f64;
    /// The sweep, and for each triangle.
    pub(super) const SWEEP: f64 = 150.0;
    pub(super) const SWEEP_TRIANGLE: f64 = 18.5;
    /// All triangles of small meshes with each other, and for each pair.
    pub(super) const BRUTE: f64 = 80.0;
    pub(super) const PAIR: f64 = 19.0;
}

/// What every method would cost.
pub(super) fn estimates(a: &Traits, b: &Traits) -> [Estimate; 6] {
    let cost = |method: Method| {
        let (Some(m), Some(n)) = (a.triangles, b.triangles) else {
            let mesh = a.triangles.or(b.triangles);
            return match (method, mesh) {
                (Method::Shapes, None) => Some(cost::SHAPES),
                (Method::Shapes, Some(count)) => {
                    let doublings = (count.max(1) as f64).log2();
                    Some(cost::SHAPE_MESH + cost::SHAPE_MESH_DOUBLING * doublings)
                }
                _ => None,
            };
        };
        let (m, n) = (m as f64, n as f64);
        let sweep = cost::SWEEP + cost::SWEEP_TRIANGLE * (m + n);
        let by_trees = m.min(n) > cost::SMALL || m.max(n) > cost::LARGE;
        let triangles = if by_trees { cost::TREES_DOUBLING * (m * n).log2() } else { sweep };
        match method {
            Method::Shapes => None,
            Method::Hulls => (a.convex_solid && b.convex_solid).then_some(cost::HULLS),
            Method::HullsThenTriangles => Some(cost::HULLS + cost::OPEN * triangles),
            Method::Triangles => Some(triangles),
            Method::Sweep => Some(sweep),
            Method::BruteForce => Some(cost::BRUTE + cost::PAIR * m * n),
        }
    };
    Method::ALL.map(|method| Estimate { method, nanoseconds: cost(method) })
}

/// The method that is expected to cost least; of the wish, if it can decide for these shapes.
pub(super) fn choose(a: &Traits, b: &Traits, wish: Option<Method>) -> Method {
    let estimates = estimates(a, b);
    let possible = |e: &&Estimate| e.nanoseconds.is_some();
    if let Some(wished) = estimates.iter().filter(possible).find(|e| Some(e.method) == wish) {
        return wished.method;
    }
    let cost = |e: &&Estimate| e.nanoseconds.unwrap_or(f64::INFINITY);
    let least = estimates.iter().filter(possible).min_by(|x, y| cost(x).total_cmp(&cost(y)));
    least.map_or(Method::Shapes, |e| e.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_follows_size_and_class() {
        let mesh = |triangles| Traits { triangles: Some(triangles), convex_solid: false };
        let solid = |triangles| Traits { triangles: Some(triangles), convex_solid: true };
        let shape = Traits { triangles: None, convex_solid: true };
        assert_eq!(choose(&mesh(2), &mesh(2), None), Method::BruteForce);
        assert_eq!(choose(&mesh(20), &mesh(20), None), Method::HullsThenTriangles);
        assert_eq!(choose(&mesh(50_000), &mesh(50_000), None), Method::HullsThenTriangles);
        assert_eq!(choose(&solid(500), &solid(90), None), Method::Hulls);
        assert_eq!(choose(&solid(500), &mesh(900), None), Method::HullsThenTriangles);
        assert_eq!(choose(&shape, &mesh(900), None), Method::Shapes);
        assert_eq!(choose(&mesh(900), &mesh(900), Some(Method::Triangles)), Method::Triangles);
        // A small mesh beside a large one is asked by its tree, beside a small one swept.
        let triangles = |m: usize, n: usize| estimates(&mesh(m), &mesh(n))[3].nanoseconds.unwrap();
        assert!(triangles(2, 50_000) < triangles(50_000, 50_000));
        assert!(triangles(8, 30) > triangles(9, 33));
        // A wish that cannot be granted is not.
        assert_eq!(choose(&shape, &mesh(900), Some(Method::BruteForce)), Method::Shapes);
    }
}
