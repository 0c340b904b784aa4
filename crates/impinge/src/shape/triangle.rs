//! A convex body and one triangle of a mesh.

use super::answer::{Flip, ShapeHit, Verdict};
use super::cache::ShapeCache;
use super::convexes::{self, BodiesRest};
use super::form::{Convex, Core, Placed};
use super::probe::Probe;
use crate::answer::{Bounds, Distance};
use crate::convex::{Hull, Kernels, TriangleHull};
use crate::math::{Pose, Vec3};

/// Tests a convex body against triangles, one after the other. The body is A of every answer, the
/// triangle B.
pub(super) struct Tester<'a> {
    body: &'a Placed<'a>,
    /// From the cache, to which it returns.
    triangle: TriangleHull,
    cache: &'a mut ShapeCache,
}

/// Evaluates a query of two bodies with the body and a triangle in the order of the shapes: shape A
/// of a query is at the identity.
macro_rules! in_order {
    ($body:expr, $triangle:expr, ($a:ident, $b:ident, $pose:ident) => $query:expr) => {{
        let triangle = &Convex { core: Core::Hull($triangle), margin: 0.0 };
        if $body.is_a {
            let ($a, $b, $pose) = (&$body.body, triangle, &Pose::IDENTITY);
            $query
        } else {
            let ($a, $b, $pose) = (triangle, &$body.body, $body.pose);
            $query.flip()
        }
    }};
}

impl<'a> Tester<'a> {
    pub(super) fn new(body: &'a Placed<'a>, cache: &'a mut ShapeCache) -> Self {
        Self { body, triangle: cache.tested.take().unwrap_or_default(), cache }
    }

    /// Returns the buffers of the search to the cache.
    pub(super) fn finish(self, probe: Probe<'_>) {
        self.cache.tested = Some(self.triangle);
        self.cache.probe = probe.into_memory();
    }

    /// The margin of the body.
    pub(super) fn margin(&self) -> f64 {
        self.body.body.margin
    }

    /// Stores a triangle in the cache as the start of the next query.
    pub(super) fn cache_triangle(&mut self, triangle: u32) {
        self.cache.triangle = Some(triangle);
    }

    /// The hull of the triangle tested last.
    pub(super) fn last_triangle(&self) -> Hull {
        self.triangle.hull().shared()
    }

    /// Whether the body meets the triangle with these corners, given in the frame of the query.
    pub(super) fn meets(&mut self, corners: [Vec3; 3]) -> Verdict {
        let (body, triangle, cache) = (self.body, self.triangle.set(corners), &mut *self.cache);
        in_order!(body, triangle, (a, b, pose) => convexes::intersects(a, b, pose, cache))
    }

    /// The first piece of [`meets`](Self::meets).
    pub(super) fn start_meets(
        &mut self,
        corners: [Vec3; 3],
        kernels: Kernels,
    ) -> Result<Verdict, BodiesRest> {
        let (body, triangle, cache) = (self.body, self.triangle.set(corners), &mut *self.cache);
        in_order!(body, triangle, (a, b, pose) => {
            convexes::start_intersects(a, b, pose, cache, kernels)
        })
    }

    /// The distance of the body from the triangle with these corners.
    pub(super) fn distance(&mut self, corners: [Vec3; 3]) -> Distance {
        let (body, triangle, cache) = (self.body, self.triangle.set(corners), &mut *self.cache);
        in_order!(body, triangle, (a, b, pose) => convexes::distance(a, b, pose, cache))
    }

    /// The first piece of [`distance`](Self::distance).
    pub(super) fn start_distance(
        &mut self,
        corners: [Vec3; 3],
        kernels: Kernels,
    ) -> Result<Distance, BodiesRest> {
        let (body, triangle, cache) = (self.body, self.triangle.set(corners), &mut *self.cache);
        in_order!(body, triangle, (a, b, pose) => {
            convexes::start_distance(a, b, pose, cache, kernels)
        })
    }
}

/// The rest of [`Tester::meets`].
pub(super) async fn finish_meets(body: &Placed<'_>, triangle: &Hull, rest: BodiesRest) -> Verdict {
    let mut memory = Default::default();
    in_order!(body, triangle, (a, b, pose) => {
        convexes::finish_intersects(a, b, pose, rest, &mut memory).await
    })
}

/// The rest of [`Tester::distance`].
pub(super) async fn finish_distance(
    body: &Placed<'_>,
    triangle: &Hull,
    rest: BodiesRest,
) -> Distance {
    let mut memory = Default::default();
    in_order!(body, triangle, (a, b, pose) => {
        convexes::finish_distance(a, b, pose, rest, &mut memory).await
    })
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
