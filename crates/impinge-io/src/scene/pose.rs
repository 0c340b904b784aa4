//! Poses and scales of scene files as matrices.

use serde::Deserialize;

use crate::document::IDENTITY;
use crate::error::ErrorKind;
use crate::matrix::{Matrix, Placement, from_quaternion, normalized};

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Pose {
    translation: Option<[f64; 3]>,
    axis: Option<[f64; 3]>,
    angle_deg: Option<f64>,
    quaternion: Option<[f64; 4]>,
    matrix: Option<[[f64; 4]; 3]>,
}

/// One factor for all axes, or one per axis.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Scale {
    Uniform(f64),
    PerAxis([f64; 3]),
}

/// The map of a part, first its scale, then its pose; and the pose alone.
pub(super) fn placement(
    pose: Option<&Pose>,
    scale: Option<&Scale>,
) -> Result<(Placement, Matrix), (ErrorKind, String)> {
    let pose = match pose {
        Some(pose) => pose.matrix()?,
        None => IDENTITY,
    };
    let scale = match scale {
        Some(&Scale::Uniform(s)) => [s; 3],
        Some(&Scale::PerAxis(s)) => s,
        None => [1.0; 3],
    };
    if scale.contains(&0.0) {
        return Err((ErrorKind::Syntax, "its scale is zero".into()));
    }
    let place = Placement::of_matrix(pose).scaled_first(scale);
    if !place.is_finite() {
        return Err((ErrorKind::NotFinite, "its pose or scale is not finite".into()));
    }
    Ok((place, pose))
}

impl Pose {
    pub(super) fn matrix(&self) -> Result<Matrix, (ErrorKind, String)> {
        let syntax = |message: &str| Err((ErrorKind::Syntax, message.to_string()));
        let has_axis_angle = self.axis.is_some() || self.angle_deg.is_some();
        if let Some(matrix) = self.matrix {
            if has_axis_angle || self.quaternion.is_some() || self.translation.is_some() {
                return syntax(
                    "its pose has a matrix and other fields; remove the matrix or the others",
                );
            }
            return Ok(matrix);
        }
        if has_axis_angle && self.quaternion.is_some() {
            return syntax("its pose has both an axis and a quaternion; give only one of them");
        }
        let mut matrix = match (self.quaternion, self.axis, self.angle_deg) {
            (Some(q), _, _) => match from_quaternion(q) {
                Some(matrix) => matrix,
                None => return syntax("its quaternion is zero or not finite"),
            },
            (None, Some(axis), Some(angle)) => match normalized(axis) {
                Some(axis) if angle.is_finite() => axis_angle(axis, angle),
                _ => return syntax("its axis is zero or not finite, or its angle is not finite"),
            },
            (None, None, None) => IDENTITY,
            _ => return syntax("its pose has only one of axis and angle_deg; give both"),
        };
        if let Some(t) = self.translation {
            for (row, x) in matrix.iter_mut().zip(t) {
                row[3] = x;
            }
        }
        Ok(matrix)
    }
}

/// The rotation about a unit axis (Rodrigues' formula), with exact sine and cosine at multiples of
/// 90 degrees.
fn axis_angle([x, y, z]: [f64; 3], degrees: f64) -> Matrix {
    let degrees = degrees % 360.0;
    let (sin, cos) = match degrees.abs() {
        d if d % 90.0 == 0.0 => {
            let (sin, cos) =
                [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][(d / 90.0) as usize & 3];
            (sin * degrees.signum(), cos)
        }
        _ => degrees.to_radians().sin_cos(),
    };
    let versine = 1.0 - cos;
    [
        [cos + x * x * versine, x * y * versine - z * sin, x * z * versine + y * sin, 0.0],
        [y * x * versine + z * sin, cos + y * y * versine, y * z * versine - x * sin, 0.0],
        [z * x * versine - y * sin, z * y * versine + x * sin, cos + z * z * versine, 0.0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        let z = [0.0, 0.0, 1.0];
        for (angle, first) in [
            (0.0, [1.0, 0.0]),
            (90.0, [0.0, -1.0]),
            (180.0, [-1.0, 0.0]),
            (270.0, [0.0, 1.0]),
            (-90.0, [0.0, 1.0]),
            (720.0, [1.0, 0.0]),
        ] {
            assert_eq!(axis_angle(z, angle)[0][..2], first, "{angle}");
        }
        let m = axis_angle(z, 30.0);
        assert!((m[0][0] - 0.75f64.sqrt()).abs() < 1e-15 && (m[1][0] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn axis_angle_agrees_with_the_quaternion() {
        let axis = normalized([1.0, -2.0, 3.0]).unwrap();
        let (s, c) = 20.0f64.to_radians().sin_cos();
        let q = from_quaternion([axis[0] * s, axis[1] * s, axis[2] * s, c]).unwrap();
        let a = axis_angle(axis, 40.0);
        for (x, y) in a.iter().flatten().zip(q.iter().flatten()) {
            assert!((x - y).abs() < 1e-15);
        }
    }
}
