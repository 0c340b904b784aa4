//! The choice of the plane at which a piece is cut.
//!
//! Cuts should remove voids: points of the hull that are outside the solid. The cost of a plane is
//! the sum over the voids that its two hulls still contain, weighted with their squared distance
//! from the solid, plus the weighted volume of the hulls. One cut is often not enough to remove a
//! void (half a ring still has half of the hole in its hull), so the cost of a candidate includes
//! the lowest cost after a second cut of each half; `CoACD` looks ahead in the same way, with a
//! larger depth and random choices. Candidates are axis-aligned planes through the deepest void,
//! through the ends of the notches next to it, and at regular distances; and, at the notches
//! nearest to the deepest void, the planes of the two faces and the one in the middle between them.

use super::excess::Part;
use super::index::SolidIndex;
use super::planes::{Plane, bounds, planes, volume_and_area};
use super::soup::{Keep, Soup};
use crate::arrays::MapEach;
use crate::convex::Hull;
use crate::exact::Location;
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;
use crate::order::{sort_by, sort_numbers_by};
use crate::workers;

/// The largest number of polygons of the surface, and of vertices of the hull, that costs are
/// computed from.
const MAX_SAMPLES: usize = 200;
/// Approximate number of grid points that are tested for voids.
const VOID_GRID_POINTS: f64 = 1_500.0;
/// Weight of the volume of the hulls, relative to the voids.
const VOLUME_WEIGHT: f64 = 0.05;
/// Weight of the area of the hulls, which decides where the volumes vanish.
const AREA_WEIGHT: f64 = 0.01;
/// Weight of the distance of a cut from the middle.
const UNEVEN_CUT_WEIGHT: f64 = 0.01;
/// Weight of a cut across a short axis. Without it, a part where no single cut reduces the voids,
/// such as a ring, would be sliced without end.
const SHORT_AXIS_WEIGHT: f64 = 0.04;
/// Weight of a cut that does not pass through the end of a notch.
const OFF_NOTCH_WEIGHT: f64 = 0.01;
/// Weight of the cost directly after a cut; the cost after the next cut has the rest.
const IMMEDIATE_WEIGHT: f64 = 0.4;
/// Each side of a cut must have at least this share of the extent.
const MIN_SIDE_SHARE: f64 = 1e-6;

/// Distance of a cut from the face that it is parallel to, for coordinates at most two in size. It
/// exceeds the rounding of the corners of the face, so that all of the face lies behind the cut.
const FACE_CLEARANCE: f64 = 1e-13;
/// Normals that differ less than this from an axis or from each other, and offsets that differ less
/// from each other, count as equal.
const PLANE_TOLERANCE: f64 = 1e-9;

/// A plane at which a part is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cut {
    /// The points where one coordinate has a given value.
    AxisAligned {
        /// The index of the coordinate.
        axis: usize,
        /// Its value.
        at: f64,
    },
    /// Any other plane.
    Oblique(Plane),
}

impl Cut {
    /// The plane as a half-space whose inside is the side that is kept.
    pub(super) fn plane(&self, keep: Keep) -> Plane {
        let low = match *self {
            Self::AxisAligned { axis, at } => Plane { normal: Vec3::AXES[axis], offset: at },
            Self::Oblique(plane) => plane,
        };
        match keep {
            Keep::Low => low,
            Keep::High => low.flipped(),
        }
    }

    /// The part of a surface on the side that is kept.
    pub(super) fn of(&self, soup: &Soup, keep: Keep) -> Soup {
        match *self {
            Self::AxisAligned { axis, at } => soup.clipped(axis, at, keep),
            Self::Oblique(_) => soup.below(&self.plane(keep)),
        }
    }
}

/// An edge at which the surface turns inward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notch {
    ends: [Vec3; 2],
    /// The normals of the two faces; `None` if there are more.
    normals: Option<[Vec3; 2]>,
}

