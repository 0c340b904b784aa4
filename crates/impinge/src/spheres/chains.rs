//! Levels of balls while patches are assigned: searches for a deepest ball that contains a piece
//! together with all balls above it, its *chain*.
//!
//! Everything is computed in the builders' frame, up to rounding. The radii of a tree are fitted to
//! its patches afterwards, with bounds.

use super::Node;
use super::frame::Frame;
use crate::math::Vec3;
use crate::order::sort_by;

/// Relative excess of a distance over a radius that is ignored: radii are fitted afterwards, and
/// balls that are tight up to rounding cause no cuts.
const TIGHT: f64 = 1e-12;

/// How much more the growth of a ball counts that is not in the deepest level: the levels above
/// cover the surface by themselves.
const WEIGHT_ABOVE: f64 = 16.0;

/// What the size of a piece may add to the growth of balls, as a share of it.
const SHARE_OF_GROWTH: f64 = 0.125;

/// A ball and its relatives.
#[derive(Clone, Copy, Debug)]
struct Link {
    center: Vec3,
    radius: f64,
    /// Before it grew. Choosing by the radius as grown would let one ball grow on and on.
    given_radius: f64,
    /// Of the part of a deepest ball that its patch needs.
    used_radius: f64,
    parent: u32,
    first_child: u32,
    children: u32,
}

/// Levels of balls that can grow.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    levels: Vec<Vec<Link>>,
    /// For every level but the deepest: the children of its balls, ball after ball.
    children: Vec<Vec<u32>>,
}

impl Chains {
    /// The balls in the frame. Parents exist.
    pub(super) fn new(frame: &Frame, levels: &[Vec<Node>]) -> Self {
        let link = |node: &Node| Link {
            center: frame.local(node.ball.center),
            radius: frame.local_length(node.ball.radius),
            given_radius: frame.local_length(node.ball.radius),
            used_radius: -1.0,
            parent: node.parent,
            first_child: 0,
            children: 0,
        };
        let mut linked: Vec<Vec<Link>> =
            levels.iter().map(|nodes| nodes.iter().map(link).collect()).collect();
        let mut children = Vec::new();
        for level in 1..linked.len() {
            let mut order: Vec<u32> = (0..linked[level].len() as u32).collect();
            let parent = |i: u32| linked[level][i as usize].parent;
            sort_by(&mut order, &|i, j| parent(*i).cmp(&parent(*j)).then(i.cmp(j)));
            for (place, child) in order.iter().enumerate() {
                let parent = linked[level][*child as usize].parent as usize;
                let parent = &mut linked[level - 1][parent];
                if parent.children == 0 {
                    parent.first_child = place as u32;
                }
                parent.children += 1;
            }
            children.push(order);
        }
        Self { levels: linked, children }
    }

    fn children(&self, level: usize, ball: u32) -> &[u32] {
        let link = &self.levels[level][ball as usize];
        let first = link.first_child as usize;
        &self.children[level][first..first + link.children as usize]
    }

    /// The number of deepest balls.
    pub(super) fn deepest(&self) -> usize {
        self.levels.last().map_or(0, Vec::len)
    }

    /// The radius that the patch of each deepest ball needs; negative for an empty patch.
    pub(super) fn used_radii(&self) -> Vec<f64> {
        self.levels.last().into_iter().flatten().map(|link| link.used_radius).collect()
    }

    /// Notes that a piece belongs to a deepest ball.
    pub(super) fn take(&mut self, leaf: u32, corners: &[Vec3; 3]) {
        if let Some(links) = self.levels.last_mut() {
            let link = &mut links[leaf as usize];
            link.used_radius = link.used_radius.max(farthest_squared(link.center, corners).sqrt());
        }
    }

    /// The radius of a deepest ball.
    pub(super) fn radius(&self, leaf: u32) -> f64 {
        self.levels[self.levels.len() - 1][leaf as usize].radius
    }

    /// Appends the deepest balls that a ball around a piece shares a point with, and so do all
    /// balls of their chains.
    pub(super) fn touching(&self, center: Vec3, radius: f64, found: &mut Vec<u32>) {
        for root in 0..self.levels[0].len() as u32 {
            self.touching_below(0, root, center, radius, found);
        }
    }

    fn touching_below(&self, level: usize, ball: u32, c: Vec3, r: f64, found: &mut Vec<u32>) {
        let link = &self.levels[level][ball as usize];
        if !meets(link, c, r) {
            return;
        }
        if level + 1 == self.levels.len() {
            found.push(ball);
            return;
        }
        for child in self.children(level, ball) {
            self.touching_below(level + 1, *child, c, r, found);
        }
    }

