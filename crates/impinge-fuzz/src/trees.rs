//! Stored trees: any bytes give an error or a tree that answers as any other.

use std::sync::OnceLock;

use impinge::tree::Tree;
use impinge::{Mesh, Pose, Vec3, pair, shapes};
use impinge_oracles::meshes::askew;
use xxhash_rust::xxh3::Xxh3;

/// Where the checksum is.
const HEAD: usize = 40;
const START: usize = 48;

/// The meshes whose trees are read. Which one is the first byte of the input.
fn meshes() -> &'static [Mesh] {
    static MESHES: OnceLock<Vec<Mesh>> = OnceLock::new();
    MESHES.get_or_init(|| {
        vec![
            shapes::icosphere(1.0, 2).unwrap(),
            shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
            askew(),
            Mesh::from_soup(&[[Vec3::ONE; 3]; 40]).unwrap(),
            Mesh::from_triangles(vec![Vec3::ONE], Vec::new()).unwrap(),
        ]
    })
}

/// Trees as they are written, before them a byte for the mesh: as they are, and with the bit that
/// asks for a fitting checksum.
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |(i, mesh): (usize, &Mesh)| {
        [0, 0x80].map(|sign| {
            let mut bytes = vec![i as u8 | sign];
            mesh.tree().write(&mut bytes, mesh).unwrap();
            bytes
        })
    };
    meshes().iter().enumerate().flat_map(seed).collect()
}

/// The first byte says which mesh and whether the checksum is made to fit.
pub fn read(bytes: &[u8]) {
    let Some((first, file)) = bytes.split_first() else { return };
    let mesh = &meshes()[usize::from(first & 0x7f) % meshes().len()];
    let mut file = file.to_vec();
    if first & 0x80 != 0 && file.len() >= START {
        let mut hash = Xxh3::new();
        hash.update(&file[..HEAD]);
        hash.update(&file[START..]);
        file[HEAD..START].copy_from_slice(&hash.digest().to_le_bytes());
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