impl Notch {
    /// The squared distance of `p` from the edge.
    fn distance_squared(&self, p: Vec3) -> f64 {
        let [a, b] = self.ends;
        let edge = b - a;
        let t = ((p - a).dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        (a + edge * if t.is_nan() { 0.0 } else { t }).distance_squared(p)
    }

    /// The planes of the faces and the one between them, without the axis-aligned ones.
    fn planes(&self) -> impl Iterator<Item = Plane> {
        let [a, b] = self.ends;
        let is_oblique = |n: Vec3| n != Vec3::ZERO && n.abs().max_element() < 1.0 - PLANE_TOLERANCE;
        let normals = self.normals.into_iter().flat_map(move |[s, t]| {
            // Between two axis-aligned faces, a cut along either is as good, and exact.
            let between = if is_oblique(s) || is_oblique(t) { s - t } else { Vec3::ZERO };
            [(s, FACE_CLEARANCE), (t, FACE_CLEARANCE), (between.normalize_or_zero(), 0.0)]
        });
        normals.filter(move |(normal, _)| is_oblique(*normal)).map(move |(normal, front)| {
            let offset = normal.dot(a).max(normal.dot(b)) + front;
            Plane { normal, offset }
        })
    }
}

/// All edges at which the surface turns inward, by rounded normals: a missed edge only reduces the
/// quality of the cuts.
pub(super) fn notches(mesh: &Mesh, vertices: &[Vec3]) -> Vec<Notch> {
    let mut found = Vec::new();
    let edges = mesh.edges();
    let corners = |t: u32| mesh.triangles()[t as usize].map_each(|v| vertices[v as usize]);
    for e in 0..edges.len() {
        let mut around = edges.triangles(e);
        let (Some(s), Some(t)) = (around.next(), around.next()) else { continue };
        let ends = edges.ends(e);
        let [a, b, c] = corners(s);
        let normal = (b - a).cross(c - a);
        let apex = mesh.triangles()[t as usize].into_iter().find(|v| !ends.contains(v));
        let Some(apex) = apex.map(|v| vertices[v as usize]) else { continue };
        // The rise over the plane must be clearly positive, compared with the size of its terms.
        let rise = normal.dot(apex - a);
        let several = around.next().is_some();
        if several || rise > 1e-6 * normal.length() * (apex - a).length() {
            let [d, e, f] = corners(t);
            let other = (e - d).cross(f - d).try_normalize();
            let normals = normal.try_normalize().zip(other).map(|(s, t)| [s, t]);
            let ends = ends.map_each(|v| vertices[v as usize]);
            found.push(Notch { ends, normals: normals.filter(|_| !several) });
        }
    }
    found
}

/// The best plane to cut the part at; `None` if it is too small to be cut.
pub(super) fn best_cut(part: &Part<'_>, notches: &[Notch], solid: &SolidIndex) -> Option<Cut> {
    let box_ = bounds(part.hull).intersection(&part.soup.bounds());
    let inside = |n: &Notch| n.ends.iter().any(|p| box_.contains(*p));
    let notches: Vec<Notch> = notches.iter().copied().filter(inside).collect();
    let mut near: Vec<Vec3> = Vec::new();
    for notch in &notches {
        near.extend_from_slice(&notch.ends);
    }
    near.retain(|p| box_.contains(*p));
    sort_numbers_by(&mut near, &|a, b| {
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
    });
    near.dedup();
    let voids = voids(part.hull, solid);
    let (volume, area) = volume_and_area(part.hull);
    let weight = |total: f64, w: f64| if total > 0.0 { w / total } else { 0.0 };
    let model = CostModel {
        notches: &notches,
        oblique_allowed: part.region.oblique_cuts_left() > 1,
        notch_ends: &near,
        void_weight: weight(voids.iter().map(|v| v.weight).sum(), 1.0),
        volume_weight: weight(volume, VOLUME_WEIGHT),
        area_weight: weight(area, AREA_WEIGHT),
    };
    let whole = Half {
        soup: part.soup.thinned(MAX_SAMPLES),
        hull_points: sample(part.hull.vertices()),
        voids,
    };
    let mut candidates = axis_candidates(&box_, &near, whole.deepest(), 3);
    if part.region.oblique_cuts_left() > 0 {
        candidates.extend(oblique_candidates(part.hull, &notches, whole.deepest(), 3));
    }
    let costs = workers::map(candidates.len(), &|k| {
        let cut = &candidates[k];
        let Plane { normal, offset } = cut.plane(Keep::Low);
        let (low, high, extra) = match *cut {
            Cut::AxisAligned { axis, at } => {
                let (low, high) = (box_.min[axis], box_.max[axis]);
                let short = 1.0 - (high - low) / box_.extent().max_element();
                let anywhere = !near.iter().any(|p| p[axis] == at);
                (
                    low,
                    high,
                    SHORT_AXIS_WEIGHT * short + if anywhere { OFF_NOTCH_WEIGHT } else { 0.0 },
                )
            }
            Cut::Oblique(_) => {
                let (low, high) = height_range(part.hull, normal);
                (low, high, 0.0)
            }
        };
        let middle = (offset - low) / (high - low) - 0.5;
        UNEVEN_CUT_WEIGHT * middle.abs()
            + extra
            + [Keep::Low, Keep::High]
                .map_each(|k| model.cost(&whole.cut(cut, k), 1))
                .iter()
                .sum::<f64>()
    });
    let best = (0..candidates.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
    Some(candidates[best])
}

/// A point of a hull that is outside the solid.
#[derive(Clone, Copy, Debug)]
struct Void {
    at: Vec3,
    /// Its distance from the solid, squared.
    weight: f64,
}

/// The points of a grid in the hull that are outside the solid.
fn voids(hull: &Hull, solid: &SolidIndex) -> Vec<Void> {
    let planes = planes(hull);
    let bounds = bounds(hull);
    let size = bounds.extent();
    // Cells are approximately cubes, also in plates and rods.
    let largest = size.max_element().max(f64::MIN_POSITIVE);
    let widths = size / largest;
    let mut cell = (widths.max(Vec3::splat(1e-3)).element_product() / VOID_GRID_POINTS).cbrt();
    let counts = |cell: f64| widths.to_array().map_each(|w| (w / cell).ceil().max(1.0));
    while counts(cell).iter().product::<f64>() > 2.0 * VOID_GRID_POINTS {
        cell *= 1.25;
    }
    let [nx, ny, nz] = counts(cell).map_each(|n| n as u32);
    let step = size / Vec3::new(f64::from(nx), f64::from(ny), f64::from(nz));
    let mut found = Vec::new();
    for i in 0..nx * ny * nz {
        let place = [i % nx, i / nx % ny, i / nx / ny].map_each(|k| f64::from(k) + 0.5);
        let at = bounds.min + step * Vec3::from(place);
        if is_in(&planes, at) && solid.locate(at) == Location::Outside {
            let distance = solid.distance(at).0;
            found.push(Void { at, weight: distance * distance });
        }
    }
    found
}

fn is_in(planes: &[Plane], p: Vec3) -> bool {
    planes.iter().all(|plane| plane.depth(p) >= 0.0)
}

/// The samples on one side of a cut.
struct Half {
    soup: Soup,
    hull_points: Vec<Vec3>,
    voids: Vec<Void>,
}

impl Half {
    fn cut(&self, cut: &Cut, keep: Keep) -> Self {
        // A vertex in the plane may belong to the other half only; otherwise the clipped polygons
        // contain it.
        let (plane, low) = (cut.plane(keep), cut.plane(Keep::Low));
        let kept = |p: &Vec3| plane.depth(*p) > 0.0;
        Self {
            soup: cut.of(&self.soup, keep),
            hull_points: self.hull_points.iter().copied().filter(kept).collect(),
            // A void in the plane belongs to the lower half.
            voids: (self.voids.iter().copied())
                .filter(|v| (low.depth(v.at) >= 0.0) == (keep == Keep::Low))
                .collect(),
        }
    }

    fn deepest(&self) -> Option<Vec3> {
        self.voids.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|v| v.at)
    }

    fn hull(&self) -> Option<Hull> {
        let mut points = self.soup.points().to_vec();
        points.extend(&self.hull_points);
        Hull::new(&points).ok()
    }
}

/// At most [`MAX_SAMPLES`] of the vertices, at regular intervals.
fn sample(vertices: &[Vec3]) -> Vec<Vec3> {
    vertices.iter().copied().step_by(vertices.len().div_ceil(MAX_SAMPLES).max(1)).collect()
}

/// The cost of cuts.
struct CostModel<'a> {
    notches: &'a [Notch],
    /// Whether the second cut may be oblique.
    oblique_allowed: bool,
    /// The ends of the notches.
    notch_ends: &'a [Vec3],
    void_weight: f64,
    volume_weight: f64,
    area_weight: f64,
}