    /// Whether a ball around a piece shares a point with all balls of a chain.
    pub(super) fn chain_meets(&self, leaf: u32, center: Vec3, radius: f64) -> bool {
        self.chain(leaf).all(|link| meets(link, center, radius))
    }

    /// The balls of a chain, from the deepest up.
    fn chain(&self, leaf: u32) -> impl Iterator<Item = &Link> {
        let mut ball = leaf;
        self.levels.iter().rev().map(move |links| {
            let link = &links[ball as usize];
            ball = link.parent;
            link
        })
    }

    /// How deep the corners of a piece are in a deepest ball, if all balls of its chain contain
    /// them.
    pub(super) fn depth_in(&self, leaf: u32, corners: &[Vec3; 3]) -> Option<f64> {
        let mut depth = None;
        for link in self.chain(leaf) {
            let far = farthest_squared(link.center, corners);
            if far > link.radius * link.radius * (1.0 + TIGHT) {
                return None;
            }
            depth = depth.or_else(|| Some(link.radius - far.sqrt()));
        }
        depth
    }

    /// Whether all balls of a chain contain a point.
    pub(super) fn chain_contains(&self, leaf: u32, p: Vec3) -> bool {
        self.chain(leaf).all(|link| link.center.distance_squared(p) <= link.radius * link.radius)
    }

    /// The deepest ball for which the balls of its chain, as given, have to grow least, together,
    /// to contain a piece.
    pub(super) fn least_growth(&self, corners: &[Vec3; 3]) -> u32 {
        self.growth(corners).1
    }

    /// How small pieces around a point have to be so that the growth of balls, as given, depends
    /// mostly on the growth that the point alone needs: cutting them saves little.
    pub(super) fn small_size(&self, p: Vec3) -> f64 {
        // Each ball of a chain grows by the size of the piece more than for the point.
        let weights = 1.0 + WEIGHT_ABOVE * (self.levels.len() - 1) as f64;
        SHARE_OF_GROWTH * self.growth(&[p; 3]).0 / weights
    }

    /// The least growth, weighted, and the deepest ball of its chain.
    fn growth(&self, corners: &[Vec3; 3]) -> (f64, u32) {
        let mut best = (f64::INFINITY, 0);
        let mut roots: Vec<u32> = (0..self.levels[0].len() as u32).collect();
        self.descend(0, &mut roots, 0.0, corners, &mut best);
        best
    }

    /// Searches below the balls of `family`, whose parents have to grow by `above`.
    fn descend(
        &self,
        level: usize,
        family: &mut [u32],
        above: f64,
        corners: &[Vec3; 3],
        best: &mut (f64, u32),
    ) {
        let links = &self.levels[level];
        let is_deepest = level + 1 == self.levels.len();
        let weight = if is_deepest { 1.0 } else { WEIGHT_ABOVE };
        let growth = |ball: u32| {
            let link = &links[ball as usize];
            let missing = farthest_squared(link.center, corners).sqrt() - link.given_radius;
            above + weight * missing.max(0.0)
        };
        if is_deepest {
            for ball in family {
                let found = growth(*ball);
                if found < best.0 {
                    *best = (found, *ball);
                }
            }
            return;
        }
        let mut ordered: Vec<(f64, u32)> =
            family.iter().map(|ball| (growth(*ball), *ball)).collect();
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (found, ball) in ordered {
            if found >= best.0 {
                break;
            }
            let mut children = self.children(level, ball).to_vec();
            self.descend(level + 1, &mut children, found, corners, best);
        }
    }

    /// Enlarges the balls of a chain so that they contain a piece.
    pub(super) fn grow(&mut self, leaf: u32, corners: &[Vec3; 3]) {
        let mut ball = leaf;
        for links in self.levels.iter_mut().rev() {
            let link = &mut links[ball as usize];
            link.radius = link.radius.max(farthest_squared(link.center, corners).sqrt());
            ball = link.parent;
        }
    }
}

/// Whether a link's ball shares a point with another ball.
fn meets(link: &Link, center: Vec3, radius: f64) -> bool {
    let reach = (link.radius + radius) * (1.0 + TIGHT);
    link.center.distance_squared(center) <= reach * reach
}

fn farthest_squared(center: Vec3, corners: &[Vec3; 3]) -> f64 {
    corners.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max)
}
