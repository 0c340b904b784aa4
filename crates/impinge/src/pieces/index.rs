//! A small box tree over the triangles of a closed mesh. It answers whether a point is inside, how
//! far it is from the surface, and whether the surface enters a box.

use crate::arrays::{MapEach, MapToVec};
use crate::closest::point_triangle;
use crate::exact::{Location, location_of, ray_crossing};
#[cfg(any(test, feature = "internals"))]
use crate::math::Pose;
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;

/// The largest number of triangles of a leaf.
const MAX_LEAF_TRIANGLES: usize = 4;

/// The triangles of a closed mesh in a tree. Distances are bounds for coordinates at most two in
/// size; everything else holds for any coordinates.
#[derive(Debug)]
pub struct SolidIndex {
    triangles: Vec<[Vec3; 3]>,
    /// Node `i` has the children `nodes[i].first` and the next, or is a leaf of `count` triangles
    /// from `first`.
    nodes: Vec<Node>,
    balanced: bool,
}

/// The point of a surface nearest to another point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'a> {
    /// The squared distance.
    pub square: f64,
    /// The point.
    pub point: Vec3,
    /// The triangle that it is a point of.
    pub triangle: &'a [Vec3; 3],
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    first: u32,
    count: u32,
}

/// Bound of the rounding error of a distance, for coordinates at most two in size.
pub(crate) const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl SolidIndex {
    /// The tree of the mesh's triangles with their corners at `vertices`.
    pub fn new(mesh: &Mesh, vertices: &[Vec3]) -> Self {
        let corners = |t: &[u32; 3]| t.map_each(|v| vertices[v as usize]);
        let mut triangles: Vec<[Vec3; 3]> = mesh.triangles().map_to_vec(corners);
        let mut nodes = vec![Node { bounds: Aabb::EMPTY, first: 0, count: triangles.len() as u32 }];
        let mut open = vec![0];
        while let Some(i) = open.pop() {
            let Node { first, count, .. } = nodes[i];
            let range = first as usize..(first + count) as usize;
            let part = &mut triangles[range];
            let bounds = Aabb::from_points(part.iter().flatten().copied());
            nodes[i].bounds = bounds;
            if part.len() <= MAX_LEAF_TRIANGLES {
                continue;
            }
            let middle = |t: &[Vec3; 3]| t[0] + t[1] + t[2];
            let spread = Aabb::from_points(part.iter().map(middle)).extent();
            let axis = (0..3).max_by(|a, b| spread[*a].total_cmp(&spread[*b])).unwrap_or(0);
            let half = part.len() / 2;
            part.select_nth_unstable_by(half, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
            let children = nodes.len();
            let half = half as u32;
            nodes.push(Node { bounds, first, count: half });
            nodes.push(Node { bounds, first: first + half, count: count - half });
            nodes[i].first = children as u32;
            nodes[i].count = 0;
            open.extend([children, children + 1]);
        }
        Self { triangles, nodes, balanced: mesh.is_balanced() }
    }

    /// The same index with a given rule for the inside. For a part of a mesh, `balanced` has to be
    /// that of the whole mesh.
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn with_balance(self, balanced: bool) -> Self {
        Self { balanced, ..self }
    }

    /// The location of `p`, exactly; as [`solid::locate`](crate::solid::locate).
    #[must_use]
    pub fn locate(&self, p: Vec3) -> Location {
        let mut winding = Some(0);
        self.visit(
            |b| {
                b.max.x >= p.x
                    && b.min.y <= p.y
                    && p.y <= b.max.y
                    && b.min.z <= p.z
                    && p.z <= b.max.z
            },
            |t| {
                winding = winding.zip(ray_crossing(p, t)).map(|(sum, more)| sum + more);
                winding.is_some()
            },
        );
        location_of(winding, self.balanced)
    }

    /// Whether a triangle may share a point with `bounds`: its box does, its plane does up to
    /// rounding, and it is not certainly further from the middle than the corners are.
    #[must_use]
    pub fn may_enter(&self, bounds: &Aabb) -> bool {
        let mut enters = false;
        let center = bounds.center();
        let radius = ((bounds.max - center).max(center - bounds.min)).length() + ROUNDING;
        self.visit(
            |b| b.overlaps(bounds),
            |t| {
                enters |= Aabb::from_points(*t).overlaps(bounds)
                    && plane_meets(t, bounds)
                    && point_triangle(center, t).lower <= radius;
                !enters
            },
        );
        enters
    }

    /// An upper bound of the distance of `p` from the surface, and a triangle no further than that.
    #[must_use]
    pub fn distance(&self, p: Vec3) -> (f64, &[Vec3; 3]) {
        match self.nearest(p, f64::INFINITY) {
            Some(found) => (found.square.sqrt() + ROUNDING, found.triangle),
            None => (f64::INFINITY, &self.triangles[0]),
        }
    }

    /// The point of the surface nearest to `p`, up to rounding; `None` if its squared distance is
    /// not below `limit`.
    #[must_use]
    pub fn nearest(&self, p: Vec3, limit: f64) -> Option<Nearest<'_>> {
        let mut best = limit;
        let mut found = None;
        self.visit_nearest(p, |gap, triangle| {
            if gap < best {
                if let Some(triangle) = triangle {
                    let point = closest_point(p, triangle);
                    let square = (point - p).length_squared();
                    if square < best {
                        best = square;
                        found = Some(Nearest { square, point, triangle });
                    }
                }
            }
            best
        });
        found
    }

    /// A lower bound of the distance of `p` from the surface: certain for the coordinates of the
    /// index, whatever their size.
    #[must_use]
    pub fn distance_down(&self, p: Vec3) -> f64 {
        // Gaps of boxes have a relative error below 8 units of roundoff.
        const DOWN: f64 = 1.0 - 16.0 * f64::EPSILON;
        let mut least = f64::INFINITY;
        let mut best = f64::INFINITY;
        self.visit_nearest(p, |gap, triangle| {
            if let Some(triangle) = triangle {
                if gap * DOWN < best {
                    let found = point_triangle(p, triangle).lower;
                    least = least.min(found);
                    best = least * least;
                }
            }
            best / DOWN
        });
        // Squares of smaller numbers vanish.
        if least < 1e-140 { 0.0 } else { least }
    }

    /// Calls `show` with the squared gap between `p` and boxes, and with each triangle of boxes
    /// that are nearer than the limit that it returns: the nearest boxes first, roughly.
    fn visit_nearest<'a>(
        &'a self,
        p: Vec3,
        mut show: impl FnMut(f64, Option<&'a [Vec3; 3]>) -> f64,
    ) {
        let gap = |b: &Aabb| (b.min - p).max(p - b.max).max(Vec3::ZERO).length_squared();
        // The depth is at most 32.
        let (mut stack, mut open) = ([(0.0, 0_u32); 40], 1);
        let mut limit = f64::INFINITY;
        while open > 0 {
            open -= 1;
            let (d, i) = stack[open];
            if d > limit {
                continue;
            }
            let node = &self.nodes[i as usize];
            if node.count > 0 || self.triangles.is_empty() {
                for t in self.leaf(node) {
                    limit = show(d, Some(t));
                }
                continue;
            }
            let [mut near, mut far] =
                [node.first, node.first + 1].map_each(|c| (gap(&self.nodes[c as usize].bounds), c));
            if far.0 < near.0 {
                (near, far) = (far, near);
            }
            limit = show(near.0, None);
            stack[open..open + 2].copy_from_slice(&[far, near]);
            open += 2;
        }
    }

    /// The index of the moved triangles: the same tree with new boxes.
    #[cfg(any(test, feature = "internals"))]
    #[must_use]
    pub fn posed(&self, pose: &Pose) -> Self {
        let moved = |t: &[Vec3; 3]| t.map(|p| pose.transform_point(p));
        let triangles: Vec<[Vec3; 3]> = self.triangles.iter().map(moved).collect();
        let mut posed = Self { triangles, nodes: self.nodes.clone(), balanced: self.balanced };
        // Children come after their parents.
        for i in (0..posed.nodes.len()).rev() {
            let node = posed.nodes[i];
            posed.nodes[i].bounds = if node.count > 0 || posed.triangles.is_empty() {
                Aabb::from_points(posed.leaf(&node).iter().flatten().copied())
            } else {
                let [a, b] = [node.first, node.first + 1].map(|c| posed.nodes[c as usize].bounds);
                a.union(&b)
            };
        }
        posed
    }

    /// Whether `fits` accepts a triangle whose box shares a point with `bounds`.
    #[cfg(feature = "internals")]
    pub fn any_overlapping(&self, bounds: &Aabb, mut fits: impl FnMut(&[Vec3; 3]) -> bool) -> bool {
        let mut found = false;
        self.visit(
            |b| b.overlaps(bounds),
            |t| {
                found |= Aabb::from_points(*t).overlaps(bounds) && fits(t);
                !found
            },
        );
        found
    }

    /// Whether `fit` accepts a triangle of this index and one of another. Only triangles in leaves
    /// whose boxes share a point are tested.
    #[cfg(any(test, feature = "internals"))]
    pub fn any_pair(&self, other: &Self, fit: impl Fn(&[Vec3; 3], &[Vec3; 3]) -> bool) -> bool {
        let mut stack = vec![(0_u32, 0_u32)];
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if !a.bounds.overlaps(&b.bounds) {
                continue;
            }
            match (a.count > 0, b.count > 0) {
                (true, true) => {
                    let mut pairs =
                        self.leaf(a).iter().flat_map(|s| other.leaf(b).iter().map(move |t| (s, t)));
                    if pairs.any(|(s, t)| fit(s, t)) {
                        return true;
                    }
                }
                (true, false) => stack.extend([(i, b.first), (i, b.first + 1)]),
                (false, true) => stack.extend([(a.first, j), (a.first + 1, j)]),
                (false, false) => {
                    let (l, r) = (a.first, b.first);
                    stack.extend([(l, r), (l, r + 1), (l + 1, r), (l + 1, r + 1)]);
                }
            }
        }
        false
    }

    fn leaf(&self, node: &Node) -> &[[Vec3; 3]] {
        &self.triangles[node.first as usize..(node.first + node.count) as usize]
    }

    /// Calls `show` with the triangles of all leaves whose box and ancestors' boxes are `wanted`,
    /// until it returns `false`.
    fn visit<'a>(
        &'a self,
        wanted: impl Fn(&Aabb) -> bool,
        mut show: impl FnMut(&'a [Vec3; 3]) -> bool,
    ) {
        // Every level halves the number of triangles, a `u32`: the depth is at most 32.
        let (mut stack, mut open) = ([0_u32; 40], 1);
        while open > 0 {
            open -= 1;
            let node = &self.nodes[stack[open] as usize];
            if !wanted(&node.bounds) {
                continue;
            }
            if node.count == 0 && !self.triangles.is_empty() {
                stack[open..open + 2].copy_from_slice(&[node.first, node.first + 1]);
                open += 2;
                continue;
            }
            for t in self.leaf(node) {
                if !show(t) {
                    return;
                }
            }
        }
    }
}

