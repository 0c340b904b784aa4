//! A crowded room: tables, chairs, shelves, bins, crates and lamps between walls.
//!
//! A substitute for the *Interior* data set in Klosowski et al. 1998, section 5.2, a section of an
//! aircraft's interior in which a hand is moved.

use glam::DQuat;

use super::lamp::lamp_surface;
use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{count, total};
use impinge::internals::shapes::parts::open_box_surface;
use impinge::internals::shapes::revolve::{revolve_surface, tube_profile};
use impinge::internals::shapes::solids::block;
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// The number of polygons of each kind of furniture, in the order in which the kinds alternate.
const KINDS: [usize; 6] = [30, 36, 42, 64, 6, 92];

/// The number of polygons of the room itself.
const ROOM_POLYGONS: usize = 14;

/// The number of items for which the polygon count of the room is nearest to `polygons`.
pub(super) fn items_for(polygons: usize) -> usize {
    let set: usize = KINDS.iter().sum();
    let sets = polygons.saturating_sub(ROOM_POLYGONS) / set;
    let (mut items, mut have) = (KINDS.len() * sets, ROOM_POLYGONS + sets * set);
    // Add an item as long as it does not exceed the target by more than is missing now.
    for kind in KINDS {
        if have + kind > polygons + polygons.saturating_sub(have) {
            break;
        }
        have += kind;
        items += 1;
    }
    items.max(1)
}

/// A room with `items` seeded pieces of furniture. Lengths are in metres. The top of the floor is
/// at `z = 0.1`.
///
/// The room is an open box of closed walls, with about 0.7 square metres per item. The kinds
/// alternate (table, chair, shelf, bin, crate, lamp). Position, size and orientation are random,
/// and pieces may overlap. All pieces are closed. `14 + 45 * items` polygons if `items` is a
/// multiple of six.
///
/// # Errors
/// `BadParameter` unless there is at least 1 item.
pub fn interior(items: usize, seed: u64) -> Result<Mesh, Error> {
    interior_surface(items, seed)?.finish()
}

pub(super) fn interior_surface(items: usize, seed: u64) -> Result<Surface, Error> {
    count("the number of items", items, 1)?;
    total("interior", &[items, 92])?;
    let mut random = Random::new(seed);
    let side = (0.7 * items as f64).sqrt().max(1.4) + 0.9;
    let wall = 0.1;
    let mut room = open_box_surface(Vec3::new(side, side, 2.6), wall)?;
    let reach = 0.5 * side - wall - 0.55;
    for item in 0..items {
        let piece = furniture(item % 6, &mut random)?;
        let turn = DQuat::from_rotation_z(random.range(0.0, std::f64::consts::TAU));
        let at = Vec3::new(random.range(-reach, reach), random.range(-reach, reach), wall);
        room.append(&piece, |v| at + turn * v);
    }
    Ok(room)
}

/// A piece of furniture standing on `z = 0` around the z axis, within half a metre of it.
fn furniture(kind: usize, random: &mut Random) -> Result<Surface, Error> {
    let mut piece = Surface::new();
    let mut add =
        |low: [f64; 3], high: [f64; 3]| piece.append(&block(low.into(), high.into()), |v| v);
    match kind {
        0 => {
            // A table: four legs that reach into the top.
            let (x, y, h) =
                (random.range(0.3, 0.4), random.range(0.2, 0.3), random.range(0.68, 0.78));
            add([-x, -y, h - 0.03], [x, y, h]);
            legs(&mut add, x - 0.02, y - 0.02, h - 0.01);
        }
        1 => {
            // A chair.
            let (x, h) = (random.range(0.19, 0.23), random.range(0.4, 0.48));
            add([-x, -x, h - 0.04], [x, x, h]);
            add([-x + 0.01, x - 0.04, h - 0.02], [x - 0.01, x - 0.01, h + 0.5]);
            legs(&mut add, x - 0.02, x - 0.05, h - 0.01);
        }
        2 => {
            // A shelf: two sides and five boards.
            let (x, h) = (random.range(0.3, 0.45), random.range(1.2, 2.2));
            for side in [-1.0, 1.0] {
                add([side * x - 0.01, -0.15, 0.0], [side * x + 0.01, 0.15, h]);
            }
            for board in 0..5 {
                let z = 0.05 + (h - 0.1) * f64::from(board) / 4.0;
                add([-x, -0.14, z], [x, 0.14, z + 0.02]);
            }
        }
        3 => {
            // A bin: a tube and a round plate in it, sixteen pieces around.
            let (r, h) = (random.range(0.12, 0.2), random.range(0.25, 0.45));
            let tube = revolve_surface(&tube_profile(r, r - 0.01, h)?, 14)?;
            piece.append(&tube, |v| v + Vec3::Z * (0.5 * h + 0.01));
            let plate = [[r - 0.005, 0.0], [r - 0.005, 0.02]];
            piece.append(&revolve_surface(&plate, 6)?, |v| v);
        }
        4 => {
            let [x, y] = [random.range(0.1, 0.35), random.range(0.1, 0.35)];
            add([-x, -y, 0.0], [x, y, random.range(0.15, 0.6)]);
        }
        _ => {
            let height = random.range(0.5, 1.4);
            piece = lamp_surface(height, 8, 1)?;
        }
    }
    Ok(piece)
}

fn legs(add: &mut impl FnMut([f64; 3], [f64; 3]), x: f64, y: f64, height: f64) {
    for [sx, sy] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        let (cx, cy) = (sx * (x - 0.02), sy * (y - 0.02));
        add([cx - 0.02, cy - 0.02, 0.0], [cx + 0.02, cy + 0.02, height]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn rooms_are_full_of_closed_pieces() {
        for items in [1, 5, 6, 60] {
            let surface = interior_surface(items, 4).unwrap();
            let expected = (0..items).map(|i| KINDS[i % 6]).sum::<usize>();
            assert_eq!(surface.polygon_count(), ROOM_POLYGONS + expected);
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert!(assert_closed(&mesh) > items);
            // Everything is inside the room.
            let room = interior_surface(items, 4).unwrap().vertices()[..16].to_vec();
            let walls = impinge::Aabb::from_points(room);
            assert!(walls.contains_box(&mesh.bounds()), "{:?}", mesh.bounds());
        }
    }

    #[test]
    fn the_seed_determines_the_room() {
        let a = interior(20, 1).unwrap();
        assert_same_bits(&a, &interior(20, 1).unwrap());
        assert_ne!(a.vertices(), interior(20, 2).unwrap().vertices());
        assert_bad(interior(0, 1), "items is 0");
        assert_bad(interior(usize::MAX, 1), "items");
    }
}
