//! The room of a level: how large balls may be whose reach is at most `h`.
//!
//! A ball reaches at most `h` beyond the surface if it has no point of the surface at distance `h`
//! in its inside. That surface is represented by points, so radii are slightly too large; the
//! reach of the finished balls is bounded by other means.

use super::super::surface::Surface;
use super::samples::Samples;
use super::spike_tree::SpikeTree;
use crate::math::Vec3;

/// Shrinking ends when the ball loses less than this share of its radius.
const SHRUNK: f64 = 1e-3;

/// The largest number of steps of shrinking.
const MAX_STEPS: usize = 40;

/// The points at distance `h`.
#[derive(Debug)]
pub(super) struct Room<'a> {
    pub(super) h: f64,
    samples: &'a Samples,
    tree: SpikeTree,
    /// Measures centres exactly, if given.
    surface: Option<&'a Surface>,
}

/// The radius from the surface itself is taken if the points allow at most this much more, in `h`:
/// the difference is then due to their distances. Where it is more, the ball fills a gap of the
/// solid.
const MAX_EXCESS: f64 = 0.25;

/// How large a ball around a centre may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) radius: f64,
    /// The point that limits the radius; the centre if none does.
    pub(super) limit: Vec3,
    /// Where the search for the limit of a near centre starts.
    pub(super) guess: u32,
}

impl<'a> Room<'a> {
    pub(super) fn new(samples: &'a Samples, h: f64) -> Self {
        Self { h, samples, tree: SpikeTree::new(samples.at(h)), surface: None }
    }

    /// With radii that do not depend on how dense the points are, except in gaps of the solid.
    pub(super) fn exactly(self, surface: &'a Surface) -> Self {
        Self { surface: Some(surface), ..self }
    }

    /// The largest ball at a centre; any radius below if it is at most `enough`.
    pub(super) fn free(&self, c: Vec3, guess: u32, enough: f64) -> Free {
        let (guess, square) = self.tree.nearest(c, guess, enough * enough);
        let limit = if square < f64::INFINITY { self.tree.point(guess) } else { None };
        let radius = square.sqrt();
        let free = Free { radius, limit: limit.unwrap_or(c), guess };
        self.surface.and_then(|surface| self.measured(surface, c, free)).unwrap_or(free)
    }

    /// A ball around a point at depth `k` reaches at most its radius less `k`.
    fn measured(&self, surface: &Surface, c: Vec3, free: Free) -> Option<Free> {
        let foot = surface.nearest(c, f64::INFINITY)?;
        let distance = foot.square.sqrt();
        // The points beyond the surface tell the sides apart.
        let inside = surface.is_solid && free.radius >= self.h;
        let (radius, way) = match inside {
            true => (self.h + distance, foot.point - c),
            false => (self.h - distance, c - foot.point),
        };
        let fits = (0.0..=MAX_EXCESS * self.h).contains(&(free.radius - radius));
        let limit = foot.point + way.normalize_or_zero() * self.h;
        fits.then_some(Free { radius, limit, ..free })
    }

    /// The largest radius at a centre.
    pub(super) fn radius(&self, c: Vec3) -> f64 {
        self.free(c, 0, 0.0).radius
    }

    /// Centres of about `count` balls that touch the surface at distance `h` in at least two
    /// points: Ma et al. 2012, as in [`Samples`].
    pub(super) fn medial_centers(&self, count: usize) -> Vec<Vec3> {
        let reaching: Vec<u32> = self.samples.reaching(self.h);
        let n = reaching.len();
        let count = count.min(n);
        (0..count).filter_map(|i| self.medial_center(reaching[i * n / count])).collect()
    }

    fn medial_center(&self, start: u32) -> Option<Vec3> {
        let p = self.tree.point(start)?;
        let inward = -self.samples.spikes[start as usize].direction;
        let mut radius = 2.0;
        let mut center = p + inward * radius;
        let mut guess = start;
        for _ in 0..MAX_STEPS {
            let free = self.free(center, guess, 0.0);
            guess = free.guess;
            if free.radius >= radius * (1.0 - SHRUNK) {
                break;
            }
            let way = free.limit - p;
            let along = way.dot(inward);
            let shrunk = way.length_squared() / (2.0 * along);
            if !(along > 0.0 && shrunk < radius) {
                break;
            }
            radius = shrunk;
            center = p + inward * radius;
        }
        Some(center)
    }
}
