//! The disc: a thin bounding volume of a patch of surface, oriented along its mean normal.
//!
//! Most patches of a mesh are nearly flat and oblique to the axes, where a box is mostly empty. A
//! disc is a flat cylinder around the patch: between two planes perpendicular to its mean normal,
//! and within a radius of an axis along that normal. Discs are often disjoint where boxes overlap.

use crate::arrays::MapEach;
use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::leaf::Leaf;
use super::node::LocalBox;
use super::relative::{Map, product};

/// A flat cylinder about a centre `c` that is stored elsewhere (the centre of a box): the points
/// `x` with `|n . (x - c) - offset| <= half_thickness` that are at most `radius` from the line
/// through `c` along `n`. The normal `n` is a unit vector up to `f32` rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// The unit normal `n`.
    pub normal: [f32; 3],
    /// The height of the middle plane above the centre `c`.
    pub offset: f32,
    /// Half the distance of the two planes.
    pub half_thickness: f32,
    /// The radius.
    pub radius: f32,
}

/// Upper bound of the rounding error of a corner or a height in [`Disc::around`], as a share of the
/// largest distance from the centre.
const SLACK: f32 = 16.0 * f32::EPSILON;

/// A disc along the sum of flipped normals is used only if its half thickness is below this share
/// of the smallest half side of the box; otherwise it excludes nothing that the box does not.
const MAX_THICKNESS_SHARE: f32 = 0.7;

/// Normals cancel each other if the length of their sum is less than this share of the sum of their
/// lengths.
const MIN_SUM_SHARE: f32 = 0.5;

impl Disc {
    /// The disc that contains the ball of this radius about the centre.
    pub(super) fn ball(radius: f32) -> Self {
        Self { normal: [0.0, 0.0, 1.0], offset: 0.0, half_thickness: radius, radius }
    }

    /// The disc in the target frame of the map, about the transformed centre.
    #[inline(always)]
    pub(super) fn moved(&self, map: &Map) -> Self {
        Self {
            normal: product(&map.rotation, &self.normal),
            offset: self.offset * map.unit,
            half_thickness: self.half_thickness * map.unit,
            radius: self.radius * map.unit,
        }
    }

    /// The disc of all triangles of the leaves, along the mean of their normals, about the centre
    /// of their box.
    pub(super) fn around(bounds: &LocalBox, leaves: &[Leaf]) -> Self {
        let normal = |leaf: &Leaf| {
            glam::Vec3::from_array(leaf.disc.normal) * (leaf.disc.radius * leaf.disc.radius)
        };
        Self::along_sum(leaves.iter().map(normal), bounds, leaves)
    }

    /// The disc of all triangles of the leaves, along the sum of the given normals, whose lengths
    /// are proportional to the areas they belong to.
    ///
    /// Where the normals cancel each other, like those of the two sides of a thin plate, they are
    /// flipped to the side of the longest one, and the better of the two discs is used.
    pub(super) fn along_sum(
        normals: impl Iterator<Item = glam::Vec3> + Clone,
        bounds: &LocalBox,
        leaves: &[Leaf],
    ) -> Self {
        let (mut sum, mut total, mut longest) = (glam::Vec3::ZERO, 0.0, (0.0, glam::Vec3::ZERO));
        for normal in normals.clone() {
            let length = normal.length();
            (sum, total) = (sum + normal, total + length);
            if length > longest.0 {
                longest = (length, normal);
            }
        }
        let disc = Self::along(sum, bounds, leaves);
        if sum.length() > MIN_SUM_SHARE * total {
            return disc;
        }
        let flipped = |v: glam::Vec3| if v.dot(longest.1) < 0.0 { -v } else { v };
        let other = Self::along(normals.map(flipped).sum(), bounds, leaves);
        let [x, y, z] = bounds.half;
        let flat = other.half_thickness < MAX_THICKNESS_SHARE * x.min(y).min(z);
        if flat && other.volume() < disc.volume() { other } else { disc }
    }

    /// The volume up to a constant factor.
    fn volume(&self) -> f32 {
        self.half_thickness * self.radius * self.radius
    }

    /// The disc of all triangles of the leaves along a given direction. Every direction is valid;
    /// the better it fits, the thinner the disc.
    fn along(normal: glam::Vec3, bounds: &LocalBox, leaves: &[Leaf]) -> Self {
        let (center, reach) = (bounds.center, bounds.reach());
        // In f64: the square of a small patch's area underflows in f32.
        let normal = normal.as_dvec3().try_normalize().unwrap_or(glam::DVec3::Z);
        let normal = normal.as_vec3().to_array();
        let [low, high, wide] = dispatch::run(Extent { normal, center, leaves });
        let offset = (low + high) * 0.5;
        Self {
            normal,
            offset,
            half_thickness: (high - offset).max(offset - low) + SLACK * reach,
            radius: (wide + SLACK * reach * reach).sqrt() + SLACK * reach,
        }
    }
}

