//! Prisms over spirals, whose ends are polygons with many corners.

use std::f64::consts::TAU;

use impinge::Error;
use impinge::internals::shapes::params::{bad, between, count, length, total};
use impinge::mesh::Mesh;
use impinge::shapes::prism;

/// The prism over a spiral band about the z axis. Closed.
///
/// The centre line of the band winds outward by `pitch` per turn, from radius `pitch`; `width`, the
/// share of the pitch that the band fills, is below 1 so that its turns do not touch. The whole
/// length has `steps` straight pieces: `2 * steps + 4` polygons, the ends non-convex polygons of
/// `2 * steps + 2` corners.
///
/// # Errors
/// `BadParameter` unless pitch and height are positive numbers, `width` is from 0.01 to 0.9,
/// `turns` from 0.1 to 1000, and there are at least 12 steps per turn.
pub fn spiral_prism(
    pitch: f64,
    width: f64,
    turns: f64,
    height: f64,
    steps: usize,
) -> Result<Mesh, Error> {
    prism(&spiral_outline(pitch, width, turns, steps)?, height)
}

/// The outline of [`spiral_prism`], counter-clockwise.
pub(super) fn spiral_outline(
    pitch: f64,
    width: f64,
    turns: f64,
    steps: usize,
) -> Result<Vec<[f64; 2]>, Error> {
    length("the spiral's pitch", pitch)?;
    between("the spiral's width", width, 0.01, 0.9)?;
    between("the number of turns", turns, 0.1, 1000.0)?;
    count("the number of steps of the spiral", steps, 2)?;
    total("spiral", &[steps, 2])?;
    let step_count = steps as f64;
    if step_count < 12.0 * turns {
        return Err(bad(format!(
            "the spiral has {steps} steps for {turns} turns: at least 12 per turn are needed"
        )));
    }
    let side = |i: usize, offset: f64| {
        let t = turns * (i as f64 / step_count);
        let (sin, cos) = (t * TAU).sin_cos();
        let r = pitch * (1.0 + t + offset);
        [r * cos, r * sin]
    };
    let outer = (0..=steps).map(|i| side(i, 0.5 * width));
    let inner = (0..=steps).rev().map(|i| side(i, -0.5 * width));
    Ok(outer.chain(inner).collect())
}

#[cfg(test)]
mod tests {
    use impinge::internals::shapes::testing::*;

    use super::*;

    #[test]
    fn spirals_are_closed() {
        for (turns, steps) in [(0.5, 6), (3.0, 48), (10.0, 200)] {
            let mesh = spiral_prism(1.0, 0.4, turns, 0.5, steps).unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            assert_eq!(mesh.triangles().len(), 2 * (2 * steps + 2) + 2 * 2 * steps);
            // The band's area is its width times the length of its centre line, up to the
            // discretisation.
            let r = |t: f64| 1.0 + t;
            let length_of_middle = TAU * (r(turns) * r(turns) - 1.0) / 2.0;
            assert!((volume(&mesh) / (0.5 * 0.4 * length_of_middle) - 1.0).abs() < 0.06);
        }
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(spiral_prism(1.0, 1.0, 2.0, 1.0, 48), "width");
        assert_bad(spiral_prism(1.0, 0.5, 2.0, 1.0, 20), "12 per turn");
        assert_bad(spiral_prism(1.0, 0.5, f64::INFINITY, 1.0, 20), "turns");
    }
}
