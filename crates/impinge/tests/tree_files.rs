//! Trees are equal after a round trip through a file, and every damaged file gives an error or a
//! tree with correct answers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{self, Read};

use impinge::tree::{FORMAT_VERSION, Tree};
use impinge::{ErrorKind, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::{Random, count_from};
use impinge_oracles::meshes::tilted_star;
use xxhash_rust::xxh3::Xxh3;

/// The bytes of the file that hold the checksum. It covers all other bytes.
const CHECKSUM: std::ops::Range<usize> = 40..48;

fn written(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    mesh.tree().write(&mut bytes, mesh).unwrap();
    bytes
}

/// The bytes with a valid checksum, as an attacker would write them.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut hash = Xxh3::new();
    hash.update(&bytes[..CHECKSUM.start]);
    hash.update(&bytes[CHECKSUM.end..]);
    bytes[CHECKSUM].copy_from_slice(&hash.digest().to_le_bytes());
    bytes
}

/// Checks that a new mesh with its tree from `bytes` finds the same pairs as the mesh.
#[track_caller]
fn check_answers(mesh: &Mesh, bytes: &[u8]) {
    let fresh = mesh.with_vertices(mesh.vertices().to_vec()).unwrap();
    assert!(fresh.restore_tree(bytes).unwrap());
    assert_eq!(fresh.tree().validate(&fresh), Ok(()));
    let size = if mesh.is_empty() { Vec3::ZERO } else { mesh.bounds().extent() };
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let pose = Pose::from_translation(size * 0.2).unwrap().compose(&pose).unwrap();
    let expected = impinge::pair::intersecting_pairs(mesh, mesh, &pose);
    assert_eq!(impinge::pair::intersecting_pairs(&fresh, mesh, &pose), expected);
}

#[test]
fn trees_keep_every_bit() {
    let meshes = [
        shapes::torus(1.0, 0.4, 40, 20).unwrap(),
        shapes::icosphere(3.0, 12).unwrap(),
        shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
        tilted_star(),
        Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]]).unwrap(),
        Mesh::from_soup(&[[Vec3::ONE; 3]; 40]).unwrap(),
        Mesh::from_triangles(vec![Vec3::ONE], Vec::new()).unwrap(),
    ];
    for mesh in meshes {
        let bytes = written(&mesh);
        let tree = Tree::read(&*bytes, &mesh).unwrap();
        // Equal except for the stamp, which is unique to each tree.
        let [read, built] = [&tree, mesh.tree()].map(|tree| format!("{tree:?}"));
        assert_eq!(read.split(", stamp").next(), built.split(", stamp").next());
        assert!(read.contains(", stamp"));
        let mut again = Vec::new();
        tree.write(&mut again, &mesh).unwrap();
        assert_eq!(again, bytes);
        check_answers(&mesh, &bytes);
        // A mesh keeps an existing tree.
        assert!(!mesh.restore_tree(&*bytes).unwrap());
        // Reading stops at the end of the tree.
        let mut more = bytes.clone();
        more.extend(b"and more");
        let mut rest = &*more;
        Tree::read(&mut rest, &mesh).unwrap();
        assert_eq!(rest, b"and more");
    }
}

#[cfg(feature = "files")]
#[test]
fn the_tree_of_a_real_mesh_is_compact_and_correct() {
    let Some(path) = impinge_oracles::common::model("standard/bunny_7k.off") else { return };
    let mesh = Mesh::load(path).unwrap();
    let bytes = written(&mesh);
    assert!(bytes.len() < 6 * mesh.triangles().len(), "{}", bytes.len());
    check_answers(&mesh, &bytes);
}

#[test]
fn every_truncation_is_an_error() {
    let mesh = shapes::icosphere(1.0, 3).unwrap();
    let bytes = written(&mesh);
    for len in 0..bytes.len() {
        let error = Tree::read(&bytes[..len], &mesh).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{len}: {error}");
        assert!(error.to_string().contains(&format!("after {len} bytes")), "{error}");
    }
}

#[test]
fn every_altered_byte_is_an_error() {
    let mesh = shapes::icosphere(1.0, 2).unwrap();
    let bytes = written(&mesh);
    for at in 0..bytes.len() {
        for mask in [1, 0x80, 0xff, 0x10] {
            let mut altered = bytes.clone();
            altered[at] ^= mask;
            let error = Tree::read(&*altered, &mesh).unwrap_err();
            let expected = match at {
                0..8 => &[ErrorKind::File][..],
                8..12 => &[ErrorKind::WrongVersion],
                12..32 => &[ErrorKind::WrongMesh],
                _ => &[ErrorKind::Damaged],
            };
            assert!(expected.contains(&error.kind()), "byte {at}: {error}");
        }
    }
}