/// The extent of the corners of leaves along a unit direction: the lowest and the highest height,
/// and the square of the largest distance from the line along it through the centre.
struct Extent<'a> {
    normal: [f32; 3],
    center: [f32; 3],
    leaves: &'a [Leaf],
}

impl dispatch::Task for Extent<'_> {
    type Output = [f32; 3];

    #[inline(always)]
    fn run<W: Wide>(self) -> [f32; 3] {
        let Self { normal, center, leaves } = self;
        let (mut low, mut high, mut wide) = ([f32::MAX; 8], [f32::MIN; 8], [0.0_f32; 8]);
        for leaf in leaves {
            let o = [0, 1, 2].map_each(|k| leaf.origin[k] - center[k]);
            for corner in &leaf.corners {
                for lane in 0..8 {
                    let x = [corner.x[lane] + o[0], corner.y[lane] + o[1], corner.z[lane] + o[2]];
                    let height = normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2];
                    let aside = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - height * height;
                    low[lane] = if height < low[lane] { height } else { low[lane] };
                    high[lane] = if height > high[lane] { height } else { high[lane] };
                    wide[lane] = if aside > wide[lane] { aside } else { wide[lane] };
                }
            }
        }
        [
            low.iter().fold(f32::MAX, |m, x| m.min(*x)),
            high.iter().fold(f32::MIN, |m, x| m.max(*x)),
            wide.iter().fold(0.0_f32, |m, x| m.max(*x)),
        ]
    }
}

/// Eight discs side by side.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Discs {
    /// The normals.
    pub normal: Lanes3,
    /// The heights of the middle planes above the centres.
    pub offset: [f32; 8],
    /// Half the distances of the planes.
    pub half_thickness: [f32; 8],
    /// The radii.
    pub radius: [f32; 8],
}

impl Discs {
    pub(super) const EMPTY: Self = Self {
        normal: Lanes3::splat(0.0),
        offset: [0.0; 8],
        half_thickness: [0.0; 8],
        radius: [0.0; 8],
    };

    pub(super) fn set(&mut self, slot: usize, disc: &Disc) {
        self.normal.set(slot, disc.normal);
        self.offset[slot] = disc.offset;
        self.half_thickness[slot] = disc.half_thickness;
        self.radius[slot] = disc.radius;
    }

    /// One of the discs.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Disc {
        Disc {
            normal: self.normal.get(slot),
            offset: self.offset[slot],
            half_thickness: self.half_thickness[slot],
            radius: self.radius[slot],
        }
    }
}

/// Eight discs in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideDiscs<W> {
    normal: Wide3<W>,
    offset: W,
    half_thickness: W,
    radius: W,
}

/// The positions of pairs of discs along both normals.
pub(super) struct Heights<W> {
    /// Distance of the two middles along the normal of the other disc, and the sum of both extents
    /// there: the gap is at least the difference.
    pub(super) along_other: W,
    pub(super) reach_along_other: W,
    /// The same along the normal of this disc.
    pub(super) along_own: W,
    pub(super) reach_along_own: W,
}

impl<W: Wide> Heights<W> {
    /// A mask of the pairs that may meet.
    #[inline(always)]
    pub(super) fn meet(&self) -> W {
        let other = self.along_other.le(self.reach_along_other);
        other.and(self.along_own.le(self.reach_along_own))
    }
}

impl<W: Wide> WideDiscs<W> {
    #[inline(always)]
    pub(super) fn load(discs: &Discs) -> Self {
        Self {
            normal: Wide3::load(&discs.normal),
            offset: W::load(&discs.offset),
            half_thickness: W::load(&discs.half_thickness),
            radius: W::load(&discs.radius),
        }
    }

    /// The same disc in all lanes.
    #[inline(always)]
    pub(super) fn splat(one: &Disc) -> Self {
        Self {
            normal: Wide3::splat(one.normal),
            offset: W::splat(one.offset),
            half_thickness: W::splat(one.half_thickness),
            radius: W::splat(one.radius),
        }
    }

    /// The discs in the target frame of the map.
    #[inline(always)]
    pub(super) fn moved(&self, map: &Map) -> Self {
        let unit = W::splat(map.unit);
        Self {
            normal: self.normal.mapped(&map.rotation, Wide3::splat([0.0; 3])),
            offset: self.offset.mul(unit),
            half_thickness: self.half_thickness.mul(unit),
            radius: self.radius.mul(unit),
        }
    }

