//! Separating planes: two solids on opposite sides of a plane share no space.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::exact::{Sign, orient2d, orient3d, orient3d_quickly, units_of_exact_test};
use crate::math::Vec3;
use crate::pair::Posed;
use crate::wide::{Wide, dispatch};

/// A plane through three points that are not on a line. Sides are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    corners: [Vec3; 3],
    axis: usize,
    axis_points_up: bool,
    /// Whether all corners have the same coordinate along the axis, so that one comparison decides.
    is_level: bool,
    /// The plane along a coordinate axis, if two corners differ in that coordinate only.
    upright: Option<Upright>,
}

/// A plane that is parallel to a coordinate axis: sides are those of a line in the two other
/// coordinates.
#[derive(Clone, Copy, Debug)]
struct Upright {
    /// The two other axes.
    axes: [usize; 2],
    /// Two points of the line.
    line: [[f64; 2]; 2],
    /// The side of the plane to the left of the line.
    left: Sign,
}

impl Upright {
    /// `None` if the plane of these corners is not known to be parallel to an axis.
    fn through(corners: [Vec3; 3]) -> Option<Self> {
        (0..3).find_map(|axis| {
            let axes = [(axis + 1) % 3, (axis + 2) % 3];
            let flat = corners.map_each(|v| axes.map_each(|k| v[k]));
            // The rotation of the corners that puts the two with one projection first.
            let first = (0..3).find(|i| flat[*i] == flat[(i + 1) % 3])?;
            let [from, to, other] = [0, 1, 2].map_each(|i| (first + i) % 3);
            let up = Sign::of(corners[to][axis] - corners[from][axis]);
            // Above the plane is to the left of the line that runs from the pair to the third
            // corner, if the pair runs up.
            Some(Self { axes, line: [flat[from], flat[other]], left: up })
        })
    }

    fn side(&self, p: Vec3) -> Sign {
        let at = self.axes.map_each(|k| p[k]);
        let [from, to] = self.line;
        if at == from || at == to {
            return Sign::Zero;
        }
        self.left * orient2d(from, to, at)
    }
}

impl Plane {
    /// The plane of a triangle, above which its normal points; `None` if it has no area.
    pub(super) fn through(corners: [Vec3; 3]) -> Option<Self> {
        let [p, q, r] = corners;
        let normal = (q - p).cross(r - p);
        // Any axis that is not parallel to the plane works; the steepest is the best conditioned.
        let steepest = normal.abs().max_position();
        let axes = [steepest, (steepest + 1) % 3, (steepest + 2) % 3];
        axes.into_iter().find_map(|axis| {
            let projected = corners.map_each(|v| [v[(axis + 1) % 3], v[(axis + 2) % 3]]);
            match orient2d(projected[0], projected[1], projected[2]) {
                Sign::Zero => None,
                sign => Some(Self {
                    corners,
                    axis,
                    axis_points_up: sign == Sign::Positive,
                    is_level: p[axis] == q[axis] && p[axis] == r[axis],
                    upright: Upright::through(corners),
                }),
            }
        })
    }

    /// An axis that is not parallel to the plane.
    pub(super) fn axis(&self) -> usize {
        self.axis
    }

    /// Whether that axis points up from the plane.
    pub(super) fn axis_points_up(&self) -> bool {
        self.axis_points_up
    }

    /// The side of the plane on which a point lies: positive above.
    #[inline]
    pub(super) fn side(&self, p: Vec3) -> Sign {
        let [a, b, c] = self.corners;
        self.quick_side(p).unwrap_or_else(|| orient3d(a, b, c, p))
    }

    /// The side, if it takes little time to decide.
    #[inline]
    fn quick_side(&self, p: Vec3) -> Option<Sign> {
        let [a, b, c] = self.corners;
        if self.is_level {
            let height = Sign::of(p[self.axis] - a[self.axis]);
            return Some(if self.axis_points_up { height } else { -height });
        }
        if let Some(upright) = &self.upright {
            return Some(upright.side(p));
        }
        // Corners that coincide are common in contacts, and a zero takes the exact test the
        // longest.
        if p == a || p == b || p == c {
            return Some(Sign::Zero);
        }
        orient3d_quickly(a, b, c, p)
    }