impl CostModel<'_> {
    /// The cost of a half that may be cut `more` times.
    fn cost(&self, half: &Half, more: usize) -> f64 {
        let Some(hull) = half.hull() else { return 0.0 };
        let (volume, area) = volume_and_area(&hull);
        let planes = planes(&hull);
        let voids: Vec<Void> =
            half.voids.iter().copied().filter(|v| is_in(&planes, v.at)).collect();
        let left: f64 = voids.iter().map(|v| v.weight).sum();
        let cost = self.void_weight * left + self.volume_weight * volume + self.area_weight * area;
        if more == 0 || self.void_weight * left < 1e-3 {
            return cost;
        }
        let half = Half { soup: half.soup.clone(), hull_points: sample(hull.vertices()), voids };
        let mut cuts = axis_candidates(&bounds(&hull), self.notch_ends, half.deepest(), 1);
        if self.oblique_allowed {
            cuts.extend(oblique_candidates(&hull, self.notches, half.deepest(), 1));
        }
        let best = cuts.iter().map(|cut| {
            let sides =
                [Keep::Low, Keep::High].map_each(|k| self.cost(&half.cut(cut, k), more - 1));
            sides.iter().sum::<f64>()
        });
        let later = cost.min(best.fold(f64::INFINITY, f64::min));
        IMMEDIATE_WEIGHT * cost + (1.0 - IMMEDIATE_WEIGHT) * later
    }
}

