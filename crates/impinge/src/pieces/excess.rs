//! Proven bounds of the excess of a hull: how far it reaches out of a solid.
//!
//! The excess `e` is the largest distance of a point of the hull `K` from the solid `S`. There are
//! three methods, from the cheapest to the most general:
//!
//! 1. **No excess.** No part of the surface of `S` inside the region that `K` belongs to is in the
//!    interior of `K` (each polygon lies on or above the plane of a face of `K`, by exact
//!    predicates), and one interior point of `K` is in `S`. Then `K` is in `S` and `e = 0`.
//! 2. **A core.** Every polygon of the surface is at most `d_f` below some plane `f` of `K`. The
//!    points of `K` that are deeper than `d_f` below every plane then form a convex core that no
//!    surface enters; if it contains one point `c` of `S`, it is in `S`. Shrinking `K` about `c` by
//!    the factor `1 - l`, where `l` is the largest `d_f` over the depth of `c` below `f`, moves it
//!    into the core: `e <= l R`, with `R` the distance of the furthest vertex from `c`.
//! 3. **Search.** Boxes, best first: the distance from `S` is 1-Lipschitz and the distance from one
//!    triangle is convex, so a box has an upper bound from its centre and one from its corners.
//!    Boxes outside `K`, and boxes inside `S` that no surface enters, are dropped; the others are
//!    cut. Whenever the search stops, the largest bound of the remaining boxes is a bound of `e`.

use std::rc::Rc;

use super::furthest::{Cells, furthest_corner};
use super::index::{self, SolidIndex};
use super::planes::{self, Plane, planes};
use super::region::Region;
use super::soup::{self, Soup};
use crate::arrays::{MapEach, MapToVec};
use crate::convex::Hull;
use crate::exact::{Location, Sign, orient3d};
use crate::math::{Aabb, Vec3};

/// Bounds of the distance that a hull reaches out of the solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    /// A lower bound, up to rounding.
    pub(super) lower: f64,
    /// A proven upper bound.
    pub(super) upper: f64,
}

/// A hull, and the part of the solid that it is the hull of.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) hull: &'a Hull,
    /// The surface of the solid in `region`, all of it.
    pub(super) soup: &'a Soup,
    /// Contains the hull, up to the slack of the soup and its own.
    pub(super) region: &'a Region,
}

/// When the search stops.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    /// It stops at an upper bound no larger than this.
    pub(super) target: f64,
    /// The largest number of boxes it examines.
    pub(super) max_boxes: usize,
    /// Whether it stops when the excess is certainly larger than `target`.
    pub(super) stop_above: bool,
}

/// The bound without search: zero (method 1), or the bound of the core (method 2) if it is at most
/// `target`, or infinity.
pub(super) fn quick_bound(part: &Part<'_>, solid: &SolidIndex, target: f64) -> f64 {
    if part.hull.dimension() < 3 {
        return f64::INFINITY;
    }
    let planes = planes(part.hull);
    let Some(center) = inner_point(part.hull) else { return f64::INFINITY };
    if solid.locate(center) != Location::Inside {
        return f64::INFINITY;
    }
    if part.region.contains(part.hull)
        && is_strictly_inside(part.hull, center)
        && no_polygon_enters(part)
    {
        return 0.0;
    }
    core_bound(part, &planes, center, target)
}

/// The mean of the vertices, rounded.
fn inner_point(hull: &Hull) -> Option<Vec3> {
    let base = hull.vertices()[0];
    let sum: Vec3 = hull.vertices().iter().map(|v| *v - base).sum();
    let p = base + sum / hull.vertices().len() as f64;
    p.is_finite().then_some(p)
}

fn corners(hull: &Hull, face: &[u32]) -> [Vec3; 3] {
    [face[0], face[1], face[2]].map_each(|v| hull.vertices()[v as usize])
}

fn is_strictly_inside(hull: &Hull, p: Vec3) -> bool {
    hull.faces().all(|face| {
        let [a, b, c] = corners(hull, face);
        orient3d(a, b, c, p) == Sign::Negative
    })
}

