//! The convex part of space that a piece comes from.

use super::choose::Cut;
use super::planes::{self, Plane};
use super::soup::{Keep, Soup};
use crate::convex::Hull;
use crate::math::{Aabb, Vec3};

/// A box cut off at planes.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The box. Axis-aligned cuts are exact and make it smaller.
    bounds: Aabb,
    /// The oblique cuts, if there are any.
    oblique: Option<ObliqueCuts>,
}

/// A box cut at planes that are not axis-aligned. The planes are exactly those of the `f64`
/// numbers.
#[derive(Clone, Debug)]
struct ObliqueCuts {
    planes: Vec<Plane>,
    /// The remaining parts of the faces of the box. With up to [`MAX_OBLIQUE_PLANES`] planes all
    /// corners of the region are on them.
    shell: Soup,
}

impl ObliqueCuts {
    fn of(bounds: &Aabb, planes: Vec<Plane>) -> Self {
        let shell = planes.iter().fold(Soup::of_box(bounds), |shell, plane| shell.below(plane));
        Self { planes, shell }
    }
}

/// The largest number of oblique planes of a region. At a corner three planes meet: with two
/// oblique ones at most, the third is a face of the box.
const MAX_OBLIQUE_PLANES: usize = 2;

impl Region {
    /// All of a box.
    pub(super) fn of(bounds: Aabb) -> Self {
        Self { bounds, oblique: None }
    }

    /// One side of a cut.
    pub(super) fn half(&self, cut: &Cut, keep: Keep) -> Self {
        let mut bounds = self.bounds;
        let mut planes =
            self.oblique.as_ref().map_or_else(Vec::new, |oblique| oblique.planes.clone());
        match (cut, keep) {
            (Cut::AxisAligned { axis, at }, Keep::Low) => bounds.max[*axis] = *at,
            (Cut::AxisAligned { axis, at }, Keep::High) => bounds.min[*axis] = *at,
            (Cut::Oblique(_), _) => planes.push(cut.plane(keep)),
        }
        debug_assert!(
            planes.len() <= MAX_OBLIQUE_PLANES,
            "{} oblique cuts; corners are known for {MAX_OBLIQUE_PLANES} at most",
            planes.len()
        );
        let oblique = (!planes.is_empty()).then(|| ObliqueCuts::of(&bounds, planes));
        Self { bounds, oblique }
    }

    /// The number of further oblique cuts that the region allows.
    pub(super) fn oblique_cuts_left(&self) -> usize {
        MAX_OBLIQUE_PLANES
            - self
                .oblique
                .as_ref()
                .map_or(0, |oblique| oblique.planes.len().min(MAX_OBLIQUE_PLANES))
    }

    /// The box, if there are no oblique cuts.
    pub(super) fn as_box(&self) -> Option<&Aabb> {
        self.oblique.is_none().then_some(&self.bounds)
    }

    /// The corners with their slacks.
    pub(super) fn corners(&self) -> Vec<(Vec3, Vec3)> {
        match &self.oblique {
            Some(oblique) => oblique.shell.corners().collect(),
            None => {
                let corners = Soup::of_box(&self.bounds);
                // The two faces across the first axis have all eight corners.
                corners.corners().take(8).collect()
            }
        }
    }

    /// Whether the hull is certainly in the region; `false` after oblique cuts.
    pub(super) fn contains(&self, hull: &Hull) -> bool {
        self.oblique.is_none() && self.bounds.contains_box(&planes::bounds(hull))
    }

    /// A lower bound of the depth of `p` in the region; zero or less if it may be outside.
    pub(super) fn depth(&self, p: Vec3) -> f64 {
        let in_box = (p - self.bounds.min).min(self.bounds.max - p).min_element();
        let oblique = self.oblique.iter().flat_map(|oblique| &oblique.planes);
        oblique.map(|plane| plane.depth(p) - planes::ROUNDING).fold(in_box, f64::min)
    }

    /// A bound of the distance between a corner of the region and its computed position.
    pub(super) fn slack(&self) -> f64 {
        self.oblique.as_ref().map_or(0.0, |oblique| oblique.shell.slack())
    }
}
