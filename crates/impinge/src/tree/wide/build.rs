//! Building: top down, the split of smallest cost among sixteen bins an axis, eight children at once.

use crate::math::Vec3;
use crate::mesh::Mesh;

use super::Tree;
use super::node::{Link, LocalBox, Node};
use super::refit::{fit_node, sheet};

/// Triangles a leaf holds at most.
pub(super) const LEAF: usize = 8;
const BINS: usize = 16;

/// A triangle in the making: its box in the local frame, in `f32` for sorting only.
#[derive(Clone, Copy)]
struct Item {
    min: [f32; 3],
    max: [f32; 3],
    triangle: u32,
}

impl Item {
    /// Twice the centre; halving it would change no comparison.
    #[inline(always)]
    fn center(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// A box that grows.
#[derive(Clone, Copy)]
struct Growing {
    min: [f32; 3],
    max: [f32; 3],
}

impl Growing {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline(always)]
    fn add(&mut self, min: &[f32; 3], max: &[f32; 3]) {
        for k in 0..3 {
            self.min[k] = if min[k] < self.min[k] { min[k] } else { self.min[k] };
            self.max[k] = if max[k] > self.max[k] { max[k] } else { self.max[k] };
        }
    }

    /// Half the surface; zero if empty.
    #[inline(always)]
    fn area(&self) -> f32 {
        let d = [0, 1, 2].map(|k| self.max[k] - self.min[k]);
        if d[0] < 0.0 { 0.0 } else { d[0] * d[1] + d[1] * d[2] + d[2] * d[0] }
    }
}

/// The tree of a mesh, built anew.
pub(super) fn build(mesh: &Mesh) -> Tree {
    over(mesh, frame(mesh), 0..mesh.triangles().len() as u32)
}

/// The local frame that suits a mesh: its origin and scale.
pub(super) fn frame(mesh: &Mesh) -> (Vec3, f64) {
    let origin = if mesh.is_empty() { Vec3::ZERO } else { mesh.bounds().center() };
    (origin, unit_scale((mesh.bounds().max - origin).abs().max_element()))
}

/// The tree of some of a mesh's triangles, in the given frame.
pub(super) fn over(
    mesh: &Mesh,
    (origin, scale): (Vec3, f64),
    triangles: impl Iterator<Item = u32>,
) -> Tree {
    let mut items: Vec<Item> = triangles
        .map(|i| {
            let [p, q, r] = mesh.triangle(i as usize).map(|v| (v - origin) * scale);
            Item {
                min: p.min(q).min(r).as_vec3().to_array(),
                max: p.max(q).max(r).as_vec3().to_array(),
                triangle: i,
            }
        })
        .collect();
    let mut tree = Tree {
        origin,
        scale,
        nodes: Vec::new(),
        leaves: Vec::new(),
        root: None,
        reach: 0.0,
        stamp: Tree::new_stamp(),
    };
    if items.is_empty() {
        return tree;
    }
    tree.nodes.reserve(items.len() / 24 + 1);
    tree.leaves.reserve(items.len() / 6 + 1);
    let mut builder = Builder { mesh, tree: &mut tree };
    let (link, bounds) = builder.subtree(&mut items);
    tree.set_root(&bounds, link);
    tree
}

/// The power of two that brings `size` near one; one for a mesh that is a point. Kept within what can be inverted.
fn unit_scale(size: f64) -> f64 {
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if size > 0.0 && size.is_finite() { 2.0_f64.powi((-exponent).clamp(-1000, 1020)) } else { 1.0 }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    tree: &'a mut Tree,
}

impl Builder<'_> {
    /// Builds the subtree of the items; returns where it is and its box.
    fn subtree(&mut self, items: &mut [Item]) -> (Link, LocalBox) {
        if items.len() <= LEAF {
            return self.leaf(items);
        }
        // Up to eight groups. A node of a few hundred triangles is split only until each group fits under one node of leaves: better few full nodes at the bottom, where
        // most of the work is, than many half-empty ones.
        let enough =
            if items.len() <= LEAF * 64 && items.len() > LEAF * 8 { LEAF * 8 } else { LEAF };
        let mut ranges = [(0, items.len(), f32::INFINITY); 8];
        let mut count = 1;
        while count < 8 {
            let splittable = (0..count).filter(|i| ranges[*i].1 - ranges[*i].0 > enough);
            let Some(widest) = splittable.max_by(|i, j| ranges[*i].2.total_cmp(&ranges[*j].2))
            else {
                break;
            };
            let (start, end, _) = ranges[widest];
            let (middle, left, right) = split(&mut items[start..end]);
            ranges[widest] = (start, start + middle, left);
            ranges[count] = (start + middle, end, right);
            count += 1;
        }
        let mut parts = ranges[..count].to_vec();
        parts.sort_unstable_by_key(|r| r.0);
        let index = self.tree.nodes.len();
        self.tree.nodes.push(Node::EMPTY);
        for (slot, (start, end, _)) in parts.into_iter().enumerate() {
            let first = self.tree.leaves.len();
            let (link, bounds) = self.subtree(&mut items[start..end]);
            let sheet = sheet(&bounds, &self.tree.leaves[first..]);
            self.tree.nodes[index].set(slot, &bounds, &sheet, link);
        }
        let own = fit_node(&self.tree.nodes[index]);
        self.tree.nodes[index].own = own;
        (Link::node(index), own)
    }