/// Whether the plane of a triangle may meet a box. The margin is many times the rounding error, for
/// coordinates at most two in size.
fn plane_meets([a, b, c]: &[Vec3; 3], bounds: &Aabb) -> bool {
    let (ab, ac) = (*b - *a, *c - *a);
    let normal = ab.cross(ac);
    let (center, half) = (bounds.center(), bounds.extent() * 0.5);
    let margin = 256.0 * f64::EPSILON * (ab.length() * ac.length() + f64::MIN_POSITIVE);
    normal.dot(center - *a).abs() <= normal.abs().dot(half) + margin
}

/// An upper bound of the distance of `p` from a triangle, for coordinates at most two in size.
pub(crate) fn triangle_distance(p: Vec3, triangle: &[Vec3; 3]) -> f64 {
    (closest_point(p, triangle) - p).length() + ROUNDING
}

/// A point of the triangle, up to rounding: the closest to `p`, up to rounding. The regions of the
/// plane are those of Ericson 2005, "Real-Time Collision Detection", section 5.1.5.
fn closest_point(p: Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let cp = p - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    // Clamping keeps the point in the triangle despite rounding.
    let share = |n: f64, d: f64| if d > 0.0 { (n / d).clamp(0.0, 1.0) } else { 0.0 };
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return *a + ab * share(d1, d1 - d3);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return *a + ac * share(d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return *b + (*c - *b) * share(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let v = share(vb, va + vb + vc);
    let w = share(vc, va + vb + vc).min(1.0 - v);
    *a + ab * v + ac * w
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn cube() -> Mesh {
        let corner =
            |i: u32| Vec3::new(f64::from(i & 1), f64::from((i >> 1) & 1), f64::from((i >> 2) & 1));
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Mesh::from_polygons((0..8).map(corner).collect(), faces).unwrap()
    }

    #[test]
    fn locations_and_distances_are_those_of_a_cube() {
        let mesh = cube();
        let index = SolidIndex::new(&mesh, mesh.vertices());
        let mut random = Random::new(3);
        for _ in 0..2_000 {
            let mut next = || random.range(-1.0, 2.0);
            let p = Vec3::new(next(), next(), next());
            let out = (-p).max(p - Vec3::ONE).max(Vec3::ZERO).length();
            let depth = p.min(Vec3::ONE - p).min_element();
            let expected = if out > 0.0 { out } else { depth };
            let (d, t) = index.distance(p);
            assert!(d >= expected && d < expected + 1e-12, "{p}: {d} {expected}");
            assert!(triangle_distance(p, t) <= d + 1e-15);
            let place = if depth > 0.0 { Location::Inside } else { Location::Outside };
            assert_eq!(index.locate(p), place);
        }
        assert_eq!(index.locate(Vec3::new(1.0, 0.5, 0.25)), Location::Boundary);
        let inner = Aabb::from_corners(Vec3::splat(0.25), Vec3::splat(0.75));
        assert!(!index.may_enter(&inner) && index.may_enter(&inner.grown(0.25)));
    }
}
