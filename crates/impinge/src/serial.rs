//! Common parts of the serialised forms of this crate.
//!
//! The form of each type is in the file `serial.rs` of its module. Deserialised values go through
//! the constructors, so that they have all invariants of their type; other input is an error. Lists
//! grow as their entries are read: an announced length is not used to reserve memory.

use std::fmt;

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::error::Error;

/// A number that may be infinite: `"inf"` or `"-inf"` if the format is human-readable, because JSON
/// has no infinite numbers. Never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Real(pub(crate) f64);

/// The same for `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Real32(pub(crate) f32);

/// The error of a constructor as a deserialisation error.
pub(crate) fn as_serde_error<E: serde::de::Error>(error: Error) -> E {
    E::custom(error)
}

/// The serialised form of an infinite number.
fn infinity_text(x: f64) -> &'static str {
    if x > 0.0 { "inf" } else { "-inf" }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_nan() => Err(serde::ser::Error::custom("a number is NaN")),
            x if x.is_infinite() && serializer.is_human_readable() => {
                serializer.serialize_str(infinity_text(x))
            }
            x => serializer.serialize_f64(x),
        }
    }
}

impl Serialize for Real32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_finite() || (x.is_infinite() && !serializer.is_human_readable()) => {
                serializer.serialize_f32(x)
            }
            x => Real(f64::from(x)).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let x = if deserializer.is_human_readable() {
            deserializer.deserialize_any(RealVisitor)?
        } else {
            f64::deserialize(deserializer)?
        };
        if x.is_nan() { Err(D::Error::custom("a number is NaN")) } else { Ok(Self(x)) }
    }
}

impl<'de> Deserialize<'de> for Real32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let x = f32::deserialize(deserializer)?;
            return if x.is_nan() { Err(D::Error::custom("a number is NaN")) } else { Ok(Self(x)) };
        }
        let Real(wide) = Real::deserialize(deserializer)?;
        let x = wide as f32;
        if x.is_infinite() && wide.is_finite() {
            return Err(D::Error::custom(format!("{wide:e} is too large for single precision")));
        }
        Ok(Self(x))
    }
}

struct RealVisitor;

impl Visitor<'_> for RealVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E>(self, x: f64) -> Result<f64, E> {
        Ok(x)
    }

    fn visit_f32<E>(self, x: f32) -> Result<f64, E> {
        Ok(f64::from(x))
    }

    fn visit_i64<E>(self, x: i64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_u64<E>(self, x: u64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<f64, E> {
        match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }
}

/// Lists of numbers of different lengths, as one list that is divided into rows: row `i` is
/// `values[starts[i]..starts[i + 1]]`. Serialised as a list of lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows {
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<u32>,
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RowsVisitor)
    }
}

struct RowsVisitor;

impl<'de> Visitor<'de> for RowsVisitor {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of lists of indices")
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Rows, A::Error> {
        let mut rows = Rows { starts: vec![0], values: Vec::new() };
        while list.next_element_seed(Row(&mut rows.values))?.is_some() {
            let end = u32::try_from(rows.values.len())
                .map_err(|_| A::Error::custom("more indices than u32 can number"))?;
            rows.starts.push(end);
        }
        Ok(rows)
    }
}

/// One row, appended to the values.
struct Row<'a>(&'a mut Vec<u32>);

impl<'de> serde::de::DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of indices")
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            self.0.push(value);
        }
        Ok(())
    }
}

/// Points as arrays.
pub(crate) struct Points<'a>(pub(crate) &'a [glam::DVec3]);

impl Serialize for Points<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(glam::DVec3::to_array))
    }
}

/// A point of finite coordinates as an array: for `#[serde(with = "crate::serial::point")]`.
pub(crate) mod point {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use glam::DVec3 as Vec3;

    pub(crate) fn serialize<S: Serializer>(v: &Vec3, serializer: S) -> Result<S::Ok, S::Error> {
        v.to_array().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec3, D::Error> {
        let v = Vec3::from(<[f64; 3]>::deserialize(d)?);
        if v.is_finite() { Ok(v) } else { Err(D::Error::custom("a point is not finite")) }
    }
}

/// The same for an optional point.
pub(crate) mod optional_point {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use glam::DVec3 as Vec3;

    #[derive(Deserialize)]
    struct Point(#[serde(with = "super::point")] Vec3);

    #[allow(clippy::ref_option, reason = "the signature that serde calls")]
    pub(crate) fn serialize<S: Serializer>(v: &Option<Vec3>, s: S) -> Result<S::Ok, S::Error> {
        v.map(|v| v.to_array()).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec3>, D::Error> {
        Ok(Option::<Point>::deserialize(d)?.map(|p| p.0))
    }
}

/// A number that is not NaN, as [`Real`].
pub(crate) mod real {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Real;

    pub(crate) fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Real(*x).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        Real::deserialize(d).map(|x| x.0)
    }
}

/// The number of a corner or side of a triangle.
pub(crate) fn corner<'de, D: Deserializer<'de>>(d: D) -> Result<u8, D::Error> {
    match u8::deserialize(d)? {
        number @ 0..=2 => Ok(number),
        number => Err(D::Error::custom(format!("a triangle has no corner or side {number}"))),
    }
}
