//! The sheet: what a patch of surface looks like from the side.
//!
//! Most patches of a mesh are nearly flat and lie askew to the axes, where a box is mostly empty. A
//! sheet is a flat cylinder about the patch: between two planes across its mean normal and within a
//! radius of an axis along it. Two boxes that overlap often hold sheets that do not.

use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::leaf::Leaf;
use super::node::LocalBox;
use super::relative::{Map, product};

/// A flat cylinder about a centre `c` that is stored elsewhere (that of a box): the points `x` with
/// `|n . (x - c) - offset| <= thick` and at most `radius` from the line through `c` along `n`. The
/// normal `n` is a unit vector to `f32` rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sheet {
    pub(super) normal: [f32; 3],
    pub(super) offset: f32,
    pub(super) thick: f32,
    pub(super) radius: f32,
}

/// More than rounding can move a corner or a height in [`Sheet::around`], as a share of the largest
/// distance from the centre.
const SLACK: f32 = 16.0 * f32::EPSILON;

/// A sheet across what is left when normals are turned must be this much thinner than the box, or
/// it says nothing that the box does not.
const FLATTER: f32 = 0.7;

/// If less than this share of the normals is left in their sum, they cancel each other.
const CANCELLED: f32 = 0.5;

impl Sheet {
    /// The sheet that says nothing beyond a ball of that radius about the centre.
    pub(super) fn ball(radius: f32) -> Self {
        Self { normal: [0.0, 0.0, 1.0], offset: 0.0, thick: radius, radius }
    }

    /// The sheet where the map leads, about the centre's place there.
    #[inline(always)]
    pub(super) fn moved(&self, map: &Map) -> Self {
        Self {
            normal: product(&map.turn, &self.normal),
            offset: self.offset * map.unit,
            thick: self.thick * map.unit,
            radius: self.radius * map.unit,
        }
    }

    /// The sheet of all triangles of the leaves, across the mean of their normals, about the middle
    /// of their box.
    pub(super) fn around(bounds: &LocalBox, leaves: &[Leaf]) -> Self {
        let normal = |leaf: &Leaf| {
            glam::Vec3::from_array(leaf.sheet.normal) * (leaf.sheet.radius * leaf.sheet.radius)
        };
        Self::across(leaves.iter().map(normal), bounds, leaves)
    }

    /// The sheet of all triangles of the leaves, across the sum of the normals given, which are as
    /// long as what they belong to is large.
    ///
    /// Where they cancel each other, as those of a thin plate's two sides do, all of them turned to
    /// the side of the longest may say more.
    pub(super) fn across(
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
        let sheet = Self::along(sum, bounds, leaves);
        if sum.length() > CANCELLED * total {
            return sheet;
        }
        let one_way = |v: glam::Vec3| if v.dot(longest.1) < 0.0 { -v } else { v };
        let other = Self::along(normals.map(one_way).sum(), bounds, leaves);
        let [x, y, z] = bounds.half;
        let flat = other.thick < FLATTER * x.min(y).min(z);
        if flat && other.volume() < sheet.volume() { other } else { sheet }
    }

    /// Up to a factor.
    fn volume(&self) -> f32 {
        self.thick * self.radius * self.radius
    }

    /// The sheet of all triangles of the leaves with a direction given: any will do, and the better
    /// it fits the thinner the sheet.
    fn along(normal: glam::Vec3, bounds: &LocalBox, leaves: &[Leaf]) -> Self {
        let (center, reach) = (bounds.center, bounds.reach());
        // In f64: the square of a small patch's area is below what f32 holds.
        let normal = normal.as_dvec3().try_normalize().unwrap_or(glam::DVec3::Z);
        let normal = normal.as_vec3().to_array();
        let [low, high, wide] = dispatch::run(Extent { normal, center, leaves });
        let offset = (low + high) * 0.5;
        Self {
            normal,
            offset,
            thick: (high - offset).max(offset - low) + SLACK * reach,
            radius: (wide + SLACK * reach * reach).sqrt() + SLACK * reach,
        }
    }
}

/// Where the corners of leaves are along a direction of length one: the lowest and the highest, and
/// the square of the largest distance from the line along it through the centre.
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
            let o = [0, 1, 2].map(|k| leaf.origin[k] - center[k]);
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

/// Eight sheets side by side.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Sheets {
    pub(super) normal: Lanes3,
    pub(super) offset: [f32; 8],
    pub(super) thick: [f32; 8],
    pub(super) radius: [f32; 8],
}

impl Sheets {
    pub(super) const EMPTY: Self =
        Self { normal: Lanes3::splat(0.0), offset: [0.0; 8], thick: [0.0; 8], radius: [0.0; 8] };

    pub(super) fn set(&mut self, slot: usize, sheet: &Sheet) {
        self.normal.set(slot, sheet.normal);
        self.offset[slot] = sheet.offset;
        self.thick[slot] = sheet.thick;
        self.radius[slot] = sheet.radius;
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> Sheet {
        Sheet {
            normal: self.normal.get(slot),
            offset: self.offset[slot],
            thick: self.thick[slot],
            radius: self.radius[slot],
        }
    }
}

/// Eight sheets in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideSheets<W> {
    normal: Wide3<W>,
    offset: W,
    thick: W,
    radius: W,
}