    /// Units of work of [`side`](Self::side); zero if it is decided quickly.
    pub(super) fn units_of_side(&self, p: Vec3) -> u64 {
        let [a, b, c] = self.corners;
        self.quick_side(p).map_or_else(|| units_of_exact_test(&[a, b, c, p]), |_| 0)
    }

    /// The side on which all points lie that are not in the plane; `None` if there are some on both
    /// sides, or none. Determinants further from zero than `bound` have the right sign.
    pub(super) fn side_of_all(&self, points: &mut Points, bound: f64) -> Option<Sign> {
        let [p, q, r] = self.corners;
        let normal = (q - p).cross(r - p);
        let Points { columns, open } = points;
        open.clear();
        let heights = CertainSides { columns, normal, origin: p, bound, open };
        let [mut below, mut above] = dispatch::run(heights);
        for n in &points.open {
            if below && above {
                return None;
            }
            let side = self.side(points.get(*n as usize));
            below |= side == Sign::Negative;
            above |= side == Sign::Positive;
        }
        match (below, above) {
            (true, false) => Some(Sign::Negative),
            (false, true) => Some(Sign::Positive),
            (false, false) | (true, true) => None,
        }
    }

    /// Whether a point is strictly on the given side of the plane: above, or below.
    pub(super) fn is_on_side(&self, p: Vec3, above: bool) -> bool {
        self.side(p) == if above { Sign::Positive } else { Sign::Negative }
    }
}

/// Points by columns of coordinates, of which several are processed by one instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    columns: [Vec<f64>; 3],
    /// The points that were not certainly on one side of the last plane.
    open: Vec<u32>,
}

impl Points {
    pub(super) fn new(points: impl ExactSizeIterator<Item = Vec3>) -> Self {
        let count = points.len();
        let mut columns = [0; 3].map_each(|_| Vec::with_capacity(count));
        for p in points {
            columns.iter_mut().zip(p.to_array()).for_each(|(column, x)| column.push(x));
        }
        Self { columns, open: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.columns[0].len()
    }

    pub(super) fn get(&self, n: usize) -> Vec3 {
        let [x, y, z] = &self.columns;
        Vec3::new(x[n], y[n], z[n])
    }
}

/// Points that are compared with a plane at once. Blocks of this size are vectorised as loops.
const POINTS_PER_BLOCK: usize = 32;

/// Finds whether there are points certainly below a plane, and above it: those whose height,
/// computed as `normal.dot(v - origin)` in this order of operations, is further from zero than
/// `bound`. The others are added to `open`.
struct CertainSides<'a> {
    columns: &'a [Vec<f64>; 3],
    normal: Vec3,
    origin: Vec3,
    bound: f64,
    open: &'a mut Vec<u32>,
}

impl dispatch::Task for CertainSides<'_> {
    type Output = [bool; 2];

    #[inline(always)]
    fn run<W: Wide>(self) -> [bool; 2] {
        let Self { columns: [xs, ys, zs], normal, origin, bound, open } = self;
        let (mut below, mut above) = (0_u64, 0_u64);
        let mut heights = [0.0; POINTS_PER_BLOCK];
        let blocks = xs.chunks(POINTS_PER_BLOCK).zip(ys.chunks(POINTS_PER_BLOCK));
        for (block, ((xs, ys), zs)) in blocks.zip(zs.chunks(POINTS_PER_BLOCK)).enumerate() {
            let before = below + above;
            let points = xs.iter().zip(ys).zip(zs);
            for (height, ((x, y), z)) in heights.iter_mut().zip(points) {
                let x = normal.x * (x - origin.x);
                let y = normal.y * (y - origin.y);
                let z = normal.z * (z - origin.z);
                *height = x + y + z;
                below += u64::from(*height < -bound);
                above += u64::from(*height > bound);
            }
            if below + above - before < xs.len() as u64 {
                let first = (block * POINTS_PER_BLOCK) as u32;
                let near = heights[..xs.len()].iter().zip(first..);
                open.extend(near.filter(|(height, _)| height.abs() <= bound).map(|(_, n)| n));
            }
        }
        [below > 0, above > 0]
    }
}

