//! The serialised form of distances.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Distance;
use crate::math::Vec3;
use crate::serial::{point, real};

#[derive(Serialize, Deserialize)]
struct Form {
    #[serde(with = "real")]
    lower: f64,
    #[serde(with = "real")]
    upper: f64,
    #[serde(with = "point")]
    point_a: Vec3,
    #[serde(with = "point")]
    point_b: Vec3,
    feature_a: Option<u32>,
    feature_b: Option<u32>,
}

/// The fields, bit for bit. Deserialising requires `0 <= lower <= upper` and finite points.
impl Serialize for Distance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self { lower, upper, point_a, point_b, feature_a, feature_b } = self;
        Form { lower, upper, point_a, point_b, feature_a, feature_b }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { lower, upper, point_a, point_b, feature_a, feature_b } =
            Form::deserialize(deserializer)?;
        if lower < 0.0 || lower > upper {
            let message = format!(
                "a distance has the bounds {lower:e} and {upper:e}, not 0 <= lower <= upper"
            );
            return Err(D::Error::custom(message));
        }
        Ok(Self { lower, upper, point_a, point_b, feature_a, feature_b })
    }
}
