//! The leaf: up to eight triangles side by side, in coordinates relative to its own origin.

use crate::arrays::MapEach;
use crate::wide::{Lanes3, Wide, dispatch};

use super::disc::Disc;
use super::node::LocalBox;

/// Up to eight triangles, their corners relative to the leaf's origin, rounded to `f32`.
///
/// These corners can prove "certainly apart" and "certainly crossing"; all other pairs are decided
/// from the `f64` vertices of the mesh. Unused lanes repeat the last triangle; `count` is the
/// number of real ones.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Leaf {
    /// The first, second and third corners of the triangles.
    pub corners: [Lanes3; 3],
    /// The origin in the tree's local frame: the centre of the triangles' box, rounded.
    pub origin: [f32; 3],
    /// Half the sides of the box about the origin that contains the corners, both exact and as
    /// stored.
    pub half: [f32; 3],
    /// Upper bound of the distance of a corner from the origin.
    pub reach: f32,
    /// Upper bound of the length of a triangle's side.
    pub longest: f32,
    /// The triangles' numbers in the mesh.
    pub triangles: [u32; 8],
    /// The number of triangles, one to eight.
    pub count: u32,
    /// The disc of the triangles, about the origin.
    pub disc: Disc,
}

/// The corners of eight triangles: for each of the three corners and each axis, one number for each
/// triangle.
pub(super) type Corners = [[[f64; 8]; 3]; 3];

impl Leaf {
    /// Makes a leaf of triangles given by their numbers and corners (in the tree's local frame).
    /// The first `count` lanes are real, the others repeat the last of them. `bounds` is their box.
    /// It also contains the corners as stored: these are rounded to nearest relative to its centre,
    /// and its sides are rounded up.
    pub(super) fn new(
        triangles: [u32; 8],
        count: usize,
        corners: &Corners,
        bounds: &LocalBox,
    ) -> Self {
        debug_assert!((1..=8).contains(&count), "a leaf has one to eight triangles");
        let origin = bounds.center;
        let (stored, longest) = dispatch::run(Store { corners, origin });
        let mut leaf = Self {
            corners: stored,
            origin,
            half: bounds.half,
            reach: 0.0,
            // The factor covers the rounding of these operations and of the corners.
            longest: longest as f32 * 1.000_001,
            triangles,
            count: count as u32,
            disc: Disc::ball(0.0),
        };
        let mut areas = [glam::Vec3::ZERO; 8];
        for lane in 0..count {
            let [p, q, r] =
                [0, 1, 2].map_each(|k| glam::Vec3::from_array(leaf.corners[k].get(lane)));
            areas[lane] = (q - p).cross(r - p);
        }
        leaf.reach = leaf.bounds().reach();
        let normals = areas[..count].iter().copied();
        leaf.disc = Disc::along_sum(normals, &leaf.bounds(), std::slice::from_ref(&leaf));
        leaf
    }

    /// The box of the corners, both exact and as stored.
    #[inline(always)]
    #[must_use]
    pub fn bounds(&self) -> LocalBox {
        LocalBox { center: self.origin, half: self.half }
    }
}

/// Computes the corners as stored and the longest side of a triangle.
struct Store<'a> {
    corners: &'a Corners,
    origin: [f32; 3],
}

impl dispatch::Task for Store<'_> {
    type Output = ([Lanes3; 3], f64);

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let Self { corners, origin } = self;
        let mut stored = [Lanes3::splat(0.0); 3];
        for (stored, corner) in stored.iter_mut().zip(corners) {
            for (k, axis) in [&mut stored.x, &mut stored.y, &mut stored.z].into_iter().enumerate() {
                for lane in 0..8 {
                    axis[lane] = (corner[k][lane] - f64::from(origin[k])) as f32;
                }
            }
        }
        let mut squares = [0.0_f64; 8];
        for (p, q) in [(0, 1), (1, 2), (2, 0)] {
            let (p, q) = (&corners[p], &corners[q]);
            for lane in 0..8 {
                let (x, y, z) =
                    (p[0][lane] - q[0][lane], p[1][lane] - q[1][lane], p[2][lane] - q[2][lane]);
                let square = x * x + y * y + z * z;
                squares[lane] = if square > squares[lane] { square } else { squares[lane] };
            }
        }
        let square = squares.iter().fold(0.0, |m, x| if *x > m { *x } else { m });
        (stored, square.sqrt())
    }
}
