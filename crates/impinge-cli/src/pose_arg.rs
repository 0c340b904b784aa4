//! Poses given by the user: numbers on the command line or in a small text file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use impinge::Pose;

use crate::args::QueryArgs;

/// The pose of the second file given by the options; the identity without one.
pub(crate) fn from_args(args: &QueryArgs) -> Result<Pose> {
    if let Some(text) = &args.pose {
        return parse_pose(text).with_context(|| format!("--pose \"{text}\""));
    }
    if let Some(text) = &args.pose_matrix {
        return parse_matrix(text).with_context(|| format!("--pose-matrix \"{text}\""));
    }
    if let Some(path) = &args.pose_file {
        return read(path).with_context(|| format!("--pose-file {}", path.display()));
    }
    Ok(Pose::IDENTITY)
}

/// Whether any of the pose options is set.
pub(crate) fn is_given(args: &QueryArgs) -> bool {
    args.pose.is_some() || args.pose_matrix.is_some() || args.pose_file.is_some()
}

/// Parses `x y z` or `x y z qx qy qz qw`.
fn parse_pose(text: &str) -> Result<Pose> {
    let n = numbers(text)?;
    match n.len() {
        3 => Ok(Pose::from_translation([n[0], n[1], n[2]])?),
        7 => Ok(Pose::from_quaternion([n[3], n[4], n[5], n[6]], [n[0], n[1], n[2]])?),
        other => bail!(
            "{other} numbers; expected 3 (x y z) or 7 (x y z qx qy qz qw); give a matrix with --pose-matrix"
        ),
    }
}

/// Parses the twelve numbers of a row-major 3x4 matrix. A matrix that is not quite a rotation,
/// because it has few digits, is replaced by the nearest rotation.
fn parse_matrix(text: &str) -> Result<Pose> {
    let n = numbers(text)?;
    if n.len() != 12 {
        bail!(
            "{} numbers; expected 12: three rows, each of three rotation entries and a translation",
            n.len()
        );
    }
    matrix(&n)
}

/// Reads a file of 3, 7, 12 or 16 numbers; text from `#` to the end of a line is a comment.
fn read(path: &Path) -> Result<Pose> {
    let text = std::fs::read_to_string(path).context("cannot read the file")?;
    let body: String = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    let n = numbers(&body)?;
    match n.len() {
        3 | 7 => parse_pose(&body),
        12 => matrix(&n),
        16 if n[12..] == [0.0, 0.0, 0.0, 1.0] => matrix(&n[..12]),
        16 => bail!(
            "the last row of the 4x4 matrix is {:?}, not 0 0 0 1; the matrix must be row-major",
            &n[12..]
        ),
        other => {
            bail!("{other} numbers; expected 3 (x y z), 7 (with a quaternion), 12 or 16 (a matrix)")
        }
    }
}

fn matrix(n: &[f64]) -> Result<Pose> {
    let row = |i: usize| [n[4 * i], n[4 * i + 1], n[4 * i + 2], n[4 * i + 3]];
    let rows = [row(0), row(1), row(2)];
    // The library's `from_matrix` accepts rotations up to rounding of `f64` only. A matrix typed
    // with six digits is rounded to the nearest rotation.
    Ok(Pose::from_matrix(rows).or_else(|_| Pose::from_nearest_rotation(rows))?)
}

/// Numbers separated by white space, commas or semicolons; brackets are ignored.
fn numbers(text: &str) -> Result<Vec<f64>> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']' | '(' | ')'))
        .filter(|word| !word.is_empty())
        .map(|word| word.parse::<f64>().ok().with_context(|| format!("\"{word}\" is not a number")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Vec3;

    #[test]
    fn three_numbers_translate_and_seven_also_rotate() {
        assert_eq!(parse_pose("1 -2,3e1").unwrap().translation(), Vec3::new(1.0, -2.0, 30.0));
        let rotated = parse_pose("[1, 0, 0] (0 0 2 2)").unwrap();
        assert!(rotated.transform_point(Vec3::X).distance(Vec3::new(1.0, 1.0, 0.0)) < 1e-15);
    }

    #[test]
    fn a_matrix_with_few_digits_becomes_the_nearest_rotation() {
        let pose = parse_matrix("0.7071 -0.7071 0 5  0.7071 0.7071 0 6  0 0 1 7").unwrap();
        assert_eq!(pose.translation(), Vec3::new(5.0, 6.0, 7.0));
        assert!((pose.transform_vector(Vec3::X).length() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn errors_state_the_reason() {
        for (text, reason) in [
            ("1 2", "2 numbers"),
            ("1 2 x", "\"x\" is not a number"),
            ("1 2 nan", "finite"),
            ("0 0 0 0 0 0 0", "quaternion is zero"),
            ("", "0 numbers"),
        ] {
            let error = format!("{:#}", parse_pose(text).unwrap_err());
            assert!(error.contains(reason), "{text:?}: {error}");
        }
        let scaled = format!("{:#}", parse_matrix("2 0 0 0 0 2 0 0 0 0 2 0").unwrap_err());
        assert!(scaled.contains("lengths"), "{scaled}");
        assert!(parse_matrix("1 0 0").is_err());
    }

    #[test]
    fn pose_files_accept_every_form_and_comments() {
        let path = std::env::temp_dir().join(format!("impinge-pose-{}.txt", std::process::id()));
        std::fs::write(&path, "# up\n1 0 0 0 # x\n0 1 0 0\n0 0 1 9\n0 0 0 1\n").unwrap();
        assert_eq!(read(&path).unwrap().translation(), Vec3::new(0.0, 0.0, 9.0));
        std::fs::write(&path, "1 2 3 4 5").unwrap();
        assert!(read(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(format!("{:#}", read(&path).unwrap_err()).contains("cannot read"));
    }
}
