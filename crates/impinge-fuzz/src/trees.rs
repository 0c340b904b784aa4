//! Stored trees: any bytes give an error, or a valid tree that finds the same pairs as a built one.

use std::sync::OnceLock;

use impinge::tree::Tree;
use impinge::{Mesh, Pose, Vec3, pair, shapes};
use impinge_oracles::meshes::tilted_star;
use xxhash_rust::xxh3::Xxh3;

/// The bytes of the file that hold the checksum. It covers all other bytes.
const CHECKSUM: std::ops::Range<usize> = 40..48;

/// The meshes whose trees are read. The first byte of the input selects one.
fn meshes() -> &'static [Mesh] {
    static MESHES: OnceLock<Vec<Mesh>> = OnceLock::new();
    MESHES.get_or_init(|| {
        vec![
            shapes::icosphere(1.0, 2).unwrap(),
            shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
            tilted_star(),
            Mesh::from_soup(&[[Vec3::ONE; 3]; 40]).unwrap(),
            Mesh::from_triangles(vec![Vec3::ONE], Vec::new()).unwrap(),
        ]
    })
}

/// Each tree as [`Tree::write`] writes it, after the byte that selects the mesh: once as it is, and
/// once with the bit that requests a valid checksum.
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |(i, mesh): (usize, &Mesh)| {
        [0, 0x80].map(|checksum_bit| {
            let mut bytes = vec![i as u8 | checksum_bit];
            mesh.tree().write(&mut bytes, mesh).unwrap();
            bytes
        })
    };
    meshes().iter().enumerate().flat_map(seed).collect()
}

/// The low seven bits of the first byte select the mesh. With the high bit, the checksum is
/// recomputed, so that the reader's other checks are reached.
pub fn read(bytes: &[u8]) {
    let Some((first, file)) = bytes.split_first() else { return };
    let mesh = &meshes()[usize::from(first & 0x7f) % meshes().len()];
    let mut file = file.to_vec();
    if first & 0x80 != 0 && file.len() >= CHECKSUM.end {
        let mut hash = Xxh3::new();
        hash.update(&file[..CHECKSUM.start]);
        hash.update(&file[CHECKSUM.end..]);
        file[CHECKSUM].copy_from_slice(&hash.digest().to_le_bytes());
    }
    match Tree::read(&*file, mesh) {
        Ok(tree) => {
            assert_eq!(tree.validate(mesh), Ok(()));
            let fresh = mesh.with_vertices(mesh.vertices().to_vec()).unwrap();
            assert!(fresh.restore_tree(&*file).unwrap());
            let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
            let expected = pair::intersecting_pairs(mesh, mesh, &pose);
            assert_eq!(pair::intersecting_pairs(&fresh, mesh, &pose), expected);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
