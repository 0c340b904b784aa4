//! Assigns the pieces of a surface to given balls.
//!
//! A triangle is cut at the middle of its longest edge, again and again, until each piece is in a
//! deepest ball and in all balls above it. A small piece for which there is no such ball enlarges
//! the one that has to grow least.

use super::Node;
use super::chains::Chains;
use super::frame::Frame;
use super::patch::{FIRST_OWNER, MAX_CUTS};
use crate::math::Vec3;
use crate::mesh::Mesh;

/// How finely triangles are cut where balls overlap little or leave holes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoverOptions {
    /// Pieces across the border of balls are not cut further once their size is this share of the
    /// radius of a ball there. Balls that leave no holes, but only just, grow by at most about
    /// twice this share. The default is 1/256.
    pub finest: f64,
    /// The same for pieces whose middle is in no ball: a hole. The default is 1/32.
    pub in_holes: f64,
    /// The largest number of pieces. Triangles are not cut further when it is reached, and balls
    /// grow instead. The default is 2^22.
    pub max_pieces: usize,
}

impl Default for CoverOptions {
    fn default() -> Self {
        Self { finest: 1.0 / 256.0, in_holes: 1.0 / 32.0, max_pieces: 1 << 22 }
    }
}

impl CoverOptions {
    /// With this [`finest`](Self#structfield.finest) size of pieces.
    #[must_use]
    pub fn finest(mut self, finest: f64) -> Self {
        self.finest = finest;
        self
    }

    /// With this [`in_holes`](Self#structfield.in_holes) size of pieces.
    #[must_use]
    pub fn in_holes(mut self, in_holes: f64) -> Self {
        self.in_holes = in_holes;
        self
    }

    /// With this [`max_pieces`](Self#structfield.max_pieces).
    #[must_use]
    pub fn max_pieces(mut self, max_pieces: usize) -> Self {
        self.max_pieces = max_pieces;
        self
    }
}

/// The smallest share that options can ask for.
const LEAST_SHARE: f64 = 1e-6;

/// The cuts of all triangles, each piece with its owner. Triangles and levels are not empty, and
/// parents exist.
pub(super) fn assign(mesh: &Mesh, levels: &[Vec<Node>], options: &CoverOptions) -> Vec<u32> {
    assigned(mesh, levels, options, false).cuts
}

/// Where balls have to grow.
#[derive(Debug)]
pub(super) struct Missing {
    /// The corners of pieces that are in no ball of the deepest level and all above it, in the
    /// builders' frame.
    pub(super) points: Vec<Vec3>,
    /// The radius that the patch of each ball of the deepest level needs; negative for an empty
    /// patch.
    pub(super) radii: Vec<f64>,
    /// The corners of the pieces of each patch.
    pub(super) patches: Vec<Vec<Vec3>>,
}

/// The pieces that need larger balls.
pub(super) fn unassigned(mesh: &Mesh, levels: &[Vec<Node>], options: &CoverOptions) -> Missing {
    let found = assigned(mesh, levels, options, true);
    Missing { points: found.missing, radii: found.chains.used_radii(), patches: found.patches }
}

fn assigned(
    mesh: &Mesh,
    levels: &[Vec<Node>],
    options: &CoverOptions,
    keep_patches: bool,
) -> Assignment {
    let frame = Frame::of(&mesh.bounds());
    let chains = Chains::new(&frame, levels);
    // Balls far smaller than an even share of the surface count as that large.
    let least_radius = 0.25 / (chains.deepest() as f64).sqrt();
    let count = mesh.triangles().len();
    let deepest = if keep_patches { chains.deepest() } else { 0 };
    let mut assignment = Assignment {
        chains,
        least_radius,
        finest: options.finest.max(LEAST_SHARE),
        in_holes: options.in_holes.max(LEAST_SHARE),
        cuts_left: options.max_pieces.saturating_sub(count),
        cuts: Vec::with_capacity(2 * count),
        near: Vec::new(),
        missing: Vec::new(),
        patches: vec![Vec::new(); deepest],
    };
    for t in 0..count {
        let corners = mesh.triangle(t).map(|p| frame.local(p));
        let (center, radius) = around(&corners);
        assignment.near.clear();
        assignment.chains.touching(center, radius, &mut assignment.near);
        let end = assignment.near.len();
        assignment.piece(&corners, 0..end, 0);
    }
    assignment
}

