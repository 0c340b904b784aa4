//! The serialised form of boxes in single precision.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::BoxF32;
use crate::serial::Real32;

#[derive(Serialize, Deserialize)]
struct Corners {
    min: [Real32; 3],
    max: [Real32; 3],
}

/// `min` and `max`; null for an empty box. Values are restored bit for bit, except that all empty
/// boxes become [`BoxF32::EMPTY`]. Sides may be infinite.
impl Serialize for BoxF32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let corners = Corners { min: self.min.map(Real32), max: self.max.map(Real32) };
        (!self.is_empty()).then_some(corners).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BoxF32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(Corners { min, max }) = Option::deserialize(deserializer)? else {
            return Ok(Self::EMPTY);
        };
        let read = Self { min: min.map(|x| x.0), max: max.map(|x| x.0) };
        if read.is_empty() {
            return Err(D::Error::custom(format!(
                "the box {read:?} is inside out: a min exceeds its max"
            )));
        }
        Ok(read)
    }
}
