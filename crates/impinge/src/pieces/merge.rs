//! Merging of pieces.
//!
//! A cut that removes one void often goes through parts that need no cut. Two pieces whose common
//! hull is within the tolerance are merged. The pair whose hull adds the least volume is merged
//! first; then the result is paired with its neighbours.

use super::approximate::{Context, Node};
use super::excess::{self, Excess, SearchLimits};
use super::planes::volume_and_area;
use super::region::Region;
use super::soup::{Keep, Soup};
use crate::arrays::MapEach;
use crate::convex::Hull;
use crate::order::sort_numbers_by;

/// Box limit of the first search, which rejects most common hulls.
const FIRST_SEARCH_BOXES: usize = 200;

/// Box limit of the second search. If it does not prove the tolerance, the pair is not merged.
const SECOND_SEARCH_BOXES: usize = 20_000;

/// Two pieces and their common hull.
struct Pair {
    /// The volume of the hull that is in neither piece, provided that the pieces do not overlap.
    added: f64,
    pieces: [usize; 2],
    hull: Hull,
}

/// The pieces, some of them merged. `whole` is the surface of the solid.
pub(super) fn merge(nodes: Vec<Node>, context: &Context, whole: &Soup) -> Vec<Node> {
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let mut pairs: Vec<Pair> = Vec::new();
    for j in 1..nodes.len() {
        pairs.extend((0..j).filter_map(|i| Pair::of(&nodes, [i, j], context.tolerance)));
    }
    // The best pair last; if pairs are equal, the older one.
    let sort = |pairs: &mut Vec<Pair>| {
        sort_numbers_by(pairs, &|a, b| b.added.total_cmp(&a.added).then(b.pieces.cmp(&a.pieces)));
    };
    sort(&mut pairs);
    while let Some(pair) = pairs.pop() {
        let Some(node) = joined(pair.hull, context, whole) else { continue };
        let new = nodes.len();
        pair.pieces.into_iter().for_each(|i| nodes[i] = None);
        pairs.retain(|p| p.pieces.iter().all(|i| nodes[*i].is_some()));
        nodes.push(Some(node));
        pairs.extend((0..new).filter_map(|i| Pair::of(&nodes, [i, new], context.tolerance)));
        sort(&mut pairs);
    }
    nodes.into_iter().flatten().collect()
}

impl Pair {
    /// The pair, if both pieces still exist, are within the tolerance and close to each other.
    fn of(nodes: &[Option<Node>], pieces: [usize; 2], tolerance: f64) -> Option<Self> {
        let [a, b] = pieces.map_each(|i| nodes[i].as_ref());
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

/// The piece with this hull, if it is within the tolerance.
fn joined(hull: Hull, context: &Context, whole: &Soup) -> Option<Node> {
    // Most pairs exceed the tolerance, which a few boxes show.
    let first =
        SearchLimits { target: context.tolerance, max_boxes: FIRST_SEARCH_BOXES, stop_above: true };
    if excess::search(&hull, &context.solid, first).lower > context.tolerance {
        return None;
    }
    let region = hull.bounds();
    let mut soup = whole.clone();
    for axis in 0..3 {
        soup = soup.clipped(axis, region.min[axis], Keep::High);
        soup = soup.clipped(axis, region.max[axis], Keep::Low);
    }
    let mut node = Node::new(soup, Region::of(region), hull);
    let quick = excess::quick_bound(&node.part(), &context.solid, context.tolerance);
    let upper = if quick <= context.tolerance {
        quick
    } else {
        let effort = SearchLimits { max_boxes: SECOND_SEARCH_BOXES.min(context.effort), ..first };
        excess::search(&node.hull, &context.solid, effort).upper
    };
    node.excess = Excess { lower: 0.0, upper };
    (upper <= context.tolerance).then_some(node)
}
