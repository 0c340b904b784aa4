//! How far a hull reaches out of a solid, with bounds that hold.
//!
//! Wanted is `e`, the largest distance of a point of the hull `K` from the solid `S`. Three ways,
//! from the cheapest to the most general:
//!
//! 1. **Nothing.** No part of the surface of `S` inside the region that `K` belongs to is in the
//!    interior of `K` (each polygon lies on or above the plane of a face of `K`, by exact
//!    predicates), and one interior point of `K` is in `S`. Then `K` is in `S` and `e = 0`.
//! 2. **A core.** Every polygon of the surface is at most `d_f` below some plane `f` of `K`. The
//!    points of `K` that are deeper than `d_f` below every plane then form a convex core that no
//!    surface enters; if it holds one point `c` of `S` it is in `S`. Shrinking `K` about `c` by the
//!    factor `1 - l`, where `l` is the largest `d_f` over the depth of `c` below `f`, moves it into
//!    the core: `e <= l R`, with `R` the distance of the furthest vertex from `c`.
//! 3. **Search.** Boxes, best first: the distance from `S` is 1-Lipschitz and the distance from one
//!    triangle is convex, so a box has an upper bound from its centre and one from its corners.
//!    Boxes that are off `K`, or that no surface enters and that are inside `S`, are dropped; the
//!    others are cut. The largest bound of a box that is left is a bound of `e`, whenever the
//!    search stops.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::index::{self, SolidIndex, triangle_distance};
use super::planes::{self, Plane, planes};
use super::region::Region;
use super::soup::{self, Soup};
use crate::convex::Hull;
use crate::exact::{Location, Sign, orient3d};
use crate::math::{Aabb, Vec3};

/// Bounds of how far a hull reaches out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    /// About so far at least.
    pub(super) lower: f64,
    /// Certainly not further than this.
    pub(super) upper: f64,
}

/// A hull, and what of the solid it was made of.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) hull: &'a Hull,
    /// The surface of the solid in `region`, all of it.
    pub(super) soup: &'a Soup,
    /// Holds the hull, up to the slack of the soup and its own.
    pub(super) region: &'a Region,
}

/// How far the search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// An upper bound no larger than this is good enough.
    pub(super) enough: f64,
    /// So many boxes are looked at.
    pub(super) boxes: usize,
    /// Whether to stop when the excess is certainly larger than `enough`.
    pub(super) stop_above: bool,
}

/// Without search: zero, or the bound of the core if it is at most `enough`, or infinity.
pub(super) fn quick(part: &Part<'_>, solid: &SolidIndex, enough: f64) -> f64 {
    if part.hull.dimension() < 3 {
        return f64::INFINITY;
    }
    let planes = planes(part.hull);
    let Some(center) = inner_point(part.hull) else { return f64::INFINITY };
    if solid.locate(center) != Location::Inside {
        return f64::INFINITY;
    }
    if part.region.holds(part.hull) && is_strictly_inside(part.hull, center) && is_clear(part) {
        return 0.0;
    }
    core(part, &planes, center, enough)
}

/// About the middle.
fn inner_point(hull: &Hull) -> Option<Vec3> {
    let base = hull.vertices()[0];
    let sum: Vec3 = hull.vertices().iter().map(|v| *v - base).sum();
    let p = base + sum / hull.vertices().len() as f64;
    p.is_finite().then_some(p)
}

fn corners(hull: &Hull, face: &[u32]) -> [Vec3; 3] {
    [face[0], face[1], face[2]].map(|v| hull.vertices()[v as usize])
}

fn is_strictly_inside(hull: &Hull, p: Vec3) -> bool {
    hull.faces().all(|face| {
        let [a, b, c] = corners(hull, face);
        orient3d(a, b, c, p) == Sign::Negative
    })
}

/// Whether no polygon enters the interior of the hull, as far as the hull's faces can tell; exact.
fn is_clear(part: &Part<'_>) -> bool {
    let hull = part.hull;
    let mut last = 0;
    let mut outer = Vec::new();
    part.soup.polygons().all(|(points, slacks)| {
        outer.clear();
        soup::outer(points, slacks, &mut outer);
        let above = |f: usize| {
            let [a, b, c] = corners(hull, hull.face(f));
            outer.iter().all(|p| orient3d(a, b, c, *p) != Sign::Negative)
        };
        if above(last) {
            return true;
        }
        match (0..hull.face_count()).find(|f| above(*f)) {
            Some(f) => {
                last = f;
                true
            }
            None => false,
        }
    })
}