/// The largest number of pairs of triangles whose planes are tried.
const MAX_PAIRS_TRIED: usize = 3;
/// The number of vertices that are tested before all others, to reject a plane early.
const VERTEX_SAMPLES: usize = 16;

/// Vertices whose sides take one unit, unless they need exact tests.
const VERTICES_PER_UNIT: usize = 4;

/// A search for the plane of a triangle that meets the other mesh and separates the meshes: then
/// the two have no common points outside the plane.
#[derive(Debug, Default)]
pub(super) struct PlaneSearch {
    /// The number of the pair of triangles, and the triangle of the pair.
    pair: usize,
    of_b: bool,
    plane: Option<Plane>,
    /// The side of the first mesh, once it is known.
    side_of_a: Option<Sign>,
    sides: SideSearch,
    payment: Paid,
}

impl PlaneSearch {
    /// Forgets the query.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Continues the search: whether such a plane was found; `None` if the budget is spent.
    pub(super) fn run(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        let step = pairs.len().div_ceil(MAX_PAIRS_TRIED).max(1);
        while let Some(pair) = pairs.get(self.pair * step) {
            if self.plane.is_none() {
                if !self.payment.afford(UNITS_OF_PLANE, Quantum::Exact, budget) {
                    return None;
                }
                let triangle = if self.of_b { b.triangle(pair.1) } else { a.triangle(pair.0) };
                self.plane = Plane::through(triangle);
                self.side_of_a = None;
            }
            if let Some(plane) = self.plane {
                if self.side_of_a.is_none() {
                    self.side_of_a = self.sides.run(&plane, a, &mut self.payment, budget)?;
                }
                if let Some(of_a) = self.side_of_a {
                    let of_b = self.sides.run(&plane, b, &mut self.payment, budget)?;
                    if of_b.is_some_and(|of_b| of_a.is_zero() || of_b.is_zero() || of_a != of_b) {
                        return Some(true);
                    }
                }
            }
            self.plane = None;
            self.pair += usize::from(self.of_b);
            self.of_b = !self.of_b;
        }
        Some(false)
    }
}

/// Units of finding the plane of a triangle.
pub(super) const UNITS_OF_PLANE: u64 = 4;

/// The vertices of a mesh compared with a plane so far.
#[derive(Debug)]
struct SideSearch {
    /// The next vertex: of a sample, then of all.
    next: usize,
    found: Sign,
}

impl Default for SideSearch {
    fn default() -> Self {
        Self { next: 0, found: Sign::Zero }
    }
}

