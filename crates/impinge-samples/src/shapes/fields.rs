//! Fields of obstacles: tetrahedra in space, stalagmites on the floor of a cave.
//!
//! The *747* data set of Klosowski et al. 1998, section 5.2, has 25,000 random disjoint tetrahedra.
//! The *Torus* data set has stalagmites.

use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, count, length, total};
use impinge::internals::shapes::revolve::revolve_surface;
use impinge::internals::shapes::solids::{TETRAHEDRON_FACES, block, tetrahedron_corners};
use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;

/// `n` seeded disjoint tetrahedra of random shape and orientation in `space`: `4 n` triangles.
///
/// Every tetrahedron fits a ball of radius `size` and contains the ball's centre. Its corners are
/// at half to full `size` from the centre. The balls are disjoint: each lies in its own cell of a
/// lattice of cubes, at a random position. Every piece is closed.
///
/// ```
/// use impinge::{Aabb, Vec3};
/// use impinge_samples::shapes::tetrahedra_field;
///
/// let space = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0));
/// let field = tetrahedra_field(500, 7, space, 0.05)?;
/// assert_eq!(field.triangles().len(), 2000);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless `n` is at least 1, the box has a positive size along every axis, and
/// `size` is a positive number small enough that `n` cubes of edge `2 * size` fit the box side by
/// side.
pub fn tetrahedra_field(n: usize, seed: u64, space: Aabb, size: f64) -> Result<Mesh, Error> {
    tetrahedra_surface(n, seed, space, size)?.finish()
}

pub(super) fn tetrahedra_surface(
    n: usize,
    seed: u64,
    space: Aabb,
    size: f64,
) -> Result<Surface, Error> {
    count("the number of tetrahedra", n, 1)?;
    total("field", &[4, n])?;
    length("the size of the tetrahedra", size)?;
    let extent = space.max - space.min;
    for axis in 0..3 {
        length("the extent of the field's box", extent[axis])?;
        impinge::internals::shapes::params::coordinate(
            "a corner of the field's box",
            space.min[axis],
        )?;
    }
    let cells_at =
        |edge: f64| [0, 1, 2].map(|axis| (extent[axis] / edge).floor().min(1e9) as usize);
    let enough = |cells: [usize; 3]| cells.iter().fold(1_u128, |p, c| p * *c as u128) >= n as u128;
    let mut edge = 2.0 * size;
    let mut cells = cells_at(edge);
    if !enough(cells) {
        return Err(bad(format!(
            "{n} tetrahedra of size {size} do not fit the box of {} by {} by {}: use fewer or smaller ones",
            extent.x, extent.y, extent.z
        )));
    }
    // The largest cells that are numerous enough, so that the field fills the whole box. A flat box
    // has one layer.
    loop {
        edge *= 1.0625;
        let larger = cells_at(edge).map(|c| c.max(1));
        if !enough(larger) || cells == [1; 3] {
            break;
        }
        cells = larger;
    }
    let cell_size = Vec3::new(
        extent.x / as_f64(cells[0]),
        extent.y / as_f64(cells[1]),
        extent.z / as_f64(cells[2]),
    );
    let mut random = Random::new(seed);
    let mut surface = Surface::new();
    // A random subset of the cells, by selection sampling in one pass (Knuth, algorithm S).
    let all: usize = cells.iter().product();
    let mut wanted = n;
    for cell in 0..all {
        if random.index(all - cell) >= wanted {
            continue;
        }
        wanted -= 1;
        let at = [cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])];
        let low = space.min + Vec3::from(at.map(as_f64)) * cell_size + Vec3::splat(size);
        let room = (cell_size - Vec3::splat(2.0 * size)).max(Vec3::ZERO);
        let middle = low + room * (random.in_cube() * 0.5 + Vec3::splat(0.5));
        add_tetrahedron(&mut surface, &mut random, middle, size);
    }
    Ok(surface)
}

fn as_f64(n: usize) -> f64 {
    n as f64
}

/// Adds a random tetrahedron around `middle`, with corners at half to full `size` from it.
pub(super) fn add_tetrahedron(surface: &mut Surface, random: &mut Random, middle: Vec3, size: f64) {
    let turn = random.rotation();
    // Slightly below the full size, so that rounding does not move a corner out of its ball.
    let corners = tetrahedron_corners()
        .map(|c| surface.vertex(middle + turn * c * (size * random.range(0.5, 0.999_999))));
    for face in TETRAHEDRON_FACES {
        surface.polygon(face.map(|i| corners[i]));
    }
}

/// A cave floor with `n` seeded stalagmites: a slab below `z = 0`, and rough cones whose bases are
/// inside it.
///
/// The floor covers -1 to 1 in x and y. Each stalagmite has its own cell of a square lattice. The
/// stalagmites are disjoint, but overlap the slab. Each has `rings` bands of `segments` polygons,
/// the topmost being triangles, and one base polygon: `6 + n * (segments * rings + 1)` polygons.
/// All pieces are closed.
///
/// # Errors
/// `BadParameter` unless there is at least 1 stalagmite and 1 ring, and at least 3 segments.
pub fn stalagmites(n: usize, rings: usize, segments: usize, seed: u64) -> Result<Mesh, Error> {
    stalagmites_surface(n, rings, segments, seed)?.finish()
}