/// The second way.
fn core(part: &Part<'_>, planes: &[Plane], center: Vec3, enough: f64) -> f64 {
    let slack = part.soup.slack() + planes::ROUNDING;
    let reach = part.hull.vertices().iter().map(|v| (*v - center).length()).fold(0.0, f64::max);
    let depths: Vec<f64> = planes.iter().map(|p| p.depth(center) - planes::ROUNDING).collect();
    let mut cut: Vec<f64> = vec![0.0; planes.len()];
    let mut last = 0;
    for (points, _) in part.soup.polygons() {
        let deepest = |f: usize| {
            points.iter().map(|p| planes[f].depth(*p)).fold(f64::NEG_INFINITY, f64::max) + slack
        };
        if deepest(last) <= cut[last] {
            continue;
        }
        let mut best = (f64::INFINITY, last);
        for (f, known) in cut.iter().enumerate() {
            let d = deepest(f);
            if d <= *known {
                best = (*known, f);
                break;
            }
            if d < best.0 {
                best = (d, f);
            }
        }
        last = best.1;
        cut[last] = cut[last].max(best.0);
        if cut[last] * reach > enough * depths[last] {
            return f64::INFINITY;
        }
    }
    let mut share = 0.0_f64;
    for (depth, cut) in depths.iter().zip(&cut) {
        let needed = cut + planes::ROUNDING;
        if *depth <= needed {
            return f64::INFINITY;
        }
        share = share.max(needed / depth);
    }
    // The hull may stand out of the region by the slack of its corners.
    let beyond = 4.0 * slack.max(part.region.slack());
    let inside = part.region.depth(center);
    if inside <= 0.0 {
        return f64::INFINITY;
    }
    share = share.max(beyond / (beyond + inside));
    share * reach * (1.0 + 8.0 * f64::EPSILON) + planes::ROUNDING
}

/// The third way.
pub(super) fn search(hull: &Hull, solid: &SolidIndex, effort: Effort) -> Excess {
    let planes = planes(hull);
    let mut search =
        Search { planes: &planes, solid, lower: 0.0, looked: 0, heap: BinaryHeap::new() };
    let bounds = planes::bounds(hull);
    let half = bounds.extent() * 0.5 * (1.0 + 4.0 * f64::EPSILON) + Vec3::splat(planes::ROUNDING);
    let all: Rc<[u32]> = (0..planes.len() as u32).collect();
    search.enter(bounds.center(), half, &all);
    // Hulls that are points may have no box left.
    let mut upper = 0.0;
    while let Some(cell) = search.heap.pop() {
        upper = cell.upper;
        let fine = upper <= effort.enough || upper <= search.lower * 1.02;
        let hopeless = effort.stop_above && search.lower > effort.enough;
        if fine || hopeless || search.looked >= effort.boxes {
            break;
        }
        let axis = (0..3).max_by(|a, b| cell.half[*a].total_cmp(&cell.half[*b])).unwrap_or(0);
        let mut half = cell.half;
        half[axis] *= 0.5;
        for side in [-1.0, 1.0] {
            let mut center = cell.center;
            center[axis] += side * half[axis];
            search.enter(center, half, &cell.planes);
        }
        upper = 0.0;
    }
    // Boxes that could not have more than the lower bound were dropped.
    if search.lower > 0.0 {
        upper = upper.max(search.lower + 4.0 * index::ROUNDING);
    }
    Excess { lower: search.lower, upper }
}

struct Search<'a> {
    planes: &'a [Plane],
    solid: &'a SolidIndex,
    lower: f64,
    looked: usize,
    heap: BinaryHeap<Cell>,
}

/// A box that may hold a point far from the solid.
struct Cell {
    upper: f64,
    number: usize,
    center: Vec3,
    half: Vec3,
    /// The planes of the hull that cut the box.
    planes: Rc<[u32]>,
}

impl Search<'_> {
    /// Looks at a box, and keeps it if it is of interest.
    fn enter(&mut self, center: Vec3, half: Vec3, planes: &Rc<[u32]>) {
        let mut cutting = Vec::new();
        let mut in_hull = true;
        for f in planes.iter() {
            let plane = &self.planes[*f as usize];
            if plane.lowest(center, half) < -planes::ROUNDING {
                return;
            }
            in_hull &= plane.depth(center) >= 0.0;
            if plane.highest(center, half) < planes::ROUNDING {
                cutting.push(*f);
            }
        }
        self.looked += 1;
        // Centres are rounded: the boxes are a little larger than they say, so that nothing is left
        // between them.
        let half_out = half + Vec3::splat(index::ROUNDING);
        let radius = half_out.length() * (1.0 + 4.0 * f64::EPSILON);
        let (distance, nearest) = self.solid.distance(center);
        let cell = Aabb { min: center - half_out, max: center + half_out };
        let whole = distance > radius && !self.solid.may_enter(&cell);
        if whole || (in_hull && distance > self.lower) {
            let outside = self.solid.locate(center) == Location::Outside;
            if whole && !outside {
                return;
            }
            if outside && in_hull {
                self.lower = self.lower.max(distance - 2.0 * index::ROUNDING);
            }
        }
        let mut far = 0.0_f64;
        for i in 0..8_u32 {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = center + half_out * Vec3::new(sign(0), sign(1), sign(2));
            far = far.max(triangle_distance(corner, nearest));
        }
        let upper = far.min(distance + radius) + index::ROUNDING;
        if upper > self.lower {
            let number = self.looked;
            let planes =
                if cutting.len() == planes.len() { Rc::clone(planes) } else { cutting.into() };
            self.heap.push(Cell { upper, number, center, half, planes });
        }
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The largest bound first; of equal ones the oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.number.cmp(&self.number))
    }
}
