//! A number that tells meshes apart, for what is stored about them elsewhere.

use std::fmt;

use xxhash_rust::xxh3::Xxh3;

use super::Mesh;
use crate::math::Vec3;

/// A hash of the bits of all vertices and of all triangles' corners: 128 bits of XXH3.
///
/// Equal meshes have equal fingerprints on every machine, and different ones do not in practice. It
/// is no defence against somebody who wants them to: nothing in this crate trusts it with an
/// answer. Shown as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub(crate) [u8; 16]);

impl Mesh {
    /// The fingerprint of the mesh: of its vertices and triangles, in their order. Polygons count
    /// only by their triangles. A pass over everything.
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
        let mut hash = Xxh3::new();
        hash.update(&(self.vertices.len() as u64).to_le_bytes());
        hash.update(&(self.triangles().len() as u64).to_le_bytes());
        let mut buffer = Vec::with_capacity(24 * 256);
        for some in self.vertices.chunks(256) {
            buffer.clear();
            let numbers = some.iter().flat_map(Vec3::to_array);
            buffer.extend(numbers.flat_map(|x| x.to_bits().to_le_bytes()));
            hash.update(&buffer);
        }
        for some in self.triangles().chunks(512) {
            buffer.clear();
            buffer.extend(some.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
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
    use crate::mesh::Mesh;

    #[test]
    fn every_bit_counts_and_the_value_is_fixed() {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mesh = |vertices: &[Vec3], t: [u32; 3]| {
            Mesh::from_triangles(vertices.to_vec(), vec![t]).unwrap().fingerprint()
        };
        let one = mesh(&corners, [0, 1, 2]);
        // Files written on one machine are read on another: the value must not change.
        assert_eq!(one.to_string(), "2aca009281043b8a4bab3c2ed8698383");
        let mut others = vec![mesh(&corners, [1, 2, 0]), mesh(&corners[..3], [0, 1, 2])];
        for (vertex, place) in [(0, Vec3::new(-0.0, 0.0, 0.0)), (3, Vec3::Z * (1.0 + f64::EPSILON))]
        {
            let mut moved = corners.clone();
            moved[vertex] = place;
            others.push(mesh(&moved, [0, 1, 2]));
        }
        assert!(others.iter().all(|other| *other != one));
    }
}
