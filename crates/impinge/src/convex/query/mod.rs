//! Two hulls: do they meet, how far apart are they, how deep do they overlap.
mod cells;
mod expand;
mod furthest;
mod gjk;
mod guess;
mod rough;
mod vector;
mod simplex;

pub(crate) use furthest::Furthest;
use crate::convex::Hull;
use crate::math::{Pose, Vec3};
use crate::wide::dispatch::{self, Task};
use crate::wide::Wide;
use gjk::{End, Query};
use simplex::Simplex;
use rough::{Rough, RoughEnd};

pub struct Ready<'a> { hull: &'a Hull, furthest: Furthest }
impl<'a> Ready<'a> { pub fn new(hull: &'a Hull, whole: usize) -> Self { Self { hull, furthest: Furthest::new(hull, whole) } } pub fn bytes(&self) -> usize { self.furthest.heap_bytes() } }

thread_local! { static SURFACE: std::cell::Cell<Option<Box<expand::Surface>>> = std::cell::Cell::default(); }
struct Ask<'a, const MEASURE: bool, const GUESS: bool> { a: &'a Ready<'a>, b: &'a Ready<'a>, pose: &'a Pose }
impl<const MEASURE: bool, const GUESS: bool> Task for Ask<'_, MEASURE, GUESS> {
    type Output = (f64, u32);
    #[inline(always)]
    fn run<W: Wide>(self) -> (f64, u32) {
        let q = Query::new((&self.a.furthest, self.a.hull.vertices()), (&self.b.furthest, self.b.hull.vertices()), self.pose);
        if !MEASURE {
        let apart = q.between.length();
        if apart > (q.a.radius + q.b.radius) + q.tiny { return (1.0, 0); }
        }
        let start = if GUESS && !MEASURE { q.guess() } else { q.between };
        let rough = Rough::new(&q);
        let mut near = Simplex::EMPTY;
        let d = -(start * q.unit).as_vec3a();
        let corner = rough.against::<W>(d);
        let along = d.dot(corner.w);
        let end = if !MEASURE && along > 0.0 && along * along > rough.slack * rough.slack * d.length_squared() {
            rough.separated(d, along)
        } else {
            near.push(corner);
            let nearest = near.reduce();
            rough.search::<W, MEASURE>(&mut near, nearest)
        };
        if let RoughEnd::Separated { gap, .. } = end { return (gap, q.steps.get()); }
        let mut s = Simplex::EMPTY;
        for c in near.corners() { s.push(q.corner(c.a, c.b)); }
        if let RoughEnd::Inside = end { if gjk::is_certain(&s) { if !(MEASURE && GUESS) { return (0.0, q.steps.get()); } let mut surface = SURFACE.take().unwrap_or_default(); let d = surface.expand::<W>(&q, &rough, &near); SURFACE.set(Some(surface)); let Some(d) = d else { return (f64::NAN, 0) }; return (if d.upper - d.lower > 1e-9 { f64::NAN } else { -d.upper }, d.steps) } }
        let kept = s.corners().len();
        let before = s;
        let mut nearest = s.reduce();
        if s.corners().len() != kept { s = before; nearest = s.reduce_any(); }
        let end = q.search::<W, MEASURE>(&mut s, nearest);
        let r = match end {
            End::Separated { gap, .. } => gap,
            End::Inside => 0.0,
            End::Closest { v, lower: _ } => v.length(),
            End::Unclear => f64::NAN,
        };
        (r, q.steps.get())
    }
}
pub fn ask(a: &Ready, b: &Ready, pose: &Pose, measure: bool, guess: bool) -> (f64, u32) {
    match (measure, guess) {
        (false, false) => dispatch::run(Ask::<false, false> { a, b, pose }),
        (false, true) => dispatch::run(Ask::<false, true> { a, b, pose }),
        (true, false) => dispatch::run(Ask::<true, false> { a, b, pose }),
        (true, true) => dispatch::run(Ask::<true, true> { a, b, pose }),
    }
}