/// Whether every polygon is on or above the plane of a face of the hull, exactly. Then none enters
/// the interior of the hull.
fn no_polygon_enters(part: &Part<'_>) -> bool {
    let hull = part.hull;
    let mut last = 0;
    let mut outer = Vec::new();
    part.soup.polygons().all(|(points, slacks)| {
        outer.clear();
        soup::append_outer_points(points, slacks, &mut outer);
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

/// Method 2: the bound of the core.
fn core_bound(part: &Part<'_>, planes: &[Plane], center: Vec3, target: f64) -> f64 {
    let slack = part.soup.slack() + planes::ROUNDING;
    let reach = part.hull.vertices().iter().map(|v| (*v - center).length()).fold(0.0, f64::max);
    let depths: Vec<f64> = planes.map_to_vec(|p| p.depth(center) - planes::ROUNDING);
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
        if cut[last] * reach > target * depths[last] {
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
    // The hull may reach out of the region by the slack of its corners.
    let beyond = 4.0 * slack.max(part.region.slack());
    let inside = part.region.depth(center);
    if inside <= 0.0 {
        return f64::INFINITY;
    }
    share = share.max(beyond / (beyond + inside));
    share * reach * (1.0 + 8.0 * f64::EPSILON) + planes::ROUNDING
}

/// Method 3: the search.
pub(super) fn search(hull: &Hull, solid: &SolidIndex, limits: SearchLimits) -> Excess {
    let planes = planes(hull);
    let mut search =
        Search { planes: &planes, solid, lower: 0.0, examined: 0, cells: Cells::new() };
    let bounds = planes::bounds(hull);
    let half = bounds.extent() * 0.5 * (1.0 + 4.0 * f64::EPSILON) + Vec3::splat(planes::ROUNDING);
    let all: Rc<[u32]> = (0..planes.len() as u32).collect();
    search.add_box(bounds.center(), half, &all);
    // There may be no box, for example if the hull is a point.
    let ends = |search: &Search<'_>, upper: f64| {
        let is_precise = upper <= limits.target || upper <= search.lower * 1.02;
        let is_exceeded = limits.stop_above && search.lower > limits.target;
        is_precise || is_exceeded || search.examined >= limits.max_boxes
    };
    let mut upper = Cells::run(&mut search, |s| &mut s.cells, ends, Search::cut);
    // Boxes whose upper bound was not larger than the lower bound were dropped.
    if search.lower > 0.0 {
        upper = upper.max(search.lower + 4.0 * index::ROUNDING);
    }
    Excess { lower: search.lower, upper }
}

struct Search<'a> {
    planes: &'a [Plane],
    solid: &'a SolidIndex,
    lower: f64,
    examined: usize,
    cells: Cells<Cell>,
}

/// A box that may contain a point far from the solid.
struct Cell {
    center: Vec3,
    half: Vec3,
    /// The planes of the hull that cut the box.
    planes: Rc<[u32]>,
}

impl Search<'_> {
    /// Replaces a box by its halves.
    fn cut(&mut self, cell: &Cell) {
        let axis = (0..3).max_by(|a, b| cell.half[*a].total_cmp(&cell.half[*b])).unwrap_or(0);
        let mut half = cell.half;
        half[axis] *= 0.5;
        for side in [-1.0, 1.0] {
            let mut center = cell.center;
            center[axis] += side * half[axis];
            self.add_box(center, half, &cell.planes);
        }
    }

    /// Examines a box, and keeps it if it can contain a larger distance than the lower bound.
    fn add_box(&mut self, center: Vec3, half: Vec3, planes: &Rc<[u32]>) {
        let mut cutting = Vec::new();
        let mut in_hull = true;
        for f in planes.iter() {
            let plane = &self.planes[*f as usize];
            if plane.max_depth_in_box(center, half) < -planes::ROUNDING {
                return;
            }
            in_hull &= plane.depth(center) >= 0.0;
            if plane.min_depth_in_box(center, half) < planes::ROUNDING {
                cutting.push(*f);
            }
        }
        self.examined += 1;
        // Centres are rounded: the boxes are enlarged a little so that there are no gaps between
        // them.
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
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + half_out * Vec3::new(sign(0), sign(1), sign(2))
        };
        let far = furthest_corner((0..8).map(corner), nearest);
        let upper = far.min(distance + radius) + index::ROUNDING;
        if upper > self.lower {
            let number = self.examined;
            let planes =
                if cutting.len() == planes.len() { Rc::clone(planes) } else { cutting.into() };
            self.cells.push(upper, number, Cell { center, half, planes });
        }
    }
}
