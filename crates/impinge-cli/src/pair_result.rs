//! Relations of pairs: their order, names and colours in reports.

use anstyle::{AnsiColor, Style};
use impinge::Distance;
use impinge::check::Relation;
use impinge::{Pose, Vec3};

/// A relation without its direction, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Crossing,
    Duplicate,
    Contained,
    Touching,
    Near,
    Clear,
}

impl Kind {
    /// All of them, worst first.
    pub(crate) const ALL: [Self; 6] =
        [Self::Crossing, Self::Duplicate, Self::Contained, Self::Touching, Self::Near, Self::Clear];

    /// The name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Duplicate => "duplicate",
            Self::Contained => "contained",
            Self::Touching => "touching",
            Self::Near => "near",
            Self::Clear => "clear",
        }
    }

    /// The style on a terminal.
    pub(crate) fn style(self) -> Style {
        let color = match self {
            Self::Crossing => AnsiColor::Red,
            Self::Duplicate => AnsiColor::Blue,
            Self::Contained => AnsiColor::Magenta,
            Self::Touching => AnsiColor::Yellow,
            Self::Near => AnsiColor::Cyan,
            Self::Clear => AnsiColor::Green,
        };
        let style = Style::new().fg_color(Some(color.into()));
        if self <= Self::Touching { style.bold() } else { style }
    }

    /// The colour in pictures, 8-bit sRGB.
    pub(crate) fn rgb(self) -> [u8; 3] {
        match self {
            Self::Crossing => [214, 40, 40],
            Self::Duplicate => [38, 96, 214],
            Self::Contained => [132, 58, 190],
            Self::Touching => [240, 130, 24],
            Self::Near => [238, 200, 44],
            Self::Clear => [196, 200, 206],
        }
    }
}

impl From<Relation> for Kind {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Clear => Self::Clear,
            Relation::Near => Self::Near,
            Relation::Touching => Self::Touching,
            Relation::AInsideB | Relation::BInsideA => Self::Contained,
            Relation::Duplicate => Self::Duplicate,
            // `Relation` is non-exhaustive. A relation added later is reported as the worst kind,
            // so that no collision is missed.
            _ => Self::Crossing,
        }
    }
}

/// The result for one pair of parts, every point in the scene's frame.
#[derive(Clone, Debug)]
pub(crate) struct PairResult {
    /// The first part's index in the scene.
    pub(crate) a: usize,
    /// The second part's index.
    pub(crate) b: usize,
    /// The relation of the two parts.
    pub(crate) relation: Relation,
    /// The number of intersecting pairs of triangles, if they were counted.
    pub(crate) triangle_pairs: Option<usize>,
    /// A common point.
    pub(crate) point: Option<Vec3>,
    /// The distance, if it was computed.
    pub(crate) distance: Option<Distance>,
}

impl PairResult {
    /// The kind of the relation.
    pub(crate) fn kind(&self) -> Kind {
        self.relation.into()
    }

    /// The point to show: a common point, or the closest point of the first part.
    pub(crate) fn place(&self) -> Option<Vec3> {
        self.point.or(self.distance.map(|d| d.point_a))
    }

    /// The parts in the order of reports: the inner part of a contained pair first.
    pub(crate) fn report_order(&self) -> (usize, usize) {
        if self.relation == Relation::BInsideA { (self.b, self.a) } else { (self.a, self.b) }
    }
}

/// The distance with its points mapped by `pose` from a part's frame to the scene's frame.
pub(crate) fn distance_in_scene(distance: &Distance, pose: &Pose) -> Distance {
    Distance {
        point_a: pose.transform_point(distance.point_a),
        point_b: pose.transform_point(distance.point_b),
        ..*distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_ordered_worst_first_and_have_the_names_of_the_library() {
        assert!(Kind::ALL.windows(2).all(|w| w[0] < w[1]));
        for relation in [
            Relation::Clear,
            Relation::Near,
            Relation::Touching,
            Relation::Crossing,
            Relation::AInsideB,
            Relation::BInsideA,
            Relation::Duplicate,
        ] {
            assert_eq!(Kind::from(relation).name(), relation.to_string());
            assert_eq!(relation.is_collision(), Kind::from(relation) <= Kind::Touching);
        }
    }
}
