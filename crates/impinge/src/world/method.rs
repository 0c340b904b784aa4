//! The engine's methods for checking a pair, and the expected cost of each, from measured costs
//! (Zachmann 1994, sections 3.6.5 and 7.1).

use super::pair_method::PairTraits;

/// A method that decides whether two shapes meet. All give the same verdict. They are described at
/// [`MethodKind`](super::MethodKind).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Method {
    Shapes,
    Hulls,
    HullsThenTriangles,
    Triangles,
    Sweep,
    BruteForce,
}

impl Method {
    pub(super) const ALL: [Self; 6] = [
        Self::Shapes,
        Self::Hulls,
        Self::HullsThenTriangles,
        Self::Triangles,
        Self::Sweep,
        Self::BruteForce,
    ];

    /// The name, one word.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shapes => "shapes",
            Self::Hulls => "hulls",
            Self::HullsThenTriangles => "hulls-then-triangles",
            Self::Triangles => "triangles",
            Self::Sweep => "sweep",
            Self::BruteForce => "brute-force",
        }
    }
}

/// Measured costs, in nanoseconds, from the table in `docs/results/methods.md`, which also has the
/// command that measures them.
mod cost {
    /// A query of shapes that are no meshes.
    pub(super) const SHAPES_NS: f64 = 180.0;
    /// A query of a shape and a mesh, and the increase for each doubling of its triangles.
    pub(super) const SHAPE_MESH_NS: f64 = 930.0;
    pub(super) const SHAPE_MESH_NS_PER_DOUBLING: f64 = 30.0;
    /// A query of two hulls, from the last separating vector.
    pub(super) const HULLS_NS: f64 = 60.0;
    /// The fraction of pairs with overlapping boxes that hulls do not decide.
    pub(super) const SHARE_UNDECIDED_BY_HULLS: f64 = 0.67;
    /// A query of two trees, for each doubling of the product of their sizes.
    pub(super) const TREES_NS_PER_DOUBLING: f64 = 30.0;
    /// Up to these numbers of triangles in the smaller mesh and in the larger one, a query by
    /// triangles is a sweep.
    pub(super) const MAX_TRIANGLES_OF_SMALLER: f64 = crate::tree::MAX_TRIANGLES_WITHOUT_TREE as f64;
    pub(super) const MAX_TRIANGLES_OF_LARGER: f64 = crate::tree::MAX_TRIANGLES_FOR_SWEEP as f64;
    /// A sweep, and the increase for each triangle.
    pub(super) const SWEEP_NS: f64 = 150.0;
    pub(super) const SWEEP_NS_PER_TRIANGLE: f64 = 18.5;
    /// A query of all pairs of triangles of small meshes, and the increase for each pair.
    pub(super) const BRUTE_NS: f64 = 80.0;
    pub(super) const BRUTE_NS_PER_PAIR: f64 = 19.0;
}

/// The approximate time of a check in nanoseconds, for bodies that move a little from frame to
/// frame; `None` if the method cannot decide for these shapes.
pub(super) fn nanoseconds(method: Method, pair: &PairTraits) -> Option<f64> {
    let PairTraits { a, b } = pair;
    let (Some(m), Some(n)) = (a.triangles, b.triangles) else {
        let mesh = a.triangles.or(b.triangles);
        return match (method, mesh) {
            (Method::Shapes, None) => Some(cost::SHAPES_NS),
            (Method::Shapes, Some(count)) => {
                let doublings = (count.max(1) as f64).log2();
                Some(cost::SHAPE_MESH_NS + cost::SHAPE_MESH_NS_PER_DOUBLING * doublings)
            }
            (
                Method::Hulls
                | Method::HullsThenTriangles
                | Method::Triangles
                | Method::Sweep
                | Method::BruteForce,
                _,
            ) => None,
        };
    };
    let (m, n) = (m as f64, n as f64);
    let sweep = cost::SWEEP_NS + cost::SWEEP_NS_PER_TRIANGLE * (m + n);
    let by_trees =
        m.min(n) > cost::MAX_TRIANGLES_OF_SMALLER || m.max(n) > cost::MAX_TRIANGLES_OF_LARGER;
    let triangles = if by_trees { cost::TREES_NS_PER_DOUBLING * (m * n).log2() } else { sweep };
    match method {
        Method::Shapes => None,
        Method::Hulls => (a.convex_solid && b.convex_solid).then_some(cost::HULLS_NS),
        Method::HullsThenTriangles => {
            Some(cost::HULLS_NS + cost::SHARE_UNDECIDED_BY_HULLS * triangles)
        }
        Method::Triangles => Some(triangles),
        Method::Sweep => Some(sweep),
        Method::BruteForce => Some(cost::BRUTE_NS + cost::BRUTE_NS_PER_PAIR * m * n),
    }
}

/// The method of least expected cost, with that cost.
pub(super) fn cheapest(pair: &PairTraits) -> (Method, f64) {
    let with_cost = |method| Some((method, nanoseconds(method, pair)?));
    let methods = Method::ALL.into_iter().filter_map(with_cost);
    let cheapest = methods.min_by(|x, y| x.1.total_cmp(&y.1));
    cheapest.unwrap_or((Method::Shapes, cost::SHAPES_NS))
}

#[cfg(test)]
mod tests {
    use super::super::pair_method::Traits;
    use super::*;

    #[test]
    fn the_choice_follows_size_and_class() {
        let mesh = |triangles| Traits { triangles: Some(triangles), ..Traits::default() };
        let solid = |triangles| Traits { solid: true, convex_solid: true, ..mesh(triangles) };
        let shape = Traits { solid: true, convex_solid: true, ..Traits::default() };
        let choose = |a, b| cheapest(&PairTraits { a, b }).0;
        assert_eq!(choose(mesh(2), mesh(2)), Method::BruteForce);
        assert_eq!(choose(mesh(20), mesh(20)), Method::HullsThenTriangles);
        assert_eq!(choose(mesh(50_000), mesh(50_000)), Method::HullsThenTriangles);
        assert_eq!(choose(solid(500), solid(90)), Method::Hulls);
        assert_eq!(choose(solid(500), mesh(900)), Method::HullsThenTriangles);
        assert_eq!(choose(shape, mesh(900)), Method::Shapes);
        // A small mesh and a large one are compared by trees, two small ones by a sweep.
        let triangles = |m: usize, n: usize| {
            nanoseconds(Method::Triangles, &PairTraits { a: mesh(m), b: mesh(n) }).unwrap()
        };
        assert!(triangles(2, 50_000) < triangles(50_000, 50_000));
        assert!(triangles(8, 30) > triangles(9, 33));
        let mixed = PairTraits { a: shape, b: mesh(900) };
        assert_eq!(nanoseconds(Method::BruteForce, &mixed), None);
    }
}
