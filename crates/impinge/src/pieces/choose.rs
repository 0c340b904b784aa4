//! Where to cut.
//!
//! What is to be cut away are voids: points of the hull that are outside of the solid. A plane is
//! judged by the voids that its two hulls still hold, weighted with their squared distance from the
//! solid, and by the volume of the hulls. One cut is often not enough to get rid of a void (half a
//! ring still has half of the hole in its hull), so every candidate is judged by the best that a
//! second cut of each half can do; `CoACD` looks ahead in the same way, further and with random
//! choices. Candidates are planes across the axes through the deepest void, through the ends of the
//! notches next to it, and evenly spread ones; and, at the notches nearest to the deepest void, the
//! planes of the two faces and the one in the middle between them.

use rayon::prelude::*;

use super::excess::Part;
use super::index::SolidIndex;
use super::planes::{Plane, bounds, planes, volume_and_area};
use super::soup::{Keep, Soup};
use crate::convex::Hull;
use crate::exact::Location;
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;

/// Polygons that the search looks at.
const SAMPLE: usize = 200;
/// About so many points are tried to find voids.
const TRIES: f64 = 1_500.0;
/// The weight of volume against voids.
const VOLUME: f64 = 0.05;
/// The weight of area, which decides where volumes vanish.
const AREA: f64 = 0.01;
/// The weight of an uneven cut.
const UNEVEN: f64 = 0.01;
/// The weight of a cut across a short axis: where nothing can be gained at once, as in a ring,
/// slices would go on for ever.
const SHORT: f64 = 0.04;
/// The weight of a cut that is not at a notch.
const ANYWHERE: f64 = 0.01;
/// The weight of what a cut achieves at once, against what the next one can make of it.
const NOW: f64 = 0.4;
/// A cut must leave at least this share of the extent on both sides.
const MARGIN: f64 = 1e-6;

/// A cut along a face is made so far in front of it, for coordinates at most two in size: more than
/// rounding moves the corners of the face, so that all of it lies behind.
const FRONT: f64 = 1e-13;
/// Normals that differ less from an axis, or from another, are the same.
const SAME: f64 = 1e-9;

/// A plane to cut at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cut {
    /// Where one coordinate has a value.
    Across {
        /// The coordinate.
        axis: usize,
        /// The value.
        at: f64,
    },
    /// Any other.
    Along(Plane),
}

impl Cut {
    /// The side that is kept.
    pub(super) fn plane(&self, keep: Keep) -> Plane {
        let low = match *self {
            Self::Across { axis, at } => Plane { normal: Vec3::AXES[axis], offset: at },
            Self::Along(plane) => plane,
        };
        match keep {
            Keep::Low => low,
            Keep::High => low.flipped(),
        }
    }

    /// What of a surface is on a side.
    pub(super) fn of(&self, soup: &Soup, keep: Keep) -> Soup {
        match *self {
            Self::Across { axis, at } => soup.clipped(axis, at, keep),
            Self::Along(_) => soup.below(&self.plane(keep)),
        }
    }
}

/// An edge at which the surface turns inward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notch {
    ends: [Vec3; 2],
    /// The normals of the two faces, unless there are more.
    normals: Option<[Vec3; 2]>,
}