/// Where sheets are seen along each other's normals.
pub(super) struct Heights<W> {
    /// How far the middles are apart along the others' normals, and how far both reach together:
    /// they are apart by the difference at least.
    pub(super) here: W,
    pub(super) reach: W,
    /// The same along their own.
    pub(super) there: W,
    pub(super) reach_there: W,
}

impl<W: Wide> Heights<W> {
    /// A mask of those that may meet.
    #[inline(always)]
    pub(super) fn meet(&self) -> W {
        self.here.le(self.reach).and(self.there.le(self.reach_there))
    }
}

impl<W: Wide> WideSheets<W> {
    #[inline(always)]
    pub(super) fn load(sheets: &Sheets) -> Self {
        Self {
            normal: Wide3::load(&sheets.normal),
            offset: W::load(&sheets.offset),
            thick: W::load(&sheets.thick),
            radius: W::load(&sheets.radius),
        }
    }

    /// The same one eight times.
    #[inline(always)]
    pub(super) fn splat(one: &Sheet) -> Self {
        Self {
            normal: Wide3::splat(one.normal),
            offset: W::splat(one.offset),
            thick: W::splat(one.thick),
            radius: W::splat(one.radius),
        }
    }

    /// All of them where the map leads.
    #[inline(always)]
    pub(super) fn moved(&self, map: &Map) -> Self {
        let unit = W::splat(map.unit);
        Self {
            normal: self.normal.mapped(&map.turn, Wide3::splat([0.0; 3])),
            offset: self.offset.mul(unit),
            thick: self.thick.mul(unit),
            radius: self.radius.mul(unit),
        }
    }

    /// The lanes in the order given.
    #[inline(always)]
    pub(super) fn permuted(&self, order: W::Index) -> Self {
        Self {
            normal: self.normal.permuted(order),
            offset: self.offset.permute(order),
            thick: self.thick.permute(order),
            radius: self.radius.permute(order),
        }
    }

    /// As they are stored.
    #[inline(always)]
    pub(super) fn sheets(&self) -> Sheets {
        Sheets {
            normal: self.normal.lanes(),
            offset: self.offset.array(),
            thick: self.thick.array(),
            radius: self.radius.array(),
        }
    }

    /// How far from the middle of what is possible each lies when it meets the others, negated: the
    /// larger, the likelier they really meet. Lane by lane, with `delta` and the heights as
    /// [`heights`](Self::heights) has them.
    #[inline(always)]
    pub(super) fn likely(&self, delta: Wide3<W>, others: &Self, seen: &Heights<W>) -> W {
        let radii = self.radius.add(others.radius);
        let between = delta.dot(delta).div(radii.mul(radii));
        let unlikely = seen.here.div(seen.reach).add(seen.there.div(seen.reach_there)).add(between);
        W::splat(0.0).sub(unlikely)
    }

    /// A mask of those that may meet boxes along the axes, lane by lane, `delta` from their centres
    /// to the boxes'.
    #[inline(always)]
    pub(super) fn above(&self, delta: Wide3<W>, halves: Wide3<W>, margin: f32) -> W {
        let height = self.normal.dot(delta).sub(self.offset).abs();
        height.le(self.normal.abs().dot_add(halves, self.thick.add(W::splat(margin))))
    }

    /// A mask of those that may meet boxes of the other tree, lane by lane, `delta` from the boxes'
    /// centres to theirs; normals and half sides are those along the boxes' axes.
    #[inline(always)]
    pub(super) fn below(
        &self,
        delta: Wide3<W>,
        (normals, halves): (Wide3<W>, Wide3<W>),
        from_box: &Map,
    ) -> W {
        let height = self.normal.dot_add(delta, self.offset).abs();
        let reach = normals.abs().dot(halves).mul(W::splat(from_box.unit));
        height.le(reach.add(self.thick.add(W::splat(from_box.margin))))
    }

    /// These and others, lane by lane, all in one frame, `delta` from the others' centres to
    /// theirs. Along the normal of one, the other reaches as far as its thickness and its radius
    /// show from there.
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
        let Self { normal, offset, thick, radius } = *others;
        let cos = self.normal.dot(normal);
        let sin = cos.neg_mul_add(cos, W::splat(ONE)).max(W::splat(0.0)).sqrt();
        let size = cos.abs();
        Heights {
            here: self.offset.mul_add(cos, normal.dot(delta)).sub(offset).abs(),
            reach: size.mul_add(self.thick, sin.mul_add(self.radius, thick.add(margin))),
            there: offset.neg_mul_add(cos, self.normal.dot_add(delta, self.offset)).abs(),
            reach_there: size.mul_add(thick, sin.mul_add(radius, self.thick.add(margin))),
        }
    }

    /// How far each reaches from its centre along a direction not longer than one.
    #[inline(always)]
    pub(super) fn top(&self, toward: Wide3<W>) -> W {
        let cos = toward.dot(self.normal);
        let sin = cos.neg_mul_add(cos, W::splat(ONE)).max(W::splat(0.0)).sqrt();
        cos.abs().mul_add(self.thick, sin.mul_add(self.radius, cos.mul(self.offset)))
    }
}

/// One, and more than rounding can take from `1 - cos^2`.
pub(super) const ONE: f32 = 1.0 + 32.0 * f32::EPSILON;
