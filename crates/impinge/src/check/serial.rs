//! Reports about pairs of parts, read from what was serialised.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{PairReport, Relation};
use crate::answer::Distance;
use crate::math::Vec3;
use crate::pair::Hit;
use crate::serial::optional_point;

#[derive(Deserialize)]
struct Form {
    relation: Relation,
    hit_count: usize,
    hits: Vec<Hit>,
    #[serde(with = "optional_point")]
    witness: Option<Vec3>,
    distance: Option<Distance>,
}

/// What is read must be a report that a check can give: hits in order and no more of them than are
/// counted, and none of parts that do not meet.
impl<'de> Deserialize<'de> for PairReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { relation, hit_count, hits, witness, distance } =
            Form::deserialize(deserializer)?;
        if !hits.is_empty() && hits.len() != hit_count {
            let message = format!("{} hits of {hit_count} that are counted", hits.len());
            return Err(D::Error::custom(message));
        }
        if !hits.windows(2).all(|w| (w[0].a, w[0].b) < (w[1].a, w[1].b)) {
            return Err(D::Error::custom("hits that are not in order"));
        }
        if !relation.is_collision() && (hit_count > 0 || witness.is_some()) {
            return Err(D::Error::custom("evidence of a collision of parts that do not meet"));
        }
        Ok(Self { relation, hit_count, hits, witness, distance })
    }
}