impl Notch {
    /// How far `p` is from the edge, squared.
    fn distance_squared(&self, p: Vec3) -> f64 {
        let [a, b] = self.ends;
        let way = b - a;
        let t = ((p - a).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        (a + way * if t.is_nan() { 0.0 } else { t }).distance_squared(p)
    }

    /// The planes of the faces and the one between them, but for those across axes.
    fn planes(&self) -> impl Iterator<Item = Plane> {
        let [a, b] = self.ends;
        let is_askew = |n: Vec3| n != Vec3::ZERO && n.abs().max_element() < 1.0 - SAME;
        let normals = self.normals.into_iter().flat_map(move |[s, t]| {
            // Between two faces across axes, a cut along either does as well, and is exact.
            let between = if is_askew(s) || is_askew(t) { s - t } else { Vec3::ZERO };
            [(s, FRONT), (t, FRONT), (between.normalize_or_zero(), 0.0)]
        });
        normals.filter(move |(normal, _)| is_askew(*normal)).map(move |(normal, front)| {
            let offset = normal.dot(a).max(normal.dot(b)) + front;
            Plane { normal, offset }
        })
    }
}

/// All edges at which the surface turns inward, judged by rounded normals: what is missed costs
/// quality only.
pub(super) fn notches(mesh: &Mesh, vertices: &[Vec3]) -> Vec<Notch> {
    let mut found = Vec::new();
    let edges = mesh.edges();
    let corners = |t: u32| mesh.triangles()[t as usize].map(|v| vertices[v as usize]);
    for e in 0..edges.len() {
        let mut around = edges.triangles(e);
        let (Some(s), Some(t)) = (around.next(), around.next()) else { continue };
        let ends = edges.ends(e);
        let [a, b, c] = corners(s);
        let normal = (b - a).cross(c - a);
        let apex = mesh.triangles()[t as usize].into_iter().find(|v| !ends.contains(v));
        let Some(apex) = apex.map(|v| vertices[v as usize]) else { continue };
        // Inward, and clearly: the rise over the plane, against the size of what it was computed
        // from.
        let rise = normal.dot(apex - a);
        let several = around.next().is_some();
        if several || rise > 1e-6 * normal.length() * (apex - a).length() {
            let [d, e, f] = corners(t);
            let other = (e - d).cross(f - d).try_normalize();
            let normals = normal.try_normalize().zip(other).map(|(s, t)| [s, t]);
            let ends = ends.map(|v| vertices[v as usize]);
            found.push(Notch { ends, normals: normals.filter(|_| !several) });
        }
    }
    found
}

/// The best plane to cut the part at; `None` if it is too small to be cut.
pub(super) fn choose(part: &Part<'_>, notches: &[Notch], solid: &SolidIndex) -> Option<Cut> {
    let box_ = bounds(part.hull).intersection(&part.soup.bounds());
    let inside = |n: &Notch| n.ends.iter().any(|p| box_.contains(*p));
    let notches: Vec<Notch> = notches.iter().copied().filter(inside).collect();
    let mut near: Vec<Vec3> = notches.iter().flat_map(|n| n.ends).collect();
    near.retain(|p| box_.contains(*p));
    near.sort_unstable_by(|a, b| {
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
    });
    near.dedup();
    let voids = voids(part.hull, solid);
    let (volume, area) = volume_and_area(part.hull);
    let weight = |total: f64, w: f64| if total > 0.0 { w / total } else { 0.0 };
    let plan = Plan {
        notches: &notches,
        askew: part.region.room() > 1,
        ends: &near,
        void: weight(voids.iter().map(|v| v.weight).sum(), 1.0),
        volume: weight(volume, VOLUME),
        area: weight(area, AREA),
    };
    let whole = Half { soup: part.soup.thinned(SAMPLE), extra: few(part.hull.vertices()), voids };
    let mut candidates = candidates(&box_, &near, whole.deepest(), 3);
    if part.region.room() > 0 {
        candidates.extend(along(part.hull, &notches, whole.deepest(), 3));
    }
    let costs: Vec<f64> = candidates
        .par_iter()
        .map(|cut| {
            let Plane { normal, offset } = cut.plane(Keep::Low);
            let (low, high, extra) = match *cut {
                Cut::Across { axis, at } => {
                    let (low, high) = (box_.min[axis], box_.max[axis]);
                    let short = 1.0 - (high - low) / box_.extent().max_element();
                    let anywhere = !near.iter().any(|p| p[axis] == at);
                    (low, high, SHORT * short + if anywhere { ANYWHERE } else { 0.0 })
                }
                Cut::Along(_) => {
                    let (low, high) = range(part.hull, normal);
                    (low, high, 0.0)
                }
            };
            let middle = (offset - low) / (high - low) - 0.5;
            UNEVEN * middle.abs()
                + extra
                + [Keep::Low, Keep::High]
                    .map(|k| plan.cost(&whole.cut(cut, k), 1))
                    .iter()
                    .sum::<f64>()
        })
        .collect();
    let best = (0..candidates.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
    Some(candidates[best])
}

/// A point of a hull that is outside of the solid.
#[derive(Clone, Copy, Debug)]
struct Void {
    at: Vec3,
    /// Its distance from the solid, squared.
    weight: f64,
}

/// Points on a grid.
fn voids(hull: &Hull, solid: &SolidIndex) -> Vec<Void> {
    let planes = planes(hull);
    let bounds = bounds(hull);
    let size = bounds.extent();
    // Cells about as long as wide, also in plates and rods.
    let largest = size.max_element().max(f64::MIN_POSITIVE);
    let widths = size / largest;
    let mut cell = (widths.max(Vec3::splat(1e-3)).element_product() / TRIES).cbrt();
    let counts = |cell: f64| widths.to_array().map(|w| (w / cell).ceil().max(1.0));
    while counts(cell).iter().product::<f64>() > 2.0 * TRIES {
        cell *= 1.25;
    }
    let [nx, ny, nz] = counts(cell).map(|n| n as u32);
    let step = size / Vec3::new(f64::from(nx), f64::from(ny), f64::from(nz));
    let mut found = Vec::new();
    for i in 0..nx * ny * nz {
        let place = [i % nx, i / nx % ny, i / nx / ny].map(|k| f64::from(k) + 0.5);
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

/// What is known of one side of a cut.
struct Half {
    soup: Soup,
    extra: Vec<Vec3>,
    voids: Vec<Void>,
}

impl Half {
    fn cut(&self, cut: &Cut, keep: Keep) -> Self {
        // What is in the plane may belong to the other half only; if not, some of the polygons have
        // it.
        let (plane, low) = (cut.plane(keep), cut.plane(Keep::Low));
        let kept = |p: &Vec3| plane.depth(*p) > 0.0;
        Self {
            soup: cut.of(&self.soup, keep),
            extra: self.extra.iter().copied().filter(kept).collect(),
            // A void in the plane is one of the lower half.
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
        points.extend(&self.extra);
        Hull::new(&points).ok()
    }
}

/// Some of the vertices, evenly taken.
fn few(vertices: &[Vec3]) -> Vec<Vec3> {
    vertices.iter().copied().step_by(vertices.len().div_ceil(SAMPLE).max(1)).collect()
}

/// How cuts are judged.
struct Plan<'a> {
    notches: &'a [Notch],
    /// Whether the second cut may be askew.
    askew: bool,
    /// Where the notches end.
    ends: &'a [Vec3],
    void: f64,
    volume: f64,
    area: f64,
}

impl Plan<'_> {
    /// What a half costs if it may be cut `more` times.
    fn cost(&self, half: &Half, more: usize) -> f64 {
        let Some(hull) = half.hull() else { return 0.0 };
        let (volume, area) = volume_and_area(&hull);
        let planes = planes(&hull);
        let voids: Vec<Void> =
            half.voids.iter().copied().filter(|v| is_in(&planes, v.at)).collect();
        let left: f64 = voids.iter().map(|v| v.weight).sum();
        let cost = self.void * left + self.volume * volume + self.area * area;
        if more == 0 || self.void * left < 1e-3 {
            return cost;
        }
        let half = Half { soup: half.soup.clone(), extra: few(hull.vertices()), voids };
        let mut cuts = candidates(&bounds(&hull), self.ends, half.deepest(), 1);
        if self.askew {
            cuts.extend(along(&hull, self.notches, half.deepest(), 1));
        }
        let best = cuts.iter().map(|cut| {
            let sides = [Keep::Low, Keep::High].map(|k| self.cost(&half.cut(cut, k), more - 1));
            sides.iter().sum::<f64>()
        });
        let later = cost.min(best.fold(f64::INFINITY, f64::min));
        NOW * cost + (1.0 - NOW) * later
    }
}

/// Planes through the deepest void, through up to `many` notches on each side of it, and, if there
/// is room for many, evenly spread ones.
fn candidates(box_: &Aabb, notches: &[Vec3], deepest: Option<Vec3>, many: usize) -> Vec<Cut> {
    let mut all = Vec::new();
    let size = box_.extent();
    let largest = size.max_element();
    for axis in 0..3 {
        let (low, high) = (box_.min[axis], box_.max[axis]);
        let margin = (MARGIN * largest).max(1e-9);
        if size[axis] <= 3.0 * margin {
            continue;
        }
        let fits = |x: &f64| *x > low + margin && *x < high - margin;
        let middle = low + 0.5 * size[axis];
        let focus = deepest.map_or(middle, |p| p[axis]);
        let mut at: Vec<f64> = notches.iter().map(|p| p[axis]).filter(fits).collect();
        at.sort_unstable_by(f64::total_cmp);
        at.dedup();
        let before = at.partition_point(|x| *x < focus);
        let few = before.saturating_sub(many)..(before + many).min(at.len());
        let mut chosen: Vec<f64> = at[few].to_vec();
        // Where all is flat between notches, the void says nothing more precise than they do.
        if chosen.len() < 2 * many {
            chosen.push(focus);
        }
        if many > 1 {
            chosen.extend([0.25, 0.5, 0.75].map(|f| low + f * size[axis]));
            chosen.push(focus);
        }
        chosen.retain(fits);
        chosen.dedup();
        all.extend(chosen.into_iter().map(|at| Cut::Across { axis, at }));
    }
    all
}

/// The least and the largest height of a hull along a direction.
fn range(hull: &Hull, normal: Vec3) -> (f64, f64) {
    hull.vertices()
        .iter()
        .map(|v| normal.dot(*v))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
}

/// The planes at the `many` notches nearest to the deepest void that cut the hull; of several that
/// are the same, the first.
fn along(hull: &Hull, notches: &[Notch], deepest: Option<Vec3>, many: usize) -> Vec<Cut> {
    let Some(deepest) = deepest else { return Vec::new() };
    let mut order: Vec<(f64, usize)> = (notches.iter().enumerate())
        .filter(|(_, n)| n.normals.is_some())
        .map(|(i, n)| (n.distance_squared(deepest), i))
        .collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut found: Vec<Plane> = Vec::new();
    // Edges of one notch are many where its faces are cut into triangles.
    for (_, i) in order.into_iter().take(4 * many) {
        if found.len() >= 3 * many {
            break;
        }
        for plane in notches[i].planes() {
            let (low, high) = range(hull, plane.normal);
            let margin = (MARGIN * (high - low)).max(1e-9);
            let cuts = plane.offset > low + margin && plane.offset < high - margin;
            let same = |p: &Plane| {
                let turned = plane.normal - p.normal;
                turned.length() < SAME && (plane.offset - p.offset).abs() < SAME
            };
            if cuts && !found.iter().any(same) {
                found.push(plane);
            }
        }
    }
    found.into_iter().map(Cut::Along).collect()
}