/// The state of [`assign`].
struct Assignment {
    chains: Chains,
    least_radius: f64,
    finest: f64,
    in_holes: f64,
    cuts_left: usize,
    cuts: Vec<u32>,
    /// The balls near the pieces on the path to the present one, a range for each.
    near: Vec<u32>,
    /// The corners of pieces for which balls grew.
    missing: Vec<Vec3>,
    /// The corners of the pieces of each deepest ball, if they are wanted.
    patches: Vec<Vec<Vec3>>,
}

impl Assignment {
    /// Gives a piece to a deepest ball.
    fn take(&mut self, leaf: u32, corners: &[Vec3; 3]) {
        self.chains.take(leaf, corners);
        self.cuts.push(FIRST_OWNER + leaf);
        if let Some(patch) = self.patches.get_mut(leaf as usize) {
            patch.extend(corners);
        }
    }

    /// Appends the cuts and owners of a piece; only balls of the range `near` meet it.
    fn piece(&mut self, corners: &[Vec3; 3], near: std::ops::Range<usize>, depth: u32) {
        let mut best: Option<(f64, u32)> = None;
        let mut nearest_radius = f64::INFINITY;
        for i in near.clone() {
            let leaf = self.near[i];
            nearest_radius = nearest_radius.min(self.chains.radius(leaf));
            if let Some(found) = self.chains.depth_in(leaf, corners) {
                if best.is_none_or(|(most, _)| found > most) {
                    best = Some((found, leaf));
                }
            }
        }
        if let Some((_, leaf)) = best {
            self.take(leaf, corners);
            return;
        }
        let (center, radius) = around(corners);
        let is_hole = !near.clone().any(|i| self.chains.chain_contains(self.near[i], center));
        let mut nearest = None;
        let mut least = self.finest;
        if is_hole {
            // The ball that is to grow may have grown already, after `near` was collected.
            let leaf = self.chains.least_growth(corners);
            if self.chains.depth_in(leaf, corners).is_some() {
                self.take(leaf, corners);
                return;
            }
            nearest = Some(leaf);
            nearest_radius = nearest_radius.min(self.chains.radius(leaf));
            least = least.max(self.in_holes);
        }
        least *= nearest_radius.max(self.least_radius);
        if is_hole {
            least = least.max(self.chains.small_size(center));
        }
        // A piece that rounding keeps from getting smaller is not cut either.
        let (e, length) = longest_edge(corners);
        let is_small = radius <= least || length <= f64::EPSILON;
        if is_small || depth == MAX_CUTS || self.cuts_left == 0 {
            let leaf = nearest.unwrap_or_else(|| self.chains.least_growth(corners));
            self.chains.grow(leaf, corners);
            self.missing.extend(corners);
            self.take(leaf, corners);
            return;
        }
        self.cuts_left -= 1;
        self.cuts.push(e as u32);
        let f = (e + 1) % 3;
        let middle = (corners[e] + corners[f]) * 0.5;
        for replaced in [f, e] {
            let mut half = *corners;
            half[replaced] = middle;
            let (center, radius) = around(&half);
            let start = self.near.len();
            for i in near.clone() {
                let leaf = self.near[i];
                if self.chains.chain_meets(leaf, center, radius) {
                    self.near.push(leaf);
                }
            }
            let end = self.near.len();
            self.piece(&half, start..end, depth + 1);
            self.near.truncate(start);
        }
    }
}

/// The longest edge of a triangle, as the number of its first corner, and its length.
fn longest_edge(corners: &[Vec3; 3]) -> (usize, f64) {
    let length = |e: usize| corners[e].distance_squared(corners[(e + 1) % 3]);
    let e = (0..3).fold(0, |best, e| if length(e) > length(best) { e } else { best });
    (e, length(e).sqrt())
}

/// A ball around a triangle: the middle of its corners, and the farthest corner.
fn around(corners: &[Vec3; 3]) -> (Vec3, f64) {
    let center = (corners[0] + corners[1] + corners[2]) / 3.0;
    let radius = corners.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max);
    (center, radius.sqrt())
}