    fn leaf(&mut self, items: &[Item]) -> (Link, LocalBox) {
        let mut triangles = [0; LEAF];
        for (item, triangle) in items.iter().zip(&mut triangles) {
            *triangle = item.triangle;
        }
        let (leaf, bounds) = self.tree.fit_leaf(self.mesh, &triangles[..items.len()]);
        self.tree.leaves.push(leaf);
        (Link::leaf(self.tree.leaves.len() - 1), bounds)
    }
}

/// Reorders the items into two groups, neither empty; returns the size of the first and the costs of both.
fn split(items: &mut [Item]) -> (usize, f32, f32) {
    let mut centers = Growing::EMPTY;
    for item in items.iter() {
        let c = [0, 1, 2].map(|k| item.center(k));
        centers.add(&c, &c);
    }
    let size = [0, 1, 2].map(|k| centers.max[k] - centers.min[k]);
    if items.len() <= 64 {
        return split_small(items, &size);
    }
    let mut best: Option<(f32, usize, usize)> = None;
    let mut bins = [[(Growing::EMPTY, 0_u32); BINS]; 3];
    let scale = size.map(|s| if s > 0.0 { BINS as f32 * 0.9999 / s } else { 0.0 });
    let bin_of = |item: &Item, axis: usize| -> usize {
        (((item.center(axis) - centers.min[axis]) * scale[axis]) as usize).min(BINS - 1)
    };
    for item in items.iter() {
        for axis in 0..3 {
            let bin = &mut bins[axis][bin_of(item, axis)];
            bin.0.add(&item.min, &item.max);
            bin.1 += 1;
        }
    }
    for axis in 0..3 {
        if size[axis] <= 0.0 {
            continue;
        }
        let mut right = [0.0_f32; BINS];
        let (mut grown, mut count) = (Growing::EMPTY, 0);
        for i in (1..BINS).rev() {
            grown.add(&bins[axis][i].0.min, &bins[axis][i].0.max);
            count += bins[axis][i].1;
            right[i] = grown.area() * groups(count);
        }
        let (mut grown, mut count) = (Growing::EMPTY, 0);
        for i in 1..BINS {
            grown.add(&bins[axis][i - 1].0.min, &bins[axis][i - 1].0.max);
            count += bins[axis][i - 1].1;
            if count == 0 || count as usize == items.len() {
                continue;
            }
            let cost = grown.area() * groups(count) + right[i];
            if best.is_none_or(|b| cost < b.0) {
                best = Some((cost, axis, i));
            }
        }
    }
    let middle = match best {
        Some((_, axis, border)) => partition(items, |item| bin_of(item, axis) < border),
        None => items.len() / 2, // all centres coincide, or the numbers are out of f32's range: any halves will do
    };
    let (left, right) = items.split_at(middle);
    (middle, cost(left), cost(right))
}

/// How many leaves' worth of triangles there are: what a visit costs.
#[inline(always)]
fn groups(count: u32) -> f32 {
    count.div_ceil(LEAF as u32) as f32
}

fn cost(items: &[Item]) -> f32 {
    let mut grown = Growing::EMPTY;
    for item in items {
        grown.add(&item.min, &item.max);
    }
    let area = grown.area();
    if area.is_nan() { f32::MAX } else { area * groups(items.len() as u32) }
}

/// The best split of a few items at a multiple of the leaf size along a sorted axis, so that leaves come out full.
fn split_small(items: &mut [Item], size: &[f32; 3]) -> (usize, f32, f32) {
    let n = items.len();
    let mut best: Option<(f32, usize, usize, f32, f32)> = None;
    let mut right = [0.0_f32; 9];
    let mut sorted = 3;
    for axis in 0..3 {
        if size[axis] <= 0.0 {
            continue;
        }
        sort_by_center(items, axis);
        sorted = axis;
        let borders = (LEAF..n).step_by(LEAF);
        let mut grown = Growing::EMPTY;
        let mut end = n;
        for border in borders.clone().rev() {
            for item in &items[border..end] {
                grown.add(&item.min, &item.max);
            }
            end = border;
            right[border / LEAF] = grown.area() * groups((n - border) as u32);
        }
        let mut grown = Growing::EMPTY;
        for border in borders {
            for item in &items[border - LEAF..border] {
                grown.add(&item.min, &item.max);
            }
            let left = grown.area() * groups(border as u32);
            let cost = left + right[border / LEAF];
            if best.is_none_or(|b| cost < b.0) {
                best = Some((cost, axis, border, left, right[border / LEAF]));
            }
        }
    }
    let Some((_, axis, border, left, right)) = best else {
        let middle = n / 2;
        return (middle, cost(&items[..middle]), cost(&items[middle..]));
    };
    if axis != sorted {
        sort_by_center(items, axis);
    }
    (border, left, right)
}

fn sort_by_center(items: &mut [Item], axis: usize) {
    items.sort_unstable_by(|p, q| {
        p.center(axis).total_cmp(&q.center(axis)).then(p.triangle.cmp(&q.triangle))
    });
}

/// Moves the items that satisfy `first` to the front; returns how many there are.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool) -> usize {
    let (mut i, mut j) = (0, items.len());
    loop {
        while i < j && first(&items[i]) {
            i += 1;
        }
        while i < j && !first(&items[j - 1]) {
            j -= 1;
        }
        if i >= j {
            return i;
        }
        items.swap(i, j - 1);
    }
}
