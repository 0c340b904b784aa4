//! Serialization of poses and boxes.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::oriented::OrientedBox;
use super::{Aabb, Pose, Vec3};
use crate::serial::{Real, as_serde_error};

/// The rows of the matrix `[R | t]`, bit for bit. Input is checked by [`Pose::from_matrix`].
impl Serialize for Pose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_matrix().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_matrix(<[[f64; 4]; 3]>::deserialize(deserializer)?).map_err(as_serde_error)
    }
}

#[derive(Serialize, Deserialize)]
struct Corners {
    min: [Real; 3],
    max: [Real; 3],
}

/// `min` and `max`; null for an empty box. Bit for bit, except that all empty boxes are read as
/// [`Aabb::EMPTY`]. Coordinates may be infinite; NaN is rejected in both directions.
impl Serialize for Aabb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let corners =
            Corners { min: self.min.to_array().map(Real), max: self.max.to_array().map(Real) };
        (!self.is_empty()).then_some(corners).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Aabb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(Corners { min, max }) = Option::deserialize(deserializer)? else {
            return Ok(Self::EMPTY);
        };
        let [min, max] = [min, max].map(|v| Vec3::from(v.map(|x| x.0)));
        let read = Self { min, max };
        if read.is_empty() {
            return Err(D::Error::custom(format!(
                "the box from {min} to {max} is inside out: no component of min may exceed that of max"
            )));
        }
        Ok(read)
    }
}

#[derive(Serialize, Deserialize)]
struct OrientedBoxParts {
    center: [f64; 3],
    axes: [[f64; 3]; 3],
    half: [f64; 3],
}

/// `center`, `axes` and `half`; null for an empty box. Bit for bit. Input must have perpendicular
/// unit axes, to the precision that all constructors guarantee.
impl Serialize for OrientedBox {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = OrientedBoxParts {
            center: self.center().to_array(),
            axes: self.axes().map(|a| a.to_array()),
            half: self.half(),
        };
        (!self.is_empty()).then_some(parts).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OrientedBox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(OrientedBoxParts { center, axes, half }) = Option::deserialize(deserializer)?
        else {
            return Ok(Self::around(&[]));
        };
        Self::from_parts(center.into(), axes.map(Vec3::from), half).map_err(as_serde_error)
    }
}

/// A pose that is stored without the range check of [`Pose`], since composed poses may exceed the
/// range.
pub(crate) struct StoredPose(pub(crate) Pose);

impl Serialize for StoredPose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredPose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = <[[f64; 4]; 3]>::deserialize(deserializer)?;
        Pose::from_stored(rows, f64::MAX).map(Self).map_err(as_serde_error)
    }
}
