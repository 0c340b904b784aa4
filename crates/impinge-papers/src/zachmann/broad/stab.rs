//! The cells that an oriented box touches: stabbing (Zachmann 1994, section 5.5.1).
//!
//! The thesis shoots rays along one axis through the corners of the cells, and takes the
//! intersection of the box with the four rays at the corners of a column as the part of the box in
//! that column. This misses parts between the rays, so it adds the cells of the eight corners of
//! the box, and states that some cells may still be missed. Here none is missed: over a column, the
//! upper surface of the box is a concave, piecewise linear function, so its highest point is over a
//! corner of the column, where there is a ray, or on an edge of the box. The twelve edges, which
//! include the corners of the box, are therefore followed through the columns as well.
//!
//! **Margins.** [`FrameInput::overlap`](impinge::broad::FrameInput::overlap) counts oriented boxes
//! as disjoint only if this is certain: along each of fifteen axes it allows a gap of `m = 2^-45
//! s`, with `s` the sum of the half sides and of the coordinates of the distance of the centres, at
//! most four times the half sides where the axis-aligned boxes overlap; let `2 m` cover the
//! rounding of the gap too. Such boxes must still share a cell, so their distance must be bounded.
//! The Minkowski sum of two boxes contains an octant at each of its corners, so a point that is
//! above none of its faces by more than `g` has a distance of at most `sqrt(3) g` from it. Axes are
//! not of unit length if they are products of edges that are nearly parallel, with an angle of sine
//! `t`. Either `t` is at least `T`, and `g` is at most `2 m / T`; or rotating one box by that angle
//! makes the edges parallel, which moves it by at most `1.6 T s`, changes the other gaps by at most
//! `2 T s`, and leaves only axes of unit length. With `T = 2^-22.5` both cases come to less than
//! `1e-6 s`, or `4e-6` of the sum of the half sides of both boxes. Each box is grown by more than
//! twice that.

use super::cells::Cells;
use super::layout::Layout;
use impinge::math::OrientedBox;
use impinge::math::Vec3;

/// The growth of a box as a share of its half sides.
const GROWTH_SHARE: f64 = 1e-5;

/// An oriented box, enlarged by more than all rounding errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrownBox {
    center: Vec3,
    axes: [Vec3; 3],
    half: [f64; 3],
    /// Half the sides of the axis-aligned box around it.
    reach: Vec3,
    /// A bound of the rounding errors of points; the box was enlarged by four times this.
    slack: f64,
}

impl GrownBox {
    /// Enlarges a box. `slack` is a bound of the rounding errors of the borders of cells. `None` if
    /// the sides of the box are not finite.
    pub(super) fn new(oriented: &OrientedBox, slack: f64) -> Option<Self> {
        let (center, axes, half) = (oriented.center(), oriented.axes(), oriented.half());
        let slack = slack
            + GROWTH_SHARE * (half[0] + half[1] + half[2]).max(0.0)
            + 1e-12 * center.abs().max_element()
            + 1e-300;
        let half = half.map(|h| h + 4.0 * slack);
        let reach = axes[0].abs() * half[0] + axes[1].abs() * half[1] + axes[2].abs() * half[2];
        let grown = Self { center, axes, half, reach: reach + Vec3::splat(slack), slack };
        let finite = center.is_finite() && grown.reach.is_finite() && slack.is_finite();
        (finite && !oriented.is_empty()).then_some(grown)
    }

    /// The cells of the axis-aligned box around it.
    pub(super) fn cells(&self, layout: &Layout) -> Cells {
        Cells {
            lo: [0, 1, 2].map(|k| layout.cell(k, self.center[k] - self.reach[k])),
            hi: [0, 1, 2].map(|k| layout.cell(k, self.center[k] + self.reach[k])),
        }
    }