/// Axis-aligned planes through the deepest void and through the ends of up to `max_notches` notches
/// on each side of it, and, if `max_notches` is more than one, at regular distances.
fn axis_candidates(
    box_: &Aabb,
    notches: &[Vec3],
    deepest: Option<Vec3>,
    max_notches: usize,
) -> Vec<Cut> {
    let mut all = Vec::new();
    let size = box_.extent();
    let largest = size.max_element();
    for axis in 0..3 {
        let (low, high) = (box_.min[axis], box_.max[axis]);
        let margin = (MIN_SIDE_SHARE * largest).max(1e-9);
        if size[axis] <= 3.0 * margin {
            continue;
        }
        let fits = |x: &f64| *x > low + margin && *x < high - margin;
        let middle = low + 0.5 * size[axis];
        let focus = deepest.map_or(middle, |p| p[axis]);
        let mut at: Vec<f64> = notches.iter().map(|p| p[axis]).filter(fits).collect();
        sort_numbers_by(&mut at, &f64::total_cmp);
        at.dedup();
        let before = at.partition_point(|x| *x < focus);
        let nearest = before.saturating_sub(max_notches)..(before + max_notches).min(at.len());
        let mut chosen: Vec<f64> = at[nearest].to_vec();
        // With enough notches on both sides the plane through the void is left out: the surface is
        // flat between notches, so their positions are at least as precise.
        if chosen.len() < 2 * max_notches {
            chosen.push(focus);
        }
        if max_notches > 1 {
            chosen.extend([0.25, 0.5, 0.75].map_each(|f| low + f * size[axis]));
            chosen.push(focus);
        }
        chosen.retain(fits);
        chosen.dedup();
        all.extend(chosen.into_iter().map(|at| Cut::AxisAligned { axis, at }));
    }
    all
}

/// The least and the largest height of a hull along a direction.
fn height_range(hull: &Hull, normal: Vec3) -> (f64, f64) {
    hull.vertices()
        .iter()
        .map(|v| normal.dot(*v))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
}

/// The planes at the `max_notches` notches nearest to the deepest void that cut the hull; if
/// notches are equally near, the first.
fn oblique_candidates(
    hull: &Hull,
    notches: &[Notch],
    deepest: Option<Vec3>,
    max_notches: usize,
) -> Vec<Cut> {
    let Some(deepest) = deepest else { return Vec::new() };
    let mut order: Vec<(f64, usize)> = (notches.iter().enumerate())
        .filter(|(_, n)| n.normals.is_some())
        .map(|(i, n)| (n.distance_squared(deepest), i))
        .collect();
    sort_by(&mut order, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut found: Vec<Plane> = Vec::new();
    // A notch has several edges where its faces are divided into triangles.
    for (_, i) in order.into_iter().take(4 * max_notches) {
        if found.len() >= 3 * max_notches {
            break;
        }
        for plane in notches[i].planes() {
            let (low, high) = height_range(hull, plane.normal);
            let margin = (MIN_SIDE_SHARE * (high - low)).max(1e-9);
            let cuts = plane.offset > low + margin && plane.offset < high - margin;
            let same = |p: &Plane| {
                (plane.normal - p.normal).length() < PLANE_TOLERANCE
                    && (plane.offset - p.offset).abs() < PLANE_TOLERANCE
            };
            if cuts && !found.iter().any(same) {
                found.push(plane);
            }
        }
    }
    found.into_iter().map(Cut::Oblique).collect()
}
