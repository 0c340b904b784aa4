//! A convex body and one triangle of a mesh.

use super::answer::{Meeting, Verdict, from_interval};
use super::cache::ShapeCache;
use super::convexes::{hint, less_margins, of_cores, of_decision, point_between};
use super::curved;
use super::form::Placed;
use super::margins::Margins;
use crate::answer::{Bounds, Distance};
use crate::convex::decide::compare_distance;
use crate::convex::{self, Hull, TriangleHull};
use crate::exact::Sign;
use crate::math::{Pose, Vec3};

/// Compares a convex body with triangles, one after the other. The body is A of every answer, the
/// triangle B.
pub(super) struct Tester<'a> {
    body: &'a Placed<'a>,
    margins: Margins,
    triangle: TriangleHull,
    /// The points of the core in the frame of the query, once they were needed.
    points: Option<Vec<Vec3>>,
    cache: &'a mut ShapeCache,
}

impl<'a> Tester<'a> {
    pub(super) fn new(body: &'a Placed<'a>, cache: &'a mut ShapeCache) -> Self {
        let margins = Margins::new(body.body.margin, 0.0);
        Self { body, margins, triangle: TriangleHull::default(), points: None, cache }
    }

    /// How far the body reaches beyond its core.
    pub(super) fn margin(&self) -> f64 {
        self.body.body.margin
    }

    /// Remembers a triangle for the next query.
    pub(super) fn keep(&mut self, triangle: u32) {
        self.cache.triangle = Some(triangle);
    }

    /// Whether the body meets the triangle of these corners, in the frame of the query.
    pub(super) fn meets(&mut self, corners: [Vec3; 3]) -> Verdict {
        let Some(hull) = self.body.body.hull() else { return self.curved(corners) };
        if !self.margins.are_zero() {
            let cores = self.cores(hull, corners);
            let margins = self.margins;
            return of_cores(&cores, &margins, || self.compare(corners, &cores));
        }
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.hulls);
        let pose = self.body.pose;
        // The first body of a query is where it is.
        let decision = if self.body.is_a {
            convex::intersects_cached(hull, triangle, &Pose::IDENTITY, cache)
        } else {
            convex::intersects_cached(triangle, hull, pose, cache).swapped()
        };
        of_decision(decision, |common| {
            let pairs = common.pairs.as_slice();
            let of_a =
                pairs.iter().map(|[i, _]| pose.transform_point(hull.vertices()[*i as usize]));
            let of_b = pairs.iter().map(|[_, j]| corners[*j as usize]);
            point_between(&of_a.collect::<Vec<_>>(), &of_b.collect::<Vec<_>>())
        })
    }

    /// How far the body is from the triangle of these corners.
    pub(super) fn distance(&mut self, corners: [Vec3; 3]) -> Distance {
        let Some(hull) = self.body.body.hull() else {
            let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.bodies);
            let body = &self.body.body;
            return if self.body.is_a {
                curved::distance(body, triangle, &Pose::IDENTITY, cache)
            } else {
                super::answer::Flip::flip(curved::distance(triangle, body, self.body.pose, cache))
            };
        };
        let cores = self.cores(hull, corners);
        let margins = self.margins;
        less_margins(&cores, &margins, || self.compare(corners, &cores))
    }

    /// The distance of the core.
    fn cores(&mut self, hull: &Hull, corners: [Vec3; 3]) -> Distance {
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.hulls);
        if self.body.is_a {
            convex::distance_cached(hull, triangle, &Pose::IDENTITY, cache)
        } else {
            let found = convex::distance_cached(triangle, hull, self.body.pose, cache);
            found.swapped()
        }
    }

    /// The sign of the core's distance minus the margin.
    fn compare(&mut self, corners: [Vec3; 3], cores: &Distance) -> Sign {
        let points = self.points.get_or_insert_with(|| self.body.points().unwrap_or_default());
        compare_distance(points, &corners, self.margins.a, 0.0, &hint(cores))
    }

    fn curved(&mut self, corners: [Vec3; 3]) -> Verdict {
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.bodies);
        let body = &self.body.body;
        let (bounds, direction, point) = if self.body.is_a {
            let found = curved::depth(body, triangle, &Pose::IDENTITY, cache);
            (curved::bounds(&found), found.direction, (found.point_a + found.point_b) * 0.5)
        } else {
            let found = curved::depth(triangle, body, self.body.pose, cache);
            (curved::bounds(&found), -found.direction, (found.point_a + found.point_b) * 0.5)
        };
        from_interval(bounds, direction, point)
    }
}

/// What is known after several triangles: a meeting if one is met, else undecided if one is, else
/// separated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    pub(super) met: Option<Meeting>,
    pub(super) open: Option<Bounds>,
    pub(super) lower: f64,
}

impl Tally {
    pub(super) const NONE: Self = Self { met: None, open: None, lower: f64::INFINITY };

    pub(super) fn add(&mut self, triangle: u32, verdict: Verdict) {
        match verdict {
            Verdict::Separated(clear) => self.lower = self.lower.min(clear.lower),
            Verdict::Intersecting(meeting) => {
                self.met = Some(Meeting { feature_b: Some(triangle), ..meeting });
            }
            Verdict::Undecided(more) => {
                // The distance of the whole is the least; its depth is not known.
                self.open = Some(self.open.map_or(more, |known| Bounds {
                    lower: known.lower.min(more.lower),
                    upper: known.upper.min(more.upper),
                    open_depth: known.open_depth.max(more.open_depth),
                    open: known.open + more.open,
                }));
            }
        }
    }
}
