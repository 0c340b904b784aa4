//! Separating planes: two solids on opposite sides of a plane share no space.

use crate::exact::{Sign, orient2d, orient3d};
use crate::math::Vec3;
use crate::pair::Posed;

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
            let flat = corners.map(|v| axes.map(|k| v[k]));
            // The rotation of the corners that puts the two with one projection first.
            let first = (0..3).find(|i| flat[*i] == flat[(i + 1) % 3])?;
            let [from, to, other] = [0, 1, 2].map(|i| (first + i) % 3);
            let up = Sign::of(corners[to][axis] - corners[from][axis]);
            // Above the plane is to the left of the line that runs from the pair to the third
            // corner, if the pair runs up.
            Some(Self { axes, line: [flat[from], flat[other]], left: up })
        })
    }

    fn side(&self, p: Vec3) -> Sign {
        let at = self.axes.map(|k| p[k]);
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
            let projected = corners.map(|v| [v[(axis + 1) % 3], v[(axis + 2) % 3]]);
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
        if self.is_level {
            let height = Sign::of(p[self.axis] - a[self.axis]);
            return if self.axis_points_up { height } else { -height };
        }
        if let Some(upright) = &self.upright {
            return upright.side(p);
        }
        // Corners that coincide are common in contacts, and a zero takes the exact test the
        // longest.
        if p == a || p == b || p == c {
            return Sign::Zero;
        }
        orient3d(a, b, c, p)
    }

    /// The side on which all vertices of the mesh lie that are not in the plane; [`Sign::Zero`] if
    /// all are in the plane, `None` if there are some on both sides.
    pub(super) fn single_side(&self, mesh: &Posed<'_>) -> Option<Sign> {
        let used = mesh.mesh().used_vertices();
        let sampled = used.iter().step_by(used.len().div_ceil(VERTEX_SAMPLES).max(1));
        let mut found = Sign::Zero;
        for v in sampled.chain(used) {
            let side = self.side(mesh.vertices()[*v as usize]);
            if side.is_zero() || side == found {
                continue;
            }
            if !found.is_zero() {
                return None;
            }
            found = side;
        }
        Some(found)
    }

    /// The side on which all points lie that are not in the plane; `None` if there are some on both
    /// sides, or none. Determinants further from zero than `bound` have the right sign.
    pub(super) fn side_of_all(&self, points: &mut Points, bound: f64) -> Option<Sign> {
        let [p, q, r] = self.corners;
        points.set_heights((q - p).cross(r - p), p);
        let (mut below, mut above) = (false, false);
        for (n, height) in points.heights.iter().enumerate() {
            if height.abs() > bound {
                below |= *height < 0.0;
                above |= *height > 0.0;
            } else {
                let side = self.side(points.get(n));
                below |= side == Sign::Negative;
                above |= side == Sign::Positive;
            }
            if below && above {
                return None;
            }
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
    /// Distances from a plane, times the length of its normal, rounded.
    heights: Vec<f64>,
}

impl Points {
    pub(super) fn new(points: impl ExactSizeIterator<Item = Vec3>) -> Self {
        let count = points.len();
        let mut columns = [0; 3].map(|_| Vec::with_capacity(count));
        for p in points {
            columns.iter_mut().zip(p.to_array()).for_each(|(column, x)| column.push(x));
        }
        Self { columns, heights: vec![0.0; count] }
    }

    pub(super) fn len(&self) -> usize {
        self.heights.len()
    }

    pub(super) fn get(&self, n: usize) -> Vec3 {
        let [x, y, z] = &self.columns;
        Vec3::new(x[n], y[n], z[n])
    }

    /// Sets the heights above a plane to `normal.dot(v - origin)`, in this order of operations.
    fn set_heights(&mut self, normal: Vec3, origin: Vec3) {
        let [xs, ys, zs] = &self.columns;
        let points = xs.iter().zip(ys).zip(zs);
        for (height, ((x, y), z)) in self.heights.iter_mut().zip(points) {
            let x = normal.x * (x - origin.x);
            let y = normal.y * (y - origin.y);
            let z = normal.z * (z - origin.z);
            *height = x + y + z;
        }
    }
}

/// The largest number of pairs of triangles whose planes are tried.
const MAX_PAIRS_TRIED: usize = 3;
/// The number of vertices that are tested before all others, to reject a plane early.
const VERTEX_SAMPLES: usize = 16;

/// Whether the plane of a triangle that meets the other mesh separates the meshes: then the two
/// have no common points outside the plane. `false` if no such plane was found.
pub(super) fn separated_by_plane(a: &Posed<'_>, b: &Posed<'_>, pairs: &[(u32, u32)]) -> bool {
    let step = pairs.len().div_ceil(MAX_PAIRS_TRIED).max(1);
    pairs.iter().step_by(step).any(|pair| {
        let triangles = [a.triangle(pair.0), b.triangle(pair.1)];
        triangles.into_iter().filter_map(Plane::through).any(|plane| {
            let (Some(of_a), Some(of_b)) = (plane.single_side(a), plane.single_side(b)) else {
                return false;
            };
            of_a.is_zero() || of_b.is_zero() || of_a != of_b
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

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
}