/// Altered bytes with a valid checksum give an error or a tree with correct answers.
#[test]
fn altered_bytes_with_a_valid_checksum_never_change_an_answer() {
    let mesh = shapes::icosphere(1.0, 2).unwrap();
    let bytes = written(&mesh);
    let mut random = Random::new(3);
    let (mut refused, mut read) = (0, 0);
    for round in 0..count_from("IMPINGE_FORGED_FILES", 20_000) {
        let mut forged = bytes.clone();
        // One to three changes of the counts and of the nodes. Swapped bytes often keep the set of
        // triangles.
        for _ in 0..=random.below(3) {
            let at = 32 + random.below(bytes.len() - 32);
            match round % 3 {
                0 => forged[at] = random.bits() as u8,
                1 => forged[at] ^= 1 << random.below(8),
                _ => forged.swap(at, 32 + random.below(bytes.len() - 32)),
            }
        }
        if forged == bytes {
            continue;
        }
        match Tree::read(&*with_checksum(forged.clone()), &mesh) {
            Ok(tree) => {
                assert_eq!(tree.validate(&mesh), Ok(()));
                read += 1;
                if read % 50 == 1 {
                    check_answers(&mesh, &with_checksum(forged));
                }
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 1000 && read > 10, "{refused} {read}");
}

#[test]
fn errors_of_structure_describe_the_defect() {
    // Two leaves below one node.
    let mesh = Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]; 12]).unwrap();
    let bytes = written(&mesh);
    let (node, leaf) = (CHECKSUM.end, CHECKSUM.end + 2);
    for (at, value, words) in [
        (node, 1, "has 1 slots"),
        (node, 9, "has 9 slots"),
        (node + 1, 0b111, "the leaves"),
        (node + 1, 0b10, "or is too deep"),
        (leaf, 0, "has 0 triangles"),
        (leaf, 9, "has 9 triangles"),
        (leaf + 1, 200, "has triangle 200, but the mesh has only 12"),
        (leaf + 1, bytes[leaf + 5], "occurs twice"),
        (32, 2, "are impossible"),
        (36, 200, "are impossible"),
    ] {
        let mut forged = bytes.clone();
        forged[at] = value;
        let error = Tree::read(&*with_checksum(forged), &mesh).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

#[test]
fn random_bytes_are_errors() {
    let mesh = shapes::icosphere(1.0, 2).unwrap();
    let bytes = written(&mesh);
    let mut random = Random::new(4);
    for round in 0..3000 {
        let mut garbage: Vec<u8> = (0..random.below(600)).map(|_| random.bits() as u8).collect();
        // Some begin with valid bytes.
        let good = [0, 8, 12, 28, 40][round % 5].min(garbage.len());
        garbage[..good].copy_from_slice(&bytes[..good]);
        assert!(Tree::read(&*garbage, &mesh).is_err());
    }
}

#[test]
fn wrong_meshes_versions_and_counts_are_distinct_errors() {
    let mesh = shapes::icosphere(1.0, 4).unwrap();
    let bytes = written(&mesh);
    // The same connectivity, one vertex moved by one bit.
    let mut vertices = mesh.vertices().to_vec();
    vertices[7].x = vertices[7].x.next_up();
    let other = mesh.with_vertices(vertices).unwrap();
    assert_eq!(Tree::read(&*bytes, &other).unwrap_err().kind(), ErrorKind::WrongMesh);
    let mut newer = bytes.clone();
    newer[8..12].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    let error = Tree::read(&*with_checksum(newer), &mesh).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongVersion);
    assert!(error.to_string().contains(&format!("{}", FORMAT_VERSION + 1)), "{error}");
    // Counts of four billion are rejected before memory is allocated.
    for at in [28, 32, 36] {
        let mut huge = bytes.clone();
        huge[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Tree::read(&*with_checksum(huge), &mesh).is_err());
    }
    // Writing a tree for another mesh is an error.
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    assert_eq!(mesh.tree().write(Vec::new(), &cube).unwrap_err().kind(), ErrorKind::WrongMesh);
}

/// A tree that is a chain, which no builder produces, is valid up to a maximum depth.
#[test]
fn chains_are_read_up_to_the_maximum_depth() {
    let mut random = Random::new(11);
    for (triangles, fine) in [(9_u32, true), (1025, true), (1026, false), (5000, false)] {
        let soup: Vec<[Vec3; 3]> = (0..triangles)
            .map(|_| {
                let p = random.point();
                [p, p + 0.1 * random.point(), p + 0.1 * random.point()]
            })
            .collect();
        let mesh = Mesh::from_soup(&soup).unwrap();
        let mut chain = written(&mesh)[..28].to_vec();
        for count in [triangles, triangles - 1, triangles] {
            chain.extend(count.to_le_bytes());
        }
        chain.extend([0; 8]);
        for t in 0..triangles {
            // The last node has two leaves.
            match triangles - t {
                1 => {}
                2 => chain.extend([2, 0b11]),
                _ => chain.extend([2, 0b01]),
            }
            chain.push(1);
            chain.extend(t.to_le_bytes());
        }
        if fine {
            check_answers(&mesh, &with_checksum(chain));
        } else {
            let error = Tree::read(&*with_checksum(chain), &mesh).unwrap_err();
            assert!(error.to_string().contains("too deep"), "{error}");
        }
    }
}

/// A reader and writer that always fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

impl io::Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn io_errors_have_their_cause_as_source() {
    let mesh = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    for error in
        [Tree::read(Broken, &mesh).unwrap_err(), mesh.tree().write(Broken, &mesh).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::File);
        assert!(error.to_string().contains("the disk is"), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
