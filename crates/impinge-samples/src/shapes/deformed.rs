//! The torus with bumps that moves among stalagmites in the *Torus* data set of Klosowski et al.
//! 1998, section 5.2.

use std::f64::consts::TAU;

use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::circle::unit_circle;
use impinge::internals::shapes::params::{bad, between, total};
use impinge::internals::shapes::torus::check_parameters;
use impinge::math::Vec3;
use impinge::mesh::Mesh;

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
pub(super) fn deformed_surface(
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
    use impinge::internals::shapes::testing::*;
    use impinge::shapes::torus;

    use super::*;

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
        assert_bad(deformed_torus(2.0, 1.0, 8, 8, 1.0, 0), "bump");
        assert_bad(deformed_torus(2.0, 1.5, 8, 8, 0.5, 0), "own axis");
        assert_bad(deformed_torus(2.0, 1.5, 8, 8, f64::NAN, 0), "bump");
    }
}