    /// The least and the largest product of a direction and a point of the box.
    pub(super) fn along(&self, direction: Vec3) -> (f64, f64) {
        let middle = direction.dot(self.center);
        let reach: f64 = (0..3).map(|k| direction.dot(self.axes[k]).abs() * self.half[k]).sum();
        (middle - reach - self.slack, middle + reach + self.slack)
    }

    /// Whether the box touches an axis-aligned box, which may be infinite; true if undecided.
    pub(super) fn touches(&self, min: Vec3, max: Vec3) -> bool {
        let lo = min.max(self.center - self.reach) - self.center;
        let hi = max.min(self.center + self.reach) - self.center;
        if lo.cmpgt(hi).any() {
            return false;
        }
        let (t, g) = ((lo + hi) * 0.5, (hi - lo) * 0.5);
        let margin = 1e-13 * (self.reach.element_sum() + t.abs().element_sum());
        for k in 0..3 {
            let a = self.axes[k];
            if a.dot(t).abs() > self.half[k] + a.abs().dot(g) + margin {
                return false;
            }
            for (axis, own) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
                // The cross product of the unit vector of `axis` and the axis of the box: its
                // component along `axis` is zero.
                let (u, v) = own;
                let along = (t[v] * a[u] - t[u] * a[v]).abs();
                let cell = g[v] * a[u].abs() + g[u] * a[v].abs();
                let (l, m) = ((k + 1) % 3, (k + 2) % 3);
                let own_reach = self.half[l] * self.axes[m][axis].abs()
                    + self.half[m] * self.axes[l][axis].abs();
                if along > cell + own_reach + margin {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the box contains an axis-aligned box, which may be infinite; false if undecided.
    pub(super) fn contains(&self, min: Vec3, max: Vec3) -> bool {
        let (t, g) = ((min + max) * 0.5 - self.center, (max - min) * 0.5);
        (0..3).all(|k| self.axes[k].dot(t).abs() + self.axes[k].abs().dot(g) <= self.half[k])
    }

    fn corner(&self, index: usize) -> Vec3 {
        let sign = |k: usize| if index >> k & 1 == 0 { -self.half[k] } else { self.half[k] };
        self.center + self.axes[0] * sign(0) + self.axes[1] * sign(1) + self.axes[2] * sign(2)
    }
}

/// The part of a box in each column of cells: `sticks` along one axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Sticks {
    /// Lowest and highest point over each column.
    spans: Vec<(f64, f64)>,
}

impl Sticks {
    /// Calls `stick` with the cells of each column that the box touches, and possibly a few that it
    /// nearly touches. Rays go along the axis with most cells, so that there are few rays.
    pub(super) fn of(&mut self, grown: &GrownBox, layout: &Layout, mut stick: impl FnMut(Cells)) {
        let cells = grown.cells(layout);
        let w = (0..3).max_by_key(|k| cells.along(*k)).unwrap_or(0);
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        let (width, height) = (cells.along(u), cells.along(v));
        if width * height == 1 {
            return stick(cells);
        }
        self.spans.clear();
        self.spans.resize(width * height, (f64::INFINITY, f64::NEG_INFINITY));
        let mut grid = Columns { grown, layout, cells, spans: &mut self.spans, axes: [u, v, w] };
        grid.follow_edges();
        grid.cast_rays();
        for j in 0..height {
            for i in 0..width {
                let (lo, hi) = self.spans[j * width + i];
                if lo <= hi {
                    let mut part = cells;
                    part.lo[u] += i as u16;
                    part.lo[v] += j as u16;
                    (part.hi[u], part.hi[v]) = (part.lo[u], part.lo[v]);
                    part.lo[w] = layout.cell(w, lo - grown.slack).max(cells.lo[w]);
                    part.hi[w] = layout.cell(w, hi + grown.slack).min(cells.hi[w]);
                    if !part.is_empty() {
                        stick(part);
                    }
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<(f64, f64)>()
    }
}

/// The columns under a box.
struct Columns<'a> {
    grown: &'a GrownBox,
    layout: &'a Layout,
    cells: Cells,
    spans: &'a mut [(f64, f64)],
    /// The two axes across the columns, and the one along them.
    axes: [usize; 3],
}

impl Columns<'_> {
    fn add(&mut self, i: u16, j: u16, lo: f64, hi: f64) {
        let [u, v, _] = self.axes;
        let place = usize::from(j - self.cells.lo[v]) * self.cells.along(u)
            + usize::from(i - self.cells.lo[u]);
        let span = &mut self.spans[place];
        *span = (span.0.min(lo), span.1.max(hi));
    }

    /// Adds the part of each edge of the box over each column, enlarged by the slack.
    fn follow_edges(&mut self) {
        let [u, v, w] = self.axes;
        for (from, axis) in
            (0..8).flat_map(|c| (0..3).map(move |k| (c, k))).filter(|(c, k)| c >> k & 1 == 0)
        {
            let (p, q) = (self.grown.corner(from), self.grown.corner(from | 1 << axis));
            let at = |k: usize, t: f64| p[k] + (q[k] - p[k]) * t;
            for i in self.range(u, p[u], q[u]) {
                let Some((s, t)) = self.part(u, i, p[u], q[u], (0.0, 1.0)) else { continue };
                for j in self.range(v, at(v, s), at(v, t)) {
                    if let Some((s, t)) = self.part(v, j, p[v], q[v], (s, t)) {
                        let (a, b) = (at(w, s), at(w, t));
                        self.add(i, j, a.min(b), a.max(b));
                    }
                }
            }
        }
    }

    /// The cells between two coordinates.
    fn range(&self, axis: usize, x: f64, y: f64) -> std::ops::RangeInclusive<u16> {
        let lo = self.layout.cell(axis, x.min(y) - self.grown.slack);
        let hi = self.layout.cell(axis, x.max(y) + self.grown.slack);
        lo.max(self.cells.lo[axis])..=hi.min(self.cells.hi[axis])
    }

    /// The parameters of the line from `p` to `q`, within `(s, t)`, that are in a cell enlarged by
    /// the slack.
    fn part(
        &self,
        axis: usize,
        cell: u16,
        p: f64,
        q: f64,
        (s, t): (f64, f64),
    ) -> Option<(f64, f64)> {
        let lo = self.layout.border(axis, u32::from(cell)) - self.grown.slack - p;
        let hi = self.layout.border(axis, u32::from(cell) + 1) + self.grown.slack - p;
        let way = q - p;
        if way == 0.0 {
            return (lo <= 0.0 && 0.0 <= hi).then_some((s, t));
        }
        let (a, b) = (lo / way, hi / way);
        let (from, to) = (a.min(b).max(s), a.max(b).min(t));
        (from <= to).then_some((from, to))
    }

    /// Adds the intersection of each ray through a corner of the columns with the box to the four
    /// columns around the ray.
    fn cast_rays(&mut self) {
        let [u, v, w] = self.axes;
        let GrownBox { center, axes, half, .. } = *self.grown;
        for j in self.cells.lo[v] + 1..=self.cells.hi[v] {
            let y = self.layout.border(v, u32::from(j)) - center[v];
            for i in self.cells.lo[u] + 1..=self.cells.hi[u] {
                let x = self.layout.border(u, u32::from(i)) - center[u];
                let (mut lo, mut hi) = (-self.grown.reach[w], self.grown.reach[w]);
                for k in 0..3 {
                    // |a t + b| <= h: the part of the ray between two faces of the box.
                    let (a, b) = (axes[k][w], axes[k][u] * x + axes[k][v] * y);
                    if a == 0.0 {
                        if b.abs() > half[k] {
                            (lo, hi) = (f64::INFINITY, f64::NEG_INFINITY);
                        }
                    } else {
                        let (s, t) = ((-half[k] - b) / a, (half[k] - b) / a);
                        (lo, hi) = (lo.max(s.min(t)), hi.min(s.max(t)));
                    }
                }
                if lo <= hi {
                    for (i, j) in [(i - 1, j - 1), (i, j - 1), (i - 1, j), (i, j)] {
                        self.add(i, j, center[w] + lo, center[w] + hi);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;
    use impinge::math::{Aabb, Pose};
    use std::collections::BTreeSet;

    fn random_box(random: &mut Random, round: usize) -> OrientedBox {
        let scale = random.range(-4.0, 2.0).exp2();
        let mut half = (random.in_cube().abs() + 0.01) * scale;
        if round % 5 == 0 {
            half[random.index(3)] = 0.0;
        }
        let rotation = match round % 4 {
            0 => [0.0, 0.0, 0.0, 1.0],
            1 => [random.unit(), 0.0, 0.0, 1.0],
            _ => [0; 4].map(|_| random.range(-1.0, 1.0)),
        };
        let pose = Pose::from_quaternion(rotation, (random.in_cube() * 1.3).to_array()).unwrap();
        let corners =
            OrientedBox::around(&[-half, half]).corners().map(|c| pose.transform_point(c));
        OrientedBox::around(&corners)
    }

    /// Sticks contain the cell of every point of the box, and no cell that is clearly disjoint from
    /// it; the same holds for the cells for which `touches` is true.
    #[test]
    fn sticks_cover_the_box_and_little_more() {
        let mut random = Random::new(8);
        let layout =
            Layout::new(Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0)), [16, 9, 12]);
        let (mut tight, mut loose) = (0, 0);
        for round in 0..1500 {
            let oriented = random_box(&mut random, round);
            let grown = GrownBox::new(&oriented, layout.slack).unwrap();
            let mut entered = BTreeSet::new();
            Sticks::default().of(&grown, &layout, |s| s.for_each(|c| assert!(entered.insert(c))));
            for sample in 0..300 {
                let mut p = oriented.center();
                for k in 0..3 {
                    // Corners, edges and faces as often as the inside.
                    let s = random.range(-1.5, 1.5).clamp(-1.0, 1.0);
                    p += oriented.axes()[k] * (oriented.half()[k] * s);
                }
                let cell = [0, 1, 2].map(|k| layout.cell(k, p[k]));
                assert!(entered.contains(&cell), "round {round}, sample {sample}, {p}");
            }
            let all = grown.cells(&layout);
            loose += all.count();
            tight += entered.len() as u64;
            all.for_each(|c| {
                let min = Vec3::from([0, 1, 2].map(|k| layout.border(k, u32::from(c[k]))));
                let max = Vec3::from([0, 1, 2].map(|k| layout.border(k, u32::from(c[k]) + 1)));
                let wide = Vec3::splat(1e-3);
                if entered.contains(&c) {
                    assert!(
                        grown.touches(min - wide, max + wide),
                        "round {round}: {c:?} is not touched"
                    );
                } else {
                    assert!(
                        !grown.touches(min + wide, max - wide),
                        "round {round}: {c:?} is missed"
                    );
                    assert!(!grown.contains(min, max));
                }
            });
        }
        assert!(tight * 3 < loose * 2, "{tight} of {loose}");
    }

    #[test]
    fn boxes_without_finite_sides_have_no_sticks() {
        assert!(GrownBox::new(&OrientedBox::around(&[]), 0.0).is_none());
        let huge = OrientedBox::around(&[Vec3::splat(-1e60), Vec3::splat(1e60)]);
        let layout = Layout::new(Aabb::from_corners(Vec3::ZERO, Vec3::ONE), [4; 3]);
        let grown = GrownBox::new(&huge, 0.0).unwrap();
        let mut cells = 0;
        Sticks::default().of(&grown, &layout, |s| cells += s.count());
        assert_eq!(cells, 64);
        assert!(grown.contains(Vec3::ZERO, Vec3::ONE));
        let (lo, hi) = grown.along(Vec3::X);
        assert!(lo < -1e59 && hi > 1e59);
    }
}
