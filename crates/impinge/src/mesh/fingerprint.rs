//! A hash that identifies meshes, for data that is stored about them elsewhere.

use std::fmt;

use xxhash_rust::xxh3::Xxh3;

use super::Mesh;

/// A hash of the bits of all vertices and of all triangles' corners: 128 bits of XXH3.
///
/// Equal meshes have equal fingerprints on every machine; in practice, different meshes have
/// different fingerprints. The hash is not cryptographic and collisions can be constructed, so no
/// result of this crate depends on it. Displayed as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub(crate) [u8; 16]);

impl Mesh {
    /// The fingerprint of the mesh's vertices and triangles, in their order. Polygons enter only
    /// through their triangles. Takes one pass over all vertices and triangles on first use, and is
    /// kept; clones share it.
    ///
    /// ```
    /// use impinge::shapes;
    ///
    /// let ball = shapes::icosphere(1.0, 2)?;
    /// assert_eq!(ball.fingerprint(), shapes::icosphere(1.0, 2)?.fingerprint());
    /// assert_ne!(ball.fingerprint(), ball.scaled(1.5)?.fingerprint());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| self.compute_fingerprint())
    }

    fn compute_fingerprint(&self) -> Fingerprint {
        let mut hash = Xxh3::new();
        hash.update(&(self.vertices.len() as u64).to_le_bytes());
        hash.update(&(self.triangles().len() as u64).to_le_bytes());
        let mut buffer = Vec::with_capacity(24 * 256);
        for chunk in self.vertices.chunks(256) {
            buffer.clear();
            for v in chunk {
                for x in v.to_array() {
                    buffer.extend_from_slice(&x.to_bits().to_le_bytes());
                }
            }
            hash.update(&buffer);
        }
        for chunk in self.triangles().chunks(512) {
            buffer.clear();
            for v in chunk.as_flattened() {
                buffer.extend_from_slice(&v.to_le_bytes());
            }
            hash.update(&buffer);
        }
        Fingerprint(hash.digest128().to_le_bytes())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Vec3;
    use crate::mesh::{Deforming, Mesh};

    #[test]
    fn every_bit_changes_the_fingerprint_and_its_value_is_fixed() {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mesh = |vertices: &[Vec3], t: [u32; 3]| {
            Mesh::from_triangles(vertices.to_vec(), vec![t]).unwrap().fingerprint()
        };
        let one = mesh(&corners, [0, 1, 2]);
        // Files written on one machine are read on another: the value must not change.
        assert_eq!(one.to_string(), "2aca009281043b8a4bab3c2ed8698383");
        let mut others = vec![mesh(&corners, [1, 2, 0]), mesh(&corners[..3], [0, 1, 2])];
        for (vertex, position) in
            [(0, Vec3::new(-0.0, 0.0, 0.0)), (3, Vec3::Z * (1.0 + f64::EPSILON))]
        {
            let mut moved = corners.clone();
            moved[vertex] = position;
            others.push(mesh(&moved, [0, 1, 2]));
        }
        assert!(others.iter().all(|other| *other != one));
    }

    #[test]
    fn a_deformed_mesh_has_the_fingerprint_of_its_vertices() {
        let mesh = crate::shapes::icosphere(1.0, 1).unwrap();
        let first = mesh.fingerprint();
        let mut deforming = Deforming::new(mesh.clone());
        let corner = mesh.vertices()[3];
        deforming.move_some(&[(3, corner * 2.0)]).unwrap();
        let moved = deforming.mesh();
        let copy = mesh.with_vertices(moved.vertices().to_vec()).unwrap();
        assert_eq!(moved.fingerprint(), copy.fingerprint());
        assert!(moved.fingerprint() != first && mesh.fingerprint() == first);
        deforming.move_all(mesh.vertices()).unwrap();
        assert_eq!(deforming.mesh().fingerprint(), first);
    }
}
