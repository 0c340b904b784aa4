//! Joining pieces again.
//!
//! A cut that frees one void often goes through parts that need none. Two pieces whose common hull
//! is within the tolerance are one piece; of all such pairs the one whose hull adds the least
//! volume is joined first, and the result is tried with its neighbours in turn.

use super::approximate::{Node, Work};
use super::excess::{self, Effort, Excess};
use super::planes::volume_and_area;
use super::region::Region;
use super::soup::{Keep, Soup};
use crate::convex::Hull;

/// Boxes that a first look at a common hull takes.
const GLANCE: usize = 200;

/// Boxes that are enough to tell, or it is not worth it.
const THOROUGH: usize = 20_000;

/// Two pieces and their common hull.
struct Pair {
    /// The volume of the hull that is in neither piece, if they do not overlap.
    added: f64,
    pieces: [usize; 2],
    hull: Hull,
}

/// The pieces, some of them joined. `whole` is the surface of the solid.
pub(super) fn merge(nodes: Vec<Node>, work: &Work, whole: &Soup) -> Vec<Node> {
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let mut pairs: Vec<Pair> = Vec::new();
    for j in 1..nodes.len() {
        pairs.extend((0..j).filter_map(|i| Pair::of(&nodes, [i, j], work.tolerance)));
    }
    // The best pair last; of two equally good ones the older.
    let sort = |pairs: &mut Vec<Pair>| {
        pairs.sort_by(|a, b| b.added.total_cmp(&a.added).then(b.pieces.cmp(&a.pieces)));
    };
    sort(&mut pairs);
    while let Some(pair) = pairs.pop() {
        let Some(node) = joined(pair.hull, work, whole) else { continue };
        let new = nodes.len();
        pair.pieces.into_iter().for_each(|i| nodes[i] = None);
        pairs.retain(|p| p.pieces.iter().all(|i| nodes[*i].is_some()));
        nodes.push(Some(node));
        pairs.extend((0..new).filter_map(|i| Pair::of(&nodes, [i, new], work.tolerance)));
        sort(&mut pairs);
    }
    nodes.into_iter().flatten().collect()
}

impl Pair {
    /// Two pieces that are there, close to each other and good enough.
    fn of(nodes: &[Option<Node>], pieces: [usize; 2], tolerance: f64) -> Option<Self> {
        let [a, b] = pieces.map(|i| nodes[i].as_ref());
        let (a, b) = (a?, b?);
        let good = |node: &Node| node.excess.upper <= tolerance;
        let close = a.hull.bounds().grown(2.0 * tolerance).overlaps(&b.hull.bounds());
        if !(good(a) && good(b) && close) {
            return None;
        }
        let points = [a.hull.vertices(), b.hull.vertices()].concat();
        let hull = Hull::new(&points).ok()?;
        let volume = |hull: &Hull| volume_and_area(hull).0;
        let added = volume(&hull) - volume(&a.hull) - volume(&b.hull);
        Some(Self { added, pieces, hull })
    }
}

/// The piece with this hull, if it is good enough.
fn joined(hull: Hull, work: &Work, whole: &Soup) -> Option<Node> {
    // Most pairs are bad, and a few boxes tell.
    let glance = Effort { enough: work.tolerance, boxes: GLANCE, stop_above: true };
    if excess::search(&hull, &work.solid, glance).lower > work.tolerance {
        return None;
    }
    let region = hull.bounds();
    let mut soup = whole.clone();
    for axis in 0..3 {
        soup = soup.clipped(axis, region.min[axis], Keep::High);
        soup = soup.clipped(axis, region.max[axis], Keep::Low);
    }
    let mut node = Node::new(soup, Region::of(region), hull);
    let quick = excess::quick(&node.part(), &work.solid, work.tolerance);
    let upper = if quick <= work.tolerance {
        quick
    } else {
        let effort = Effort { boxes: THOROUGH.min(work.effort), ..glance };
        excess::search(&node.hull, &work.solid, effort).upper
    };
    node.excess = Excess { lower: 0.0, upper };
    (upper <= work.tolerance).then_some(node)
}
