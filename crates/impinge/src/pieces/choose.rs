//! Where to cut.
//!
//! What is to be cut away are voids: points of the hull that are outside of the solid. A plane is judged by the voids that its two hulls still hold, weighted with
//! their squared distance from the solid, and by the volume of the hulls. One cut is often not enough to get rid of a void (half a ring still
//! has half of the hole in its hull), so every candidate is judged by the best that a second cut of each half can do; `CoACD` looks ahead in the same
//! way, further and with random choices. Candidates are planes through the deepest void, through the ends of the notches next to it, and evenly spread ones.

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
/// The weight of a cut across a short axis: where nothing can be gained at once, as in a ring, slices would go on for ever.
const SHORT: f64 = 0.04;
/// The weight of a cut that is not at a notch.
const ANYWHERE: f64 = 0.01;
/// The weight of what a cut achieves at once, against what the next one can make of it.
const NOW: f64 = 0.4;
/// A cut must leave at least this share of the extent on both sides.
const MARGIN: f64 = 1e-6;

/// An axis-parallel plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) at: f64,
}

/// The ends of all edges at which the surface turns inward, judged by rounded normals: what is missed costs quality only.
pub(super) fn notches(mesh: &Mesh, vertices: &[Vec3]) -> Vec<Vec3> {
    let mut marked = vec![false; vertices.len()];
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
        // Inward, and clearly: the rise over the plane, against the size of what it was computed from.
        let rise = normal.dot(apex - a);
        if around.next().is_some() || rise > 1e-6 * normal.length() * (apex - a).length() {
            ends.into_iter().for_each(|v| marked[v as usize] = true);
        }
    }
    marked.iter().zip(vertices).filter(|(m, _)| **m).map(|(_, v)| *v).collect()
}

/// The best plane to cut the part at; `None` if it is too small to be cut.
pub(super) fn choose(part: &Part<'_>, notches: &[Vec3], solid: &SolidIndex) -> Option<Cut> {
    let box_ = bounds(part.hull).intersection(&part.soup.bounds());
    let near: Vec<Vec3> = notches.iter().copied().filter(|p| box_.contains(*p)).collect();
    let voids = voids(part.hull, solid);
    let (volume, area) = volume_and_area(part.hull);
    let weight = |total: f64, w: f64| if total > 0.0 { w / total } else { 0.0 };
    let plan = Plan {
        notches: &near,
        void: weight(voids.iter().map(|v| v.weight).sum(), 1.0),
        volume: weight(volume, VOLUME),
        area: weight(area, AREA),
    };
    let whole = Half { soup: part.soup.thinned(SAMPLE), extra: few(part.hull.vertices()), voids };
    let candidates = candidates(&box_, &near, whole.deepest(), 3);
    let costs: Vec<f64> = candidates
        .par_iter()
        .map(|cut| {
            let middle = (cut.at - box_.min[cut.axis]) / box_.extent()[cut.axis] - 0.5;
            let short = 1.0 - box_.extent()[cut.axis] / box_.extent().max_element();
            let anywhere = !near.iter().any(|p| p[cut.axis] == cut.at);
            UNEVEN * middle.abs()
                + SHORT * short
                + if anywhere { ANYWHERE } else { 0.0 }
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
        // What is in the plane may belong to the other half only; if not, some of the polygons have it.
        let kept = |p: &Vec3| match keep {
            Keep::Low => p[cut.axis] < cut.at,
            Keep::High => p[cut.axis] > cut.at,
        };
        Self {
            soup: self.soup.clipped(cut.axis, cut.at, keep),
            extra: self.extra.iter().copied().filter(kept).collect(),
            // A void in the plane is one of the lower half.
            voids: (self.voids.iter().copied())
                .filter(|v| (v.at[cut.axis] <= cut.at) == (keep == Keep::Low))
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
    notches: &'a [Vec3],
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
        let cuts = candidates(&bounds(&hull), self.notches, half.deepest(), 1);
        let best = cuts.iter().map(|cut| {
            let sides = [Keep::Low, Keep::High].map(|k| self.cost(&half.cut(cut, k), more - 1));
            sides.iter().sum::<f64>()
        });
        let later = cost.min(best.fold(f64::INFINITY, f64::min));
        NOW * cost + (1.0 - NOW) * later
    }
}

/// Planes through the deepest void, through up to `many` notches on each side of it, and, if there is room for many, evenly spread ones.
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
        all.extend(chosen.into_iter().map(|at| Cut { axis, at }));
    }
    all
}
