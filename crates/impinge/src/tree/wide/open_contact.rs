//! An approximate contact from a search that is not finished: the mean of its open pairs.
//!
//! Hubbard 1995, section VII: after every level of the hierarchies, the parts that may still meet
//! give a point and a normal, so that a response needs no complete answer.

use super::Tree;
use super::node::Link;
use super::overlap::Overlaps;
use super::resumable::HitSearch;
use crate::answer::Contact;
use crate::math::{Aabb, Pose, Vec3};

/// The largest number of open pairs that are compared, evenly chosen.
const MAX_COMPARED: usize = 256;

/// A sum of vectors of length one or less has no direction if it is shorter than this share of
/// their number.
const MIN_SUM_SHARE: f64 = 0.1;

impl HitSearch {
    /// The contact of the open pairs, as [`Contact`] describes two bodies. `None` if no pair is
    /// open.
    ///
    /// The direction is the mean difference of the normals of the patches. Where patches are not
    /// flat, it is the mean direction between their centres, and otherwise the shallowest one of
    /// the deepest pair. The deepest pair alone was worse: of two balls that nearly touch, it is
    /// somewhere in the ring of leaves whose boxes overlap.
    pub(crate) fn contact(&self, tree_a: &Tree, tree_b: &Tree, pose: &Pose) -> Option<Contact> {
        let overlaps = Overlaps::new(tree_a, tree_b, pose);
        let (pairs, are_all) = self.some_open();
        let roots = (tree_a.root?.1, tree_b.root?.1);
        let (mut normals, mut between) = (Vec3::ZERO, Vec3::ZERO);
        let mut deepest = (f64::NEG_INFINITY, *pairs.first()?);
        for pair in &pairs {
            let depth = overlaps.of(pair.0, pair.1);
            if depth > deepest.0 {
                deepest = (depth, *pair);
            }
            normals += overlaps.normal_difference(pair.0, pair.1);
            between += overlaps.between_centers(pair.0, pair.1);
        }
        let way = [normals, between]
            .into_iter()
            .find(|sum| sum.length() > MIN_SUM_SHARE * pairs.len() as f64)
            .map_or_else(|| overlaps.shallowest(deepest.1.0, deepest.1.1).1, Vec3::normalize);
        let along = |pair: &(Link, Link)| overlaps.depth_along(pair.0, pair.1, way);
        let depth = pairs.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        // If some pairs were left out, all parts together are separated as the whole meshes are.
        let certain = if are_all { depth } else { overlaps.depth_along(roots.0, roots.1, way) };
        let (mut middle, share) = (Vec3::ZERO, 1.0 / pairs.len() as f64);
        for pair in &pairs {
            middle += overlaps.middle(pair.0, pair.1) * share;
        }
        let frame = &tree_a.frame;
        let point = frame.point_in_mesh(middle * frame.scale);
        Some(Contact {
            lower: -certain.max(0.0),
            upper: f64::INFINITY,
            direction: frame.direction_in_mesh(way),
            point_a: point,
            point_b: point,
        })
    }

    /// The open pairs, or about [`MAX_COMPARED`] of them; and whether these are all.
    fn some_open(&self) -> (Vec<(Link, Link)>, bool) {
        let step = self.open().div_ceil(MAX_COMPARED).max(1);
        let (mut pairs, mut number) = (Vec::new(), 0);
        self.for_each_open(&mut |a, b| {
            if number % step == 0 {
                pairs.push((a, b));
            }
            number += 1;
        });
        (pairs, step == 1)
    }
}

/// The contact of two bodies of which nothing but the boxes is known.
pub(crate) fn contact_of_boxes(a: &Aabb, b: &Aabb) -> Contact {
    let mut least = (f64::INFINITY, Vec3::ZERO);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let ends = [(a.max - b.min).dot(axis), (b.max - a.min).dot(axis)];
        for (overlap, way) in [(ends[0], axis), (ends[1], -axis)] {
            if overlap < least.0 {
                least = (overlap, way);
            }
        }
    }
    let middle = 0.5 * a.min.max(b.min) + 0.5 * a.max.min(b.max);
    let shift = least.1 * (0.5 * least.0);
    Contact {
        lower: -crate::math::next_up(least.0.max(0.0)),
        upper: f64::INFINITY,
        direction: least.1,
        point_a: middle + shift,
        point_b: middle - shift,
    }
}