pub(super) fn stalagmites_surface(
    n: usize,
    rings: usize,
    segments: usize,
    seed: u64,
) -> Result<Surface, Error> {
    count("the number of stalagmites", n, 1)?;
    count("the number of rings", rings, 1)?;
    count("the number of segments", segments, 3)?;
    total("field of stalagmites", &[n, rings, segments])?;
    let mut random = Random::new(seed);
    let side = as_f64(n).sqrt().ceil() as usize;
    let cell = 2.0 / as_f64(side);
    let depth = 0.05;
    let mut surface = block(Vec3::new(-1.0, -1.0, -2.0 * depth), Vec3::new(1.0, 1.0, 0.0));
    let order = random.permutation(side * side);
    for place in &order[..n] {
        let foot = cell * random.range(0.15, 0.35);
        let room = 0.5 * cell - foot;
        let middle = Vec3::new(
            (as_f64(place % side) + 0.5) * cell - 1.0 + room * random.range(-1.0, 1.0),
            (as_f64(place / side) + 0.5) * cell - 1.0 + room * random.range(-1.0, 1.0),
            0.0,
        );
        let height = (foot * random.range(2.0, 8.0)).min(1.2);
        let mut profile = vec![[foot, -depth]];
        for k in 1..rings {
            // Slender towards the tip, and rough: each radius differs from the smooth shape by up
            // to a seventh.
            let t = as_f64(k) / as_f64(rings);
            let smooth = foot * (1.0 - t) * (1.0 - 0.4 * t);
            profile.push([smooth * random.range(0.86, 1.0), height * t - depth * (1.0 - t)]);
        }
        profile.push([0.0, height]);
        let turn = random.rotation();
        let lean = Vec3::new(turn.x, turn.y, 0.0) * 0.1;
        let spike = revolve_surface(&profile, segments)?;
        surface.append(&spike, |v| middle + v + lean * ((v.z + depth) * foot / height));
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    fn cube() -> Aabb {
        Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0))
    }

    #[test]
    fn tetrahedra_are_disjoint_closed_and_in_the_box() {
        for (n, size) in [(1, 1.0), (8, 0.5), (64, 0.25), (1000, 0.06)] {
            let mesh = tetrahedra_field(n, 5, cube(), size).unwrap();
            assert_eq!((assert_closed(&mesh), mesh.triangles().len()), (n, 4 * n));
            assert!(cube().contains_box(&mesh.bounds()), "{n} {:?}", mesh.bounds());
            // Disjoint boxes would be sufficient, but the cells guarantee more: a gap between the
            // balls.
            let balls: Vec<Vec3> =
                mesh.vertices().chunks(4).map(|c| c.iter().copied().sum::<Vec3>() / 4.0).collect();
            for (i, a) in balls.iter().enumerate() {
                assert!(balls[..i].iter().all(|b| a.distance(*b) > 0.1 * size));
            }
        }
    }

    #[test]
    fn a_flat_box_and_the_papers_number_fit() {
        let space = Aabb::from_corners(Vec3::ZERO, Vec3::new(100.0, 50.0, 2.0));
        assert_eq!(tetrahedra_field(300, 1, space, 0.9).unwrap().triangles().len(), 1200);
        let sheet = Aabb::from_corners(Vec3::ZERO, Vec3::new(1e6, 1e6, 1.0));
        assert_eq!(tetrahedra_field(5000, 1, sheet, 0.5).unwrap().triangles().len(), 20_000);
        let needle = Aabb::from_corners(Vec3::ZERO, Vec3::new(1e10, 1.0, 1.0));
        assert_eq!(tetrahedra_field(1, 1, needle, 0.5).unwrap().triangles().len(), 4);
        let many = tetrahedra_field(25_000, 1, cube(), 0.02).unwrap();
        assert_eq!(many.triangles().len(), 100_000);
        assert_same_bits(&many, &tetrahedra_field(25_000, 1, cube(), 0.02).unwrap());
        assert_ne!(many.vertices(), tetrahedra_field(25_000, 2, cube(), 0.02).unwrap().vertices());
    }

    #[test]
    fn stalagmites_are_closed_and_counted() {
        for (n, rings, segments) in [(1, 1, 3), (10, 4, 8), (400, 3, 6)] {
            let surface = stalagmites_surface(n, rings, segments, 9).unwrap();
            assert_eq!(surface.polygon_count(), 6 + n * (segments * rings + 1));
            let mesh = surface.finish().unwrap();
            assert_eq!(assert_closed(&mesh), n + 1);
            assert!(mesh.bounds().max.x <= 1.0 && mesh.bounds().min.z == -0.1);
            assert_same_bits(&mesh, &stalagmites(n, rings, segments, 9).unwrap());
        }
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(tetrahedra_field(0, 0, cube(), 0.1), "tetrahedra is 0");
        assert_bad(tetrahedra_field(9, 0, cube(), 0.5), "do not fit");
        assert_bad(tetrahedra_field(9, 0, cube(), f64::NAN), "size of the tetrahedra");
        assert_bad(tetrahedra_field(9, 0, Aabb::from_points([]), 0.1), "extent");
        assert_bad(tetrahedra_field(usize::MAX, 0, cube(), 0.1), "tetrahedra");
        assert_bad(
            tetrahedra_field(2, 0, Aabb::from_corners(Vec3::ZERO, Vec3::NAN), 0.1),
            "extent",
        );
        assert_bad(stalagmites(0, 4, 8, 0), "stalagmites is 0");
        assert_bad(stalagmites(5, 0, 8, 0), "rings is 0");
        assert_bad(stalagmites(5, 4, 2, 0), "segments is 2");
        assert_bad(stalagmites(1 << 20, 100, 8, 0), "polygons");
    }
}
