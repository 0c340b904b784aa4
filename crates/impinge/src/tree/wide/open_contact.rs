//! An approximate contact from a search that is not finished: the deepest of its open pairs.
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

impl HitSearch {
    /// The contact of the deepest open pair, as [`Contact`] describes two convex bodies: the
    /// contents of two boxes. `None` if no pair is open.
    pub(crate) fn contact(&self, tree_a: &Tree, tree_b: &Tree, pose: &Pose) -> Option<Contact> {
        let overlaps = Overlaps::new(tree_a, tree_b, pose);
        let step = self.open().div_ceil(MAX_COMPARED).max(1);
        let mut deepest: Option<(f64, (Link, Link))> = None;
        let mut number = 0;
        self.for_each_open(&mut |a, b| {
            if number % step == 0 {
                let depth = overlaps.of(a, b);
                if deepest.is_none_or(|(most, _)| depth > most) {
                    deepest = Some((depth, (a, b)));
                }
            }
            number += 1;
        });
        let (_, (a, b)) = deepest?;
        let (depth, way) = overlaps.shallowest(a, b);
        let depth = depth.max(0.0);
        let middle = overlaps.middle(a, b);
        // Half of the translation to either side.
        let shift = way * (0.5 * depth);
        let frame = &tree_a.frame;
        let in_mesh = |p: Vec3| frame.point_in_mesh(p * frame.scale);
        Some(Contact {
            lower: -depth,
            upper: f64::INFINITY,
            direction: frame.direction_in_mesh(way),
            point_a: in_mesh(middle + shift),
            point_b: in_mesh(middle - shift),
        })
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
