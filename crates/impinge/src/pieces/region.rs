//! The convex part of space that a piece comes from.

use super::choose::Cut;
use super::planes::{self, Plane};
use super::soup::{Keep, Soup};
use crate::convex::Hull;
use crate::math::{Aabb, Vec3};

/// A box cut off at planes.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The box. Cuts across axes are exact and make it smaller.
    bounds: Aabb,
    /// What is left of the box, if it was cut askew.
    askew: Option<Askew>,
}

/// A box cut at planes that are not across an axis. The planes are those of the `f64` numbers,
/// exactly.
#[derive(Clone, Debug)]
struct Askew {
    planes: Vec<Plane>,
    /// The faces of the box as far as they are left. With up to [`MOST`] planes all corners of the
    /// region are on them.
    shell: Soup,
}

impl Askew {
    fn of(bounds: &Aabb, planes: Vec<Plane>) -> Self {
        let shell = planes.iter().fold(Soup::of_box(bounds), |shell, plane| shell.below(plane));
        Self { planes, shell }
    }
}

/// A corner is where three planes meet: if two at most are askew, the third is a face of the box.
const MOST: usize = 2;

impl Region {
    /// All of a box.
    pub(super) fn of(bounds: Aabb) -> Self {
        Self { bounds, askew: None }
    }

    /// One side of a cut.
    pub(super) fn half(&self, cut: &Cut, keep: Keep) -> Self {
        let mut bounds = self.bounds;
        let mut planes = self.askew.as_ref().map_or_else(Vec::new, |askew| askew.planes.clone());
        match (cut, keep) {
            (Cut::Across { axis, at }, Keep::Low) => bounds.max[*axis] = *at,
            (Cut::Across { axis, at }, Keep::High) => bounds.min[*axis] = *at,
            (Cut::Along(_), _) => planes.push(cut.plane(keep)),
        }
        debug_assert!(planes.len() <= MOST, "more cuts askew than corners are known for");
        let askew = (!planes.is_empty()).then(|| Askew::of(&bounds, planes));
        Self { bounds, askew }
    }

    /// How many more cuts askew the region allows.
    pub(super) fn room(&self) -> usize {
        MOST - self.askew.as_ref().map_or(0, |askew| askew.planes.len().min(MOST))
    }

    /// The box, if nothing was cut off askew.
    pub(super) fn as_box(&self) -> Option<&Aabb> {
        self.askew.is_none().then_some(&self.bounds)
    }

    /// The corners with their slacks.
    pub(super) fn corners(&self) -> Vec<(Vec3, Vec3)> {
        match &self.askew {
            Some(askew) => askew.shell.corners().collect(),
            None => {
                let corners = Soup::of_box(&self.bounds);
                // The faces across the first axis have all of them.
                corners.corners().take(8).collect()
            }
        }
    }

    /// Whether the hull is certainly in the region.
    pub(super) fn holds(&self, hull: &Hull) -> bool {
        self.askew.is_none() && self.bounds.contains_box(&planes::bounds(hull))
    }

    /// How deep in the region `p` is, at least; zero or less if it may be outside.
    pub(super) fn depth(&self, p: Vec3) -> f64 {
        let in_box = (p - self.bounds.min).min(self.bounds.max - p).min_element();
        let askew = self.askew.iter().flat_map(|askew| &askew.planes);
        askew.map(|plane| plane.depth(p) - planes::ROUNDING).fold(in_box, f64::min)
    }

    /// No corner is further than this from its own.
    pub(super) fn slack(&self) -> f64 {
        self.askew.as_ref().map_or(0.0, |askew| askew.shell.slack())
    }
}
