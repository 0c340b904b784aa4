//! The search for the point of a body that is furthest from a surface: what [`excess`](super) and
//! the reach of balls ([`crate::spheres`]) have in common.
//!
//! The body is cut into cells, the cell with the largest bound first. The distance from one
//! triangle of the surface is a convex function and bounds the distance from the surface, so its
//! largest value at the corners of a convex cell bounds the cell.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::index::triangle_distance;
use crate::math::Vec3;

/// Cells by their bounds: the largest first; equal bounds in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Cells<C> {
    heap: BinaryHeap<Entry<C>>,
}

#[derive(Debug)]
struct Entry<C> {
    upper: f64,
    number: usize,
    cell: C,
}

impl<C> Cells<C> {
    pub(crate) fn new() -> Self {
        Self { heap: BinaryHeap::new() }
    }

    /// Adds a cell whose points are at most `upper` from the surface.
    pub(crate) fn push(&mut self, upper: f64, number: usize, cell: C) {
        self.heap.push(Entry { upper, number, cell });
    }

    /// Cuts the cell with the largest bound, again and again, until `ends` holds for its bound.
    /// Returns the bound of all cells that are left, zero if there are none. `cut` adds the parts
    /// of a cell; `search` is passed to both.
    pub(crate) fn run<S>(
        search: &mut S,
        cells: impl Fn(&mut S) -> &mut Self,
        ends: impl Fn(&S, f64) -> bool,
        mut cut: impl FnMut(&mut S, &C),
    ) -> f64 {
        while let Some(Entry { upper, cell, .. }) = cells(search).heap.pop() {
            if ends(search, upper) {
                return upper;
            }
            cut(search, &cell);
        }
        0.0
    }
}

/// Upper bound of the distance of the points of a convex body with these corners from a surface
/// with this triangle: for coordinates at most two in size, without the error of
/// [`triangle_distance`].
pub(crate) fn furthest_corner(
    corners: impl IntoIterator<Item = Vec3>,
    triangle: &[Vec3; 3],
) -> f64 {
    corners.into_iter().map(|p| triangle_distance(p, triangle)).fold(0.0, f64::max)
}

impl<C> PartialEq for Entry<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<C> Eq for Entry<C> {}

impl<C> PartialOrd for Entry<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> Ord for Entry<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.number.cmp(&self.number))
    }
}
