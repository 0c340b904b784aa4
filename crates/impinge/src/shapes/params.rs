//! Checks of the generators' parameters.

use crate::error::{Error, ErrorKind};

/// The largest number of polygons of one generated mesh.
pub const MAX_POLYGONS: usize = 1 << 24;

/// The smallest length a generator accepts: below it products of coordinates underflow.
pub const MIN_LENGTH: f64 = 1e-50;

/// The largest length a generator accepts; sums of a few such lengths stay within the range of
/// exact verdicts.
pub const MAX_LENGTH: f64 = 1e50;

/// An [`ErrorKind::BadParameter`] error.
pub fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadParameter, message)
}

/// Checks a radius, height or other length: positive, from [`MIN_LENGTH`] to [`MAX_LENGTH`].
pub fn length(name: &str, value: f64) -> Result<f64, Error> {
    if (MIN_LENGTH..=MAX_LENGTH).contains(&value) {
        Ok(value)
    } else {
        Err(bad(format!(
            "{name} is {value}: it must be a positive number from {MIN_LENGTH:e} to {MAX_LENGTH:e}"
        )))
    }
}

/// Checks a coordinate: finite, of absolute value at most [`MAX_LENGTH`].
pub fn coordinate(name: &str, value: f64) -> Result<f64, Error> {
    if value.abs() <= MAX_LENGTH {
        Ok(value)
    } else {
        Err(bad(format!("{name} is {value}: it must be from -{MAX_LENGTH:e} to {MAX_LENGTH:e}")))
    }
}

/// Checks a share, ratio or other pure number: between two bounds, both included.
#[cfg(any(test, feature = "internals"))]
pub fn between(name: &str, value: f64, low: f64, high: f64) -> Result<f64, Error> {
    if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(bad(format!("{name} is {value}: it must be from {low} to {high}")))
    }
}

/// Checks a number of segments, rings or pieces: at least `min`, at most [`MAX_POLYGONS`].
pub fn count(name: &str, value: usize, min: usize) -> Result<usize, Error> {
    if (min..=MAX_POLYGONS).contains(&value) {
        Ok(value)
    } else {
        Err(bad(format!("{name} is {value}: it must be from {min} to {MAX_POLYGONS}")))
    }
}

/// Checks that the product of `factors`, the number of polygons of a `shape`, is at most
/// [`MAX_POLYGONS`].
pub fn total(shape: &str, factors: &[usize]) -> Result<(), Error> {
    let product = factors.iter().fold(1_usize, |p, f| p.saturating_mul(*f));
    if product <= MAX_POLYGONS {
        Ok(())
    } else {
        Err(bad(format!(
            "the {shape} would have {product} polygons or more: at most {MAX_POLYGONS} are allowed, use smaller counts"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_lengths_are_rejected_with_the_allowed_range() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e51, 1e-51, 5e-324] {
            let error = length("radius", value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadParameter);
            assert!(error.to_string().starts_with("radius is "), "{error}");
            assert!(error.to_string().contains("1e-50 to 1e50"), "{error}");
        }
        assert!(length("radius", MIN_LENGTH).is_ok() && length("radius", MAX_LENGTH).is_ok());
    }

    #[test]
    fn counts_are_bounded_on_both_sides_and_products_do_not_overflow() {
        assert!(count("rings", 1, 2).is_err() && count("rings", usize::MAX, 2).is_err());
        assert_eq!(count("rings", 2, 2).unwrap(), 2);
        assert!(total("torus", &[usize::MAX, usize::MAX]).is_err());
        assert!(total("torus", &[4096, 4096]).is_ok());
        assert!(between("bump", f64::NAN, 0.0, 1.0).is_err());
        assert!(coordinate("x", f64::NEG_INFINITY).is_err());
    }
}
