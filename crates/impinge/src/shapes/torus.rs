//! Plain and deformed tori.
//!
//! The torus is the second test object of Zachmann 1994, section 3.6; a deformed torus moves among
//! stalagmites in the *Torus* data set of Klosowski et al. 1998, section 5.2.

use std::f64::consts::TAU;

use super::builder::Surface;
use super::circle::unit_circle;
use super::params::{bad, between, count, length, total};
use crate::error::Error;
use crate::math::{Random, Vec3};
use crate::mesh::Mesh;

/// A torus about the z axis: a circle of radius `minor` rotated about it at distance `major`.
///
/// `around * across` planar quads, closed; `around` is the number of segments about the axis,
/// `across` about the circle.
///
/// ```
/// let ring = impinge::shapes::torus(2.0, 0.5, 24, 12)?;
/// assert_eq!(ring.vertices().len(), 24 * 12);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless `0 < minor < major` and both counts are at least 3.
pub fn torus(major: f64, minor: f64, around: usize, across: usize) -> Result<Mesh, Error> {
    torus_surface(major, minor, around, across)?.finish()
}

/// The surface of the mesh that [`torus`] makes.
pub fn torus_surface(
    major: f64,
    minor: f64,
    around: usize,
    across: usize,
) -> Result<Surface, Error> {
    check_parameters(major, minor, around, across)?;
    let section = unit_circle(across);
    let mut surface = Surface::new();
    let rings: Vec<_> = unit_circle(around)
        .into_iter()
        .map(|[c, s]| {
            // Counter-clockwise seen from the next ring: outward, then down.
            surface.ring(section.iter().map(|[x, y]| {
                let r = major + minor * x;
                Vec3::new(c * r, s * r, -minor * y)
            }))
        })
        .collect();
    surface.closed_skin(&rings);
    Ok(surface)
}

/// A torus with bumps: its thickness and the height of its centre line vary along both circles, as
/// sums of seeded waves.
///
/// `bump`, from 0 to 0.9, is the largest relative change of the thickness, and the centre line
/// moves up and down by at most `bump * minor`. The quads are not planar, so each is divided into
/// two triangles: `2 * around * across` in all, closed. With `bump = 0` it is the plain torus,
/// triangulated.
///
/// # Errors
/// `BadParameter` unless `0 < minor`, `minor * (1 + bump) < major`, `bump` is from 0 to 0.9 and
/// both counts at least 3.
pub fn deformed_torus(
    major: f64,
    minor: f64,
    around: usize,
    across: usize,
    bump: f64,
    seed: u64,
) -> Result<Mesh, Error> {
    deformed_surface(major, minor, [around, across], bump, seed)?.finish()
}

/// The surface of the mesh that [`deformed_torus`] makes.
pub fn deformed_surface(
    major: f64,
    minor: f64,
    [around, across]: [usize; 2],
    bump: f64,
    seed: u64,
) -> Result<Surface, Error> {
    check_parameters(major, minor, around, across)?;
    between("the torus's bump", bump, 0.0, 0.9)?;
    total("deformed torus", &[2, around, across])?;
    if minor * (1.0 + bump) >= major {
        return Err(bad(format!(
            "the deformed torus reaches its own axis: minor * (1 + bump) must be below the major radius {major}"
        )));
    }
    let mut random = Random::new(seed);
    let thickness = waves(&mut random, 4);
    let height = waves(&mut random, 0);
    let mut surface = Surface::new();
    let mut grid: Vec<Vec<u32>> = Vec::with_capacity(around);
    let share = |i: usize, n: usize| i as f64 / n as f64;
    for (i, [c, s]) in unit_circle(around).into_iter().enumerate() {
        let ring = unit_circle(across).into_iter().enumerate().map(|(j, [x, y])| {
            let (u, v) = (share(i, around), share(j, across));
            let r = minor * (1.0 + bump * wave_sum(&thickness, u, v));
            let lift = minor * bump * wave_sum(&height, u, 0.0);
            let distance = major + r * x;
            surface.vertex(Vec3::new(c * distance, s * distance, lift - r * y))
        });
        grid.push(ring.collect());
    }
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (&grid[i], &grid[(i + 1) % around]);
            let k = (j + 1) % across;
            surface.polygon([a[j], a[k], b[k]]);
            surface.polygon([a[j], b[k], b[j]]);
        }
    }
    Ok(surface)
}

