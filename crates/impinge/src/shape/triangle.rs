//! A convex body and one triangle of a mesh.

use super::answer::{ShapeHit, Verdict, from_interval};
use super::cache::ShapeCache;
use super::convexes::{
    distance_with_margins, hint, point_between, verdict_of_cores, verdict_of_decision,
};
use super::curved;
use super::form::Placed;
use super::margins::Margins;
use crate::answer::{Bounds, Distance};
use crate::convex::decide::compare_distance;
use crate::convex::{self, Hull, TriangleHull};
use crate::exact::Sign;
use crate::math::{Pose, Vec3};

/// Tests a convex body against triangles, one after the other. The body is A of every answer, the
/// triangle B.
pub(super) struct Tester<'a> {
    body: &'a Placed<'a>,
    margins: Margins,
    triangle: TriangleHull,
    /// The points of the core in the frame of the query, computed on first use.
    points: Option<Vec<Vec3>>,
    cache: &'a mut ShapeCache,
}

impl<'a> Tester<'a> {
    pub(super) fn new(body: &'a Placed<'a>, cache: &'a mut ShapeCache) -> Self {
        let margins = Margins::new(body.body.margin, 0.0);
        Self { body, margins, triangle: TriangleHull::default(), points: None, cache }
    }

    /// The margin of the body.
    pub(super) fn margin(&self) -> f64 {
        self.body.body.margin
    }

    /// Stores a triangle in the cache as the start of the next query.
    pub(super) fn cache_triangle(&mut self, triangle: u32) {
        self.cache.triangle = Some(triangle);
    }

    /// Whether the body meets the triangle with these corners, given in the frame of the query.
    pub(super) fn meets(&mut self, corners: [Vec3; 3]) -> Verdict {
        let Some(hull) = self.body.body.hull() else { return self.meets_curved(corners) };
        if !self.margins.are_zero() {
            let cores = self.core_distance(hull, corners);
            let margins = self.margins;
            return verdict_of_cores(&cores, &margins, || {
                self.compare_with_margin(corners, &cores)
            });
        }
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.hulls);
        let pose = self.body.pose;
        // Shape A of a query is at the identity.
        let decision = if self.body.is_a {
            convex::intersects_cached(hull, triangle, &Pose::IDENTITY, cache)
        } else {
            convex::intersects_cached(triangle, hull, pose, cache).swapped()
        };
        verdict_of_decision(decision, |common| {
            let pairs = common.pairs.as_slice();
            let of_a =
                pairs.iter().map(|[i, _]| pose.transform_point(hull.vertices()[*i as usize]));
            let of_b = pairs.iter().map(|[_, j]| corners[*j as usize]);
            point_between(&of_a.collect::<Vec<_>>(), &of_b.collect::<Vec<_>>())
        })
    }

    /// The distance of the body from the triangle with these corners.
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
        let cores = self.core_distance(hull, corners);
        let margins = self.margins;
        distance_with_margins(&cores, &margins, || self.compare_with_margin(corners, &cores))
    }

    /// The distance of the core.
    fn core_distance(&mut self, hull: &Hull, corners: [Vec3; 3]) -> Distance {
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.hulls);
        if self.body.is_a {
            convex::distance_cached(hull, triangle, &Pose::IDENTITY, cache)
        } else {
            let found = convex::distance_cached(triangle, hull, self.body.pose, cache);
            found.swapped()
        }
    }

    /// The sign of the core's distance minus the margin.
    fn compare_with_margin(&mut self, corners: [Vec3; 3], cores: &Distance) -> Sign {
        let points = self.points.get_or_insert_with(|| self.body.points().unwrap_or_default());
        compare_distance(points, &corners, self.margins.a, 0.0, &hint(cores))
    }

    fn meets_curved(&mut self, corners: [Vec3; 3]) -> Verdict {
        let (triangle, cache) = (self.triangle.set(corners), &mut self.cache.bodies);
        let body = &self.body.body;
        let (bounds, direction, point) = if self.body.is_a {
            let found = curved::signed_distance(body, triangle, &Pose::IDENTITY, cache);
            (curved::bounds(&found), found.direction, (found.point_a + found.point_b) * 0.5)
        } else {
            let found = curved::signed_distance(triangle, body, self.body.pose, cache);
            (curved::bounds(&found), -found.direction, (found.point_a + found.point_b) * 0.5)
        };
        from_interval(bounds, direction, point)
    }
}

/// The combined verdict of several triangles: a meeting if one is met, otherwise undecided if one
/// is, otherwise separated.
#[derive(Clone, Copy, Debug)]
pub(super) struct CombinedVerdict {
    pub(super) met: Option<ShapeHit>,
    pub(super) open: Option<Bounds>,
    pub(super) lower: f64,
}

impl CombinedVerdict {
    pub(super) const NONE: Self = Self { met: None, open: None, lower: f64::INFINITY };

    pub(super) fn add(&mut self, triangle: u32, verdict: Verdict) {
        match verdict {
            Verdict::Separated(clear) => self.lower = self.lower.min(clear.lower),
            Verdict::Intersecting(meeting) => {
                self.met = Some(ShapeHit { triangle_b: Some(triangle), ..meeting });
            }
            Verdict::Undecided(more) => {
                // The distance of the mesh is the smallest of the triangles; its depth is not
                // known.
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
