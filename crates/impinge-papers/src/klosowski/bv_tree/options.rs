//! Build options: every choice of Klosowski et al. 1998, sections 3.3 and 4.3, as a parameter.

use super::Costs;

/// The rules of construction. [`BuildOptions::environment`] and [`BuildOptions::flying`] are the
/// two sets that the paper uses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// How a node's triangles are divided.
    pub split: SplitRule,
    /// The split point, for the rules that choose only an axis.
    pub at: SplitPoint,
    /// The maximum number of children of a node. Values below two count as two.
    pub degree: usize,
    /// When a node is a leaf.
    pub threshold: Threshold,
    /// The costs that the automatic threshold compares.
    pub costs: Costs,
    /// Whether the tree is built on several threads.
    pub parallel: bool,
}

/// How the triangles of a node, represented by their centroids, are divided in two (section 3.3.4).
/// The last three rules are those that sections 3.3.2 and 3.3.4 leave for future work.
///
/// If the bounding volumes are flat, so that all have zero volume, their surface areas are compared
/// instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Split perpendicular to the longest side of the node's box.
    LongestSide,
    /// Split perpendicular to the axis for which the sum of the children's volumes is smallest.
    MinSum,
    /// Split perpendicular to the axis for which the volume of the larger child is smallest.
    MinMax,
    /// Split perpendicular to the axis along which the centroids have the largest variance.
    Splatter,
    /// Split at the point, among all split points of all three axes, for which the sum over the
    /// children of measure times number of triangles is smallest.
    ///
    /// The point along each axis is chosen by the measure of boxes, the axis by the measure of the
    /// tree's own kind of volume. The measure of a k-DOP takes a thousand times as long as that of
    /// a box.
    AllPoints(Measure),
    /// As [`SplitRule::AllPoints`], with the given number of split points per axis, distributed
    /// evenly over the sorted centroids.
    SampledPoints(u32, Measure),
    /// Bottom-up: neighbours along a space-filling curve are merged if each is the best partner of
    /// the other (locally ordered clustering, Meister and Bittner 2018). The best partner is
    /// determined by boxes.
    BottomUp,
}

/// The position along the axis where a node is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitPoint {
    /// At the mean of the centroids' coordinates.
    Mean,
    /// At their median.
    Median,
}

/// The quantity that a heuristic assumes to be proportional to the probability of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The volume: the probability that a small object hits the node.
    Volume,
    /// The surface area: the probability that a line or a large object hits the node.
    Surface,
}

/// When a node is a leaf (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// If it has at most this many triangles. Zero counts as one.
    Fixed(u32),
    /// If visiting its children is expected to cost more than testing all its triangles, by
    /// [`BuildOptions::costs`]. The probability of visiting a child is its share of the parent's
    /// surface area. So thresholds differ between nodes.
    Automatic,
}

impl BuildOptions {
    /// The paper's options for an environment: splatter rule, split at the mean, one triangle per
    /// leaf.
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

    /// The paper's options for a flying object: as [`BuildOptions::environment`] with 40 triangles
    /// per leaf, because each volume of this tree must be moved.
    #[must_use]
    pub fn flying() -> Self {
        Self { threshold: Threshold::Fixed(40), costs: Costs::TYPICAL, ..Self::environment() }
    }
}

impl BuildOptions {
    /// With this [`split`](Self#structfield.split).
    #[must_use]
    pub fn split(self, split: SplitRule) -> Self {
        Self { split, ..self }
    }

    /// With this split point [`at`](Self#structfield.at).
    #[must_use]
    pub fn at(self, at: SplitPoint) -> Self {
        Self { at, ..self }
    }

    /// With this [`degree`](Self#structfield.degree).
    #[must_use]
    pub fn degree(self, degree: usize) -> Self {
        Self { degree, ..self }
    }

    /// With this [`threshold`](Self#structfield.threshold).
    #[must_use]
    pub fn threshold(self, threshold: Threshold) -> Self {
        Self { threshold, ..self }
    }

    /// With these [`costs`](Self#structfield.costs).
    #[must_use]
    pub fn costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// Built on several threads or not: [`parallel`](Self#structfield.parallel).
    #[must_use]
    pub fn parallel(self, parallel: bool) -> Self {
        Self { parallel, ..self }
    }
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self::environment()
    }
}
