//! How a tree is built: every choice of Klosowski et al. 1998, sections 3.3 and 4.3, as a
//! parameter.

use super::Costs;

/// The rules of building. [`BuildOptions::environment`] and [`BuildOptions::flying`] are the
/// paper's two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildOptions {
    /// How a node's triangles are divided.
    pub split: SplitRule,
    /// Where, for the rules that choose an axis only.
    pub at: SplitPoint,
    /// The most children of a node; two or more, less counts as two.
    pub degree: usize,
    /// When a node is a leaf.
    pub threshold: Threshold,
    /// What the automatic threshold weighs against each other.
    pub costs: Costs,
    /// Whether several threads build.
    pub parallel: bool,
}

/// How a node's triangles, given by their centroids, are divided in two (section 3.3.4; the last
/// three are what it leaves for the future, with 3.3.2).
///
/// Where the volumes compared are flat, and so all have no volume, their surfaces take their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Across the longest side of the node's box.
    LongestSide,
    /// Across the axis that makes the sum of the children's volumes smallest.
    MinSum,
    /// Across the axis that makes the larger child's volume smallest.
    MinMax,
    /// Across the axis along which the centroids have the largest variance.
    Splatter,
    /// Of all split points of all three axes the one with the smallest sum, over the children, of
    /// measure times number of triangles.
    ///
    /// Boxes choose the point along each axis, the kind of volume itself chooses the axis: the
    /// measure of a k-DOP takes a thousand times as long as that of a box.
    AllPoints(Measure),
    /// As [`SplitRule::AllPoints`], for this many split points an axis, evenly spread over the
    /// sorted centroids.
    SampledPoints(u32, Measure),
    /// From the triangles up: neighbours along a space-filling curve are merged, those first that
    /// are each other's best partner (locally ordered clustering, Meister and Bittner 2018). Boxes
    /// decide.
    BottomUp,
}

/// Where along its axis a node is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitPoint {
    /// At the mean of the centroids' coordinates.
    Mean,
    /// At their median.
    Median,
}

/// What a heuristic holds to be proportional to the chance of being met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The volume: the chance for a small object.
    Volume,
    /// The surface: the chance for a line, or a large object.
    Surface,
}

/// When a node is a leaf (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// When it has so many triangles or fewer. Zero counts as one.
    Fixed(u32),
    /// Where opening it is expected to cost more than testing all its triangles, by
    /// [`BuildOptions::costs`], the chance of visiting a child being its share of the parent's
    /// surface. So thresholds differ from node to node.
    Automatic,
}

impl BuildOptions {
    /// The paper's tree of an environment: splatter, at the mean, one triangle a leaf.
    #[must_use]
    pub fn environment() -> Self {
        Self {
            split: SplitRule::Splatter,
            at: SplitPoint::Mean,
            degree: 2,
            threshold: Threshold::Fixed(1),
            costs: Costs { update: 0.0, ..Costs::TYPICAL },
            parallel: true,
        }
    }

    /// The paper's tree of a flying object: as [`BuildOptions::environment`], with 40 triangles a
    /// leaf, as moving volumes costs.
    #[must_use]
    pub fn flying() -> Self {
        Self { threshold: Threshold::Fixed(40), costs: Costs::TYPICAL, ..Self::environment() }
    }
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self::environment()
    }
}
