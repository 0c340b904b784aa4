//! The serialised forms of distances, contacts and bounds.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bounds, Contact, Distance};
use crate::math::Vec3;
use crate::serial::{point, real};

#[derive(Serialize, Deserialize)]
struct DistanceForm {
    #[serde(with = "real")]
    lower: f64,
    #[serde(with = "real")]
    upper: f64,
    #[serde(with = "point")]
    point_a: Vec3,
    #[serde(with = "point")]
    point_b: Vec3,
    triangle_a: Option<u32>,
    triangle_b: Option<u32>,
}

/// The fields, bit for bit. Deserialising requires `0 <= lower <= upper` and finite points.
impl Serialize for Distance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self { lower, upper, point_a, point_b, triangle_a, triangle_b } = self;
        DistanceForm { lower, upper, point_a, point_b, triangle_a, triangle_b }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DistanceForm { lower, upper, point_a, point_b, triangle_a, triangle_b } =
            DistanceForm::deserialize(deserializer)?;
        if lower < 0.0 || lower > upper {
            let message = format!(
                "a distance has the bounds {lower:e} and {upper:e}, not 0 <= lower <= upper"
            );
            return Err(D::Error::custom(message));
        }
        Ok(Self { lower, upper, point_a, point_b, triangle_a, triangle_b })
    }
}

#[derive(Serialize, Deserialize)]
struct ContactForm {
    #[serde(with = "real")]
    lower: f64,
    #[serde(with = "real")]
    upper: f64,
    #[serde(with = "point")]
    direction: Vec3,
    #[serde(with = "point")]
    point_a: Vec3,
    #[serde(with = "point")]
    point_b: Vec3,
}

/// The fields, bit for bit. Deserialising requires `lower <= upper` and finite points.
impl Serialize for Contact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self { lower, upper, direction, point_a, point_b } = self;
        ContactForm { lower, upper, direction, point_a, point_b }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Contact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ContactForm { lower, upper, direction, point_a, point_b } =
            ContactForm::deserialize(deserializer)?;
        check_order("a contact", lower, upper)?;
        Ok(Self { lower, upper, direction, point_a, point_b })
    }
}

#[derive(Serialize, Deserialize)]
struct BoundsForm {
    #[serde(with = "real")]
    lower: f64,
    #[serde(with = "real")]
    upper: f64,
    #[serde(with = "real")]
    open_depth: f64,
    open: usize,
}

/// The fields, bit for bit. Deserialising requires `lower <= upper`, a depth that is not negative,
/// and at least one undecided item.
impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self { lower, upper, open_depth, open } = self;
        BoundsForm { lower, upper, open_depth, open }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BoundsForm { lower, upper, open_depth, open } = BoundsForm::deserialize(deserializer)?;
        check_order("a signed distance", lower, upper)?;
        if open_depth < 0.0 || open == 0 {
            let message = format!(
                "bounds have {open} undecided items and their depth {open_depth:e}; \
                 there must be at least one item, and a depth is not negative"
            );
            return Err(D::Error::custom(message));
        }
        Ok(Self { lower, upper, open_depth, open })
    }
}

fn check_order<E: serde::de::Error>(what: &str, lower: f64, upper: f64) -> Result<(), E> {
    if lower <= upper {
        return Ok(());
    }
    Err(E::custom(format!("{what} has the bounds {lower:e} and {upper:e}, not lower <= upper")))
}