fn check_parameters(major: f64, minor: f64, around: usize, across: usize) -> Result<(), Error> {
    length("the torus's major radius", major)?;
    length("the torus's minor radius", minor)?;
    if minor >= major {
        return Err(bad(format!(
            "the torus's minor radius {minor} must be below its major radius {major}, or it meets itself"
        )));
    }
    count("the number of segments around the torus", around, 3)?;
    count("the number of segments across the torus", across, 3)?;
    total("torus", &[around, across])
}

/// A wave: the number of periods along the two circles, the phase in turns, and its share of the
/// sum.
struct Wave {
    periods: [f64; 2],
    phase: f64,
    share: f64,
}

/// Six waves whose shares add up to 1, with at most `across` periods along the small circle.
fn waves(random: &mut Random, across: usize) -> Vec<Wave> {
    let mut waves: Vec<Wave> = (0..6)
        .map(|_| {
            let periods = [1 + random.index(7), random.index(across + 1)].map(|p| p as f64);
            Wave { periods, phase: random.unit(), share: random.range(0.2, 1.0) }
        })
        .collect();
    let sum: f64 = waves.iter().map(|w| w.share).sum();
    for wave in &mut waves {
        wave.share /= sum;
    }
    waves
}

fn wave_sum(waves: &[Wave], u: f64, v: f64) -> f64 {
    waves
        .iter()
        .map(|w| w.share * ((w.periods[0] * u + w.periods[1] * v + w.phase) * TAU).sin())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn tori_are_closed_and_approach_their_volume() {
        for (n, m) in [(3, 3), (4, 5), (31, 17)] {
            let surface = torus_surface(3.0, 1.0, n, m).unwrap();
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (n * m, 2 * n * m));
            assert_eq!(assert_closed(&mesh), 1);
        }
        let fine = torus(3.0, 1.0, 128, 64).unwrap();
        assert!((volume(&fine) / (6.0 * PI * PI) - 1.0).abs() < 5e-3);
    }

    #[test]
    fn deformed_tori_are_closed_seeded_and_within_their_bump() {
        for seed in [0, 1, 99] {
            let mesh = deformed_torus(3.0, 1.0, 40, 20, 0.5, seed).unwrap();
            assert_eq!((assert_closed(&mesh), mesh.triangles().len()), (1, 1600));
            assert_same_bits(&mesh, &deformed_torus(3.0, 1.0, 40, 20, 0.5, seed).unwrap());
            let top = mesh.bounds().max;
            assert!(top.x < 4.5 && top.z < 2.0 && top.z > 1.0, "{top}");
        }
        let [a, b] = [1, 2].map(|seed| deformed_torus(3.0, 1.0, 8, 8, 0.5, seed).unwrap());
        assert_ne!(a.vertices(), b.vertices());
        let smooth = deformed_torus(3.0, 1.0, 9, 8, 0.0, 5).unwrap();
        let plain = torus(3.0, 1.0, 9, 8).unwrap();
        for (a, b) in smooth.vertices().iter().zip(plain.vertices()) {
            assert!(a.distance(*b) < 1e-15);
        }
        assert_closed(&deformed_torus(3.0, 1.5, 50, 30, 0.9, 7).unwrap());
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(torus(1.0, 1.0, 8, 8), "below its major radius");
        assert_bad(torus(1.0, 0.0, 8, 8), "minor radius is 0");
        assert_bad(torus(2.0, 1.0, 2, 8), "around the torus is 2");
        assert_bad(torus(2.0, 1.0, 8, usize::MAX), "across the torus");
        assert_bad(torus(2.0, 1.0, 1 << 23, 3), "polygons");
        assert_bad(torus(1e50, 1e-50, 8, 8), "differ too much");
        assert_bad(deformed_torus(2.0, 1.0, 8, 8, 1.0, 0), "bump");
        assert_bad(deformed_torus(2.0, 1.5, 8, 8, 0.5, 0), "own axis");
        assert_bad(deformed_torus(2.0, 1.5, 8, 8, f64::NAN, 0), "bump");
    }
}