    /// The lanes in the given order.
    #[inline(always)]
    pub(super) fn permuted(&self, order: W::Index) -> Self {
        Self {
            normal: self.normal.permuted(order),
            offset: self.offset.permute(order),
            half_thickness: self.half_thickness.permute(order),
            radius: self.radius.permute(order),
        }
    }

    /// The discs in the form that nodes store.
    #[inline(always)]
    pub(super) fn discs(&self) -> Discs {
        Discs {
            normal: self.normal.lanes(),
            offset: self.offset.array(),
            half_thickness: self.half_thickness.array(),
            radius: self.radius.array(),
        }
    }

    /// Scores of the pairs of discs: the higher, the likelier they meet. Each term is a distance as
    /// a share of the largest distance at which the discs still meet; the score is the negated sum.
    /// Lane by lane, with `delta` and the heights as in [`heights`](Self::heights).
    #[inline(always)]
    pub(super) fn scores(&self, delta: Wide3<W>, others: &Self, heights: &Heights<W>) -> W {
        let radii = self.radius.add(others.radius);
        let between = delta.dot(delta).div(radii.mul(radii));
        let unlikely = heights
            .along_other
            .div(heights.reach_along_other)
            .add(heights.along_own.div(heights.reach_along_own))
            .add(between);
        W::splat(0.0).sub(unlikely)
    }

    /// A mask of the discs that may meet boxes of the same frame, lane by lane; `delta` leads from
    /// the centres of the discs to those of the boxes.
    #[inline(always)]
    pub(super) fn may_meet_boxes(&self, delta: Wide3<W>, halves: Wide3<W>, margin: f32) -> W {
        let height = self.normal.dot(delta).sub(self.offset).abs();
        height.le(self.normal.abs().dot_add(halves, self.half_thickness.add(W::splat(margin))))
    }

    /// A mask of the discs that may meet boxes of the other tree, lane by lane; `delta` leads from
    /// the centres of the boxes to those of the discs. `normals` and `halves` are given along the
    /// axes of the boxes.
    #[inline(always)]
    pub(super) fn may_meet_boxes_of_other(
        &self,
        delta: Wide3<W>,
        (normals, halves): (Wide3<W>, Wide3<W>),
        from_box: &Map,
    ) -> W {
        let height = self.normal.dot_add(delta, self.offset).abs();
        let reach = normals.abs().dot(halves).mul(W::splat(from_box.unit));
        height.le(reach.add(self.half_thickness.add(W::splat(from_box.margin))))
    }

    /// The positions of these discs and others along their normals, lane by lane, all in one frame;
    /// `delta` leads from the centres of the others to the centres of these. Along the normal of
    /// one disc, the extent of the other follows from its half thickness and its radius.
    #[inline(always)]
    pub(super) fn heights(&self, delta: Wide3<W>, others: &Self, margin: W) -> Heights<W> {
        if W::CALL_LARGE_KERNELS {
            self.heights_called(delta, others, margin)
        } else {
            self.heights_here(delta, others, margin)
        }
    }

    #[inline(never)]
    fn heights_called(&self, delta: Wide3<W>, others: &Self, margin: W) -> Heights<W> {
        self.heights_here(delta, others, margin)
    }

    #[inline(always)]
    fn heights_here(&self, delta: Wide3<W>, others: &Self, margin: W) -> Heights<W> {
        let Self { normal, offset, half_thickness, radius } = *others;
        let cos = self.normal.dot(normal);
        let sin = cos.neg_mul_add(cos, W::splat(ONE_ROUNDED_UP)).max(W::splat(0.0)).sqrt();
        let size = cos.abs();
        Heights {
            along_other: self.offset.mul_add(cos, normal.dot(delta)).sub(offset).abs(),
            reach_along_other: size
                .mul_add(self.half_thickness, sin.mul_add(self.radius, half_thickness.add(margin))),
            along_own: offset.neg_mul_add(cos, self.normal.dot_add(delta, self.offset)).abs(),
            reach_along_own: size
                .mul_add(half_thickness, sin.mul_add(radius, self.half_thickness.add(margin))),
        }
    }

    /// Support values: the largest product of the direction `toward`, not longer than one, with a
    /// point of the disc relative to its centre.
    #[inline(always)]
    pub(super) fn support(&self, toward: Wide3<W>) -> W {
        let cos = toward.dot(self.normal);
        let sin = cos.neg_mul_add(cos, W::splat(ONE_ROUNDED_UP)).max(W::splat(0.0)).sqrt();
        cos.abs().mul_add(self.half_thickness, sin.mul_add(self.radius, cos.mul(self.offset)))
    }
}

/// One plus an upper bound of the rounding error of `1 - cos^2`.
pub(super) const ONE_ROUNDED_UP: f32 = 1.0 + 32.0 * f32::EPSILON;
