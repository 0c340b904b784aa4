//! Deserialisation of reports about pairs of parts.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{PairReport, Relation};
use crate::answer::Distance;
use crate::math::Vec3;
use crate::pair::Hit;
use crate::serial::optional_point;

#[derive(Deserialize)]
struct StoredReport {
    relation: Relation,
    hit_count: usize,
    hits: Vec<Hit>,
    #[serde(with = "optional_point")]
    point: Option<Vec3>,
    distance: Option<Distance>,
}

/// Accepts only reports that a check can return: the hits are in order, there are none or as many
/// as `hit_count`, and parts that do not meet have neither hits nor a common point.
impl<'de> Deserialize<'de> for PairReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredReport { relation, hit_count, hits, point, distance } =
            StoredReport::deserialize(deserializer)?;
        if !hits.is_empty() && hits.len() != hit_count {
            let message = format!(
                "a report has {} hits, but `hit_count` is {hit_count}; it must have all of them or none",
                hits.len()
            );
            return Err(D::Error::custom(message));
        }
        if !hits
            .windows(2)
            .all(|w| (w[0].triangle_a, w[0].triangle_b) < (w[1].triangle_a, w[1].triangle_b))
        {
            return Err(D::Error::custom(
                "the hits of a report are not in ascending order of their triangles",
            ));
        }
        if !relation.is_collision() && (hit_count > 0 || point.is_some()) {
            return Err(D::Error::custom(
                "a report has evidence of a collision, but its parts do not meet",
            ));
        }
        Ok(Self { relation, hit_count, hits, point, distance })
    }
}
