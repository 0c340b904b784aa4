//! A system of pipes that run along the axes and bend at right angles.
//!
//! The *Pipes* data set of Klosowski et al. 1998, section 5.2: an interweaving pipeline that flies
//! through a larger copy of itself.

use std::collections::HashSet;

use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{count, total};
use impinge::internals::shapes::sweep::{pipe_surface, round_corners};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// Maximum length of a run, in lattice lines.
const MAX_RUN_LINES: usize = 8;

/// The number of chords of each bend.
pub(super) const BEND_STEPS: usize = 3;

/// `pipes` seeded pipes in the cube from -1 to 1, each of `runs` straight runs joined by rounded
/// bends.
///
/// Every run goes along an axis from one point of a lattice to another, and every bend is at a
/// right angle. The lattice has about twice the cube root of `pipes * runs` lines along every axis.
/// The radius of the pipes is a tenth of its spacing. Each pipe is closed. Pipes may cross each
/// other and themselves. `pipes * (segments * (4 * runs - 3) + 2)` polygons.
///
/// # Errors
/// `BadParameter` unless there is at least 1 pipe and 1 run, and at least 3 segments.
pub fn pipes(pipes: usize, runs: usize, segments: usize, seed: u64) -> Result<Mesh, Error> {
    pipes_surface(pipes, runs, segments, seed)?.finish()
}

pub(super) fn pipes_surface(
    pipes: usize,
    runs: usize,
    segments: usize,
    seed: u64,
) -> Result<Surface, Error> {
    count("the number of pipes", pipes, 1)?;
    count("the number of runs of a pipe", runs, 1)?;
    count("the number of segments", segments, 3)?;
    total("system of pipes", &[pipes, runs, BEND_STEPS + 1, segments])?;
    let mut random = Random::new(seed);
    // Eight lattice points per corner, so that a walk always finds a free one.
    let lines = ((8.0 * pipes as f64 * (runs + 1) as f64).cbrt().ceil() as usize).max(4);
    let spacing = 2.0 / lines as f64;
    let radius = 0.1 * spacing;
    let mut surface = Surface::new();
    let mut taken = HashSet::new();
    for _ in 0..pipes {
        let corners = walk(&mut random, runs, lines, &mut taken);
        let place = |c: [usize; 3]| Vec3::from(c.map(|k| (k as f64 + 0.5) * spacing - 1.0));
        let corners: Vec<Vec3> = corners.into_iter().map(place).collect();
        let path = round_corners(&corners, 0.3 * spacing, BEND_STEPS);
        surface.append(&pipe_surface(&path, radius, segments)?, |v| v);
    }
    Ok(surface)
}

/// A walk on the lattice: each point differs from the one before along one axis, and consecutive
/// steps use different axes.
///
/// Points that are `taken` are avoided as long as a free one is in range, so that no two bends
/// coincide.
fn walk(
    random: &mut Random,
    runs: usize,
    lines: usize,
    taken: &mut HashSet<[usize; 3]>,
) -> Vec<[usize; 3]> {
    let mut at = loop {
        let start = [random.index(lines), random.index(lines), random.index(lines)];
        if taken.insert(start) {
            break start;
        }
    };
    let mut axis = random.index(3);
    let mut corners = vec![at];
    for _ in 0..runs {
        let mut choices: Vec<(usize, [usize; 3])> = Vec::new();
        for other in [(axis + 1) % 3, (axis + 2) % 3] {
            for to in
                at[other].saturating_sub(MAX_RUN_LINES)..=(at[other] + MAX_RUN_LINES).min(lines - 1)
            {
                let mut corner = at;
                corner[other] = to;
                if to != at[other] {
                    choices.push((other, corner));
                }
            }
        }
        let free: Vec<_> = choices.iter().filter(|(_, c)| !taken.contains(c)).copied().collect();
        let from = if free.is_empty() { &choices } else { &free };
        (axis, at) = from[random.index(from.len())];
        taken.insert(at);
        corners.push(at);
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn every_pipe_is_closed_and_counted() {
        for (n, runs, segments, seed) in [(1, 1, 3, 0), (1, 20, 8, 1), (30, 6, 6, 2)] {
            let surface = pipes_surface(n, runs, segments, seed).unwrap();
            assert_eq!(surface.polygon_count(), n * (segments * (4 * runs - 3) + 2));
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!(assert_closed(&mesh), n);
            let b = mesh.bounds();
            assert!(b.min.min_element() >= -1.0 && b.max.max_element() <= 1.0);
        }
    }

    #[test]
    fn the_seed_determines_the_pipes() {
        let a = pipes(5, 6, 8, 77).unwrap();
        assert_same_bits(&a, &pipes(5, 6, 8, 77).unwrap());
        assert_ne!(a.vertices(), pipes(5, 6, 8, 78).unwrap().vertices());
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(pipes(0, 6, 8, 0), "pipes is 0");
        assert_bad(pipes(1, 0, 8, 0), "runs of a pipe is 0");
        assert_bad(pipes(1, 1, 2, 0), "segments is 2");
        assert_bad(pipes(1 << 12, 1 << 12, 8, 0), "polygons");
    }
}