impl SideSearch {
    /// The side on which all vertices of the mesh lie that are not in the plane; [`Sign::Zero`] if
    /// all are in the plane, `None` if there are some on both sides. The outer option is `None` if
    /// the budget is spent. The search starts anew after a result.
    fn run(
        &mut self,
        plane: &Plane,
        mesh: &Posed<'_>,
        payment: &mut Paid,
        budget: &mut Budget<'_>,
    ) -> Option<Option<Sign>> {
        let used = mesh.mesh().used_vertices();
        let step = used.len().div_ceil(VERTEX_SAMPLES).max(1);
        let samples = used.len().div_ceil(step);
        while self.next < samples + used.len() {
            let v = match self.next < samples {
                true => used[self.next * step],
                false => used[self.next - samples],
            };
            let p = mesh.vertices()[v as usize];
            let units = u64::from(self.next % VERTICES_PER_UNIT == 0);
            let quick = plane.quick_side(p);
            let exact = if quick.is_none() { plane.units_of_side(p) } else { 0 };
            if !payment.afford(units + exact, Quantum::Exact, budget) {
                return None;
            }
            self.next += 1;
            let side = quick.unwrap_or_else(|| plane.side(p));
            if side.is_zero() || side == self.found {
                continue;
            }
            if !self.found.is_zero() {
                *self = Self::default();
                return Some(None);
            }
            self.found = side;
        }
        let found = self.found;
        *self = Self::default();
        Some(Some(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::orientation_bound;
    use crate::math::{Aabb, Random, next_up};

    /// Planes along an axis, and others, through points of a coarse grid that is also shifted far
    /// away: their sides are those of the exact predicate.
    #[test]
    fn sides_of_planes_along_an_axis_are_exact() {
        let mut random = Random::new(21);
        let (mut upright, mut zero) = (0, 0);
        for round in 0..20_000 {
            let scale = [1.0, 0.1, 2.0_f64.powi(-1060), 1e50][round % 4];
            let shift = [0.0, 1e9 + 0.1][round / 4 % 2] * scale;
            let mut step = || (random.index(5) as f64).mul_add(scale, shift);
            let mut point = || Vec3::new(step(), step(), step());
            let (mut corners, p) = ([point(), point(), point()], point());
            // Two corners with one projection, in two thirds of the rounds.
            if round % 3 > 0 {
                let axis = round / 3 % 3;
                let (from, to) = (round / 9 % 3, round / 27 % 3);
                let kept = corners[to][axis];
                corners[to] = corners[from];
                corners[to][axis] = kept;
            }
            let Some(plane) = Plane::through(corners) else { continue };
            upright += usize::from(plane.upright.is_some() && !plane.is_level);
            let expected = orient3d(corners[0], corners[1], corners[2], p);
            zero += usize::from(expected.is_zero());
            assert_eq!(plane.side(p), expected, "{corners:?} {p}");
        }
        assert!(upright > 2_000 && zero > 1_000, "{upright} {zero}");
    }

    /// Planes through three points of a grid that bound half of it, all of it, or cut it; points
    /// are moved off the plane by single ulps.
    #[test]
    fn the_side_of_many_points_is_that_of_each_of_them() {
        let mut random = Random::new(77);
        let mut seen = [0; 3];
        for round in 0..6000 {
            let scale = [1.0, 0.1, 2.0_f64.powi(-340), 1e50][round % 4];
            let shift = [0.0, 1e9 + 0.1][round / 4 % 2] * scale;
            let count = 3 + random.index(100);
            let axis = random.index(3);
            // One layer, two, or three.
            let layers = 1 + random.index(3);
            let mut points: Vec<Vec3> = (0..count)
                .map(|_| {
                    let mut step = || (random.index(5) as f64).mul_add(scale, shift);
                    let mut p = Vec3::new(step(), step(), step());
                    p[axis] = (random.index(layers) as f64).mul_add(scale, shift);
                    p
                })
                .collect();
            let turn = random.rotation();
            if round % 3 == 0 {
                points.iter_mut().for_each(|p| *p = turn * *p);
            }
            let corners = [0, 1, 2].map(|_| points[random.index(count)]);
            for p in &mut points {
                if random.index(20) == 0 {
                    p[axis] = next_up(p[axis]);
                }
            }
            let Some(plane) = Plane::through(corners) else { continue };
            let all = points.iter().chain(&corners).copied();
            let extent = Aabb::from_points(all).extent();
            let mut columns = Points::new(points.iter().copied());
            let found = plane.side_of_all(&mut columns, orientation_bound(extent));
            let on = |side: Sign| points.iter().any(|p| plane.side(*p) == side);
            let expected = match (on(Sign::Negative), on(Sign::Positive)) {
                (true, false) => Some(Sign::Negative),
                (false, true) => Some(Sign::Positive),
                _ => None,
            };
            assert_eq!(found, expected, "round {round}");
            seen[expected.map_or(0, |side| 1 + usize::from(side == Sign::Positive))] += 1;
        }
        assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
    }
}
