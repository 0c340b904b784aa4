//! Area, volume, centre of mass and moments of inertia, summed over triangles.
//!
//! The integrals are taken over the tetrahedra between each triangle and the centre of the box,
//! with the sign of the triangle's orientation. Sums are compensated (Neumaier 1974), so that
//! neither a large distance from the origin nor a large number of triangles costs digits.

use glam::DMat3;

use super::Mesh;
use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};
use crate::math::{Vec3, unit_scale};

/// Volume, centre of mass and inertia of a solid of density one, in the mesh's frame and units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// The enclosed volume; negative if the polygons face inward. Space that is enclosed twice
    /// counts twice.
    pub volume: f64,
    /// The centre of mass.
    pub centroid: Vec3,
    /// The inertia tensor about the centroid for density one; positive for either orientation of
    /// the polygons.
    pub inertia: DMat3,
}

impl Mesh {
    /// The total area of the triangles.
    ///
    /// ```
    /// use impinge::{Mesh, Vec3};
    ///
    /// let mesh = Mesh::from_soup(&[[Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 4.0]])?;
    /// assert_eq!(mesh.area(), 6.0);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn area(&self) -> f64 {
        let frame = UnitFrame::of(self);
        let mut sum = CompensatedSum::default();
        for t in 0..self.triangles().len() {
            let [a, b, c] = frame.triangle(self, t);
            sum.add((b - a).cross(c - a).length());
        }
        sum.value() * 0.5 * frame.size * frame.size
    }

    /// Volume, centre of mass and moments of inertia of the enclosed space, for density one.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without triangles; [`ErrorKind::NotSolid`] if the mesh is open, if
    /// neighbouring polygons have different orientations, or if the mesh encloses no volume.
    ///
    /// ```
    /// use impinge::{ErrorKind, Mesh, Vec3};
    ///
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    /// let mass = Mesh::from_triangles(vertices.clone(), faces)?.mass_properties()?;
    /// assert!((mass.volume - 1.0 / 6.0).abs() < 1e-15);
    /// assert!(mass.centroid.distance(Vec3::splat(0.25)) < 1e-15);
    ///
    /// let open = Mesh::from_triangles(vertices, vec![[0, 1, 2]])?;
    /// assert_eq!(open.mass_properties().unwrap_err().kind(), ErrorKind::NotSolid);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn mass_properties(&self) -> Result<MassProperties, Error> {
        if self.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "the mesh has no polygons, so it has no mass properties",
            ));
        }
        let not_solid = |message: String| Err(Error::new(ErrorKind::NotSolid, message));
        if !self.is_solid() {
            return not_solid(format!(
                "the mesh is not closed, so it has no volume: {}; weld coinciding vertices, or close the holes",
                self.defects()
            ));
        }
        if !self.is_balanced() {
            return not_solid(format!(
                "polygons have inconsistent orientations, so the mesh has no signed volume: {}; orient them consistently",
                self.defects()
            ));
        }
        let frame = UnitFrame::of(self);
        let moments = frame.moments(self);
        let six_volumes = moments.determinant.value();
        if moments.has_no_volume() {
            return not_solid("the mesh is closed but encloses no volume".into());
        }
        // The following is computed in the frame, where the box has about size one.
        let volume = six_volumes / 6.0;
        let center = Vec3::from(moments.first.map_each(CompensatedSum::value)) / (24.0 * volume);
        let second = |i: usize, j: usize| {
            let k = [[0, 3, 4], [3, 1, 5], [4, 5, 2]][i][j];
            moments.second[k].value() / 120.0 - volume * center[i] * center[j]
        };
        let covariance = DMat3::from_cols_array_2d(
            &[0, 1, 2].map_each(|j| [0, 1, 2].map_each(|i| second(i, j))),
        );
        let trace = second(0, 0) + second(1, 1) + second(2, 2);
        let inertia = (DMat3::from_diagonal(Vec3::splat(trace)) - covariance) * volume.signum();
        let s = frame.size;
        Ok(MassProperties {
            volume: volume * s * s * s,
            centroid: center * s + frame.origin,
            inertia: inertia * (s * s) * (s * s) * s,
        })
    }

    /// Whether the polygons face outward, by the sign of the enclosed volume. `None` if the mesh is
    /// not closed and consistently oriented, or if the volume is zero up to rounding.
    pub(super) fn outward(&self) -> Option<bool> {
        if self.is_empty() || !self.is_balanced() {
            return None;
        }
        let moments = UnitFrame::of(self).moments(self);
        (!moments.has_no_volume()).then(|| moments.determinant.value() > 0.0)
    }
}

/// A frame with its origin at the centre of the box, in which the mesh has about size one. The size
/// is a power of two, so scaling is exact.
struct UnitFrame {
    origin: Vec3,
    size: f64,
    scale: (f64, f64),
}

/// Integrals over the tetrahedra to the origin of a frame, before division: six times the volume,
/// 24 times the first moments and 120 times the second moments.
#[derive(Default)]
struct Moments {
    determinant: CompensatedSum,
    /// A bound of the terms of `determinant`, summed.
    magnitude: f64,
    first: [CompensatedSum; 3],
    /// xx, yy, zz, xy, xz, yz.
    second: [CompensatedSum; 6],
}

impl UnitFrame {
    fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.is_empty() {
            return Self { origin: Vec3::ZERO, size: 1.0, scale: (1.0, 1.0) };
        }
        let extent = bounds.extent().max_element();
        let scale = if extent > 0.0 { unit_scale(extent) } else { (1.0, 1.0) };
        Self { origin: bounds.center(), size: 1.0 / scale.0 / scale.1, scale }
    }

    fn triangle(&self, mesh: &Mesh, t: usize) -> [Vec3; 3] {
        mesh.triangle(t).map_each(|p| (p - self.origin) * self.scale.0 * self.scale.1)
    }

    fn moments(&self, mesh: &Mesh) -> Moments {
        let mut m = Moments::default();
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = self.triangle(mesh, t);
            // Sides are used because they are shorter than the vectors to the centre, so that finer
            // meshes have smaller rounding errors.
            let (ab, ac) = (b - a, c - a);
            let det = a.dot(ab.cross(ac));
            let sum = a + b + c;
            m.determinant.add(det);
            m.magnitude += a.length() * ab.length() * ac.length();
            for i in 0..3 {
                m.first[i].add(det * sum[i]);
            }
            for (k, (i, j)) in
                [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate()
            {
                m.second[k].add(det * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]));
            }
        }
        m
    }
}

impl Moments {
    /// Whether the volume is zero up to the rounding of its terms.
    fn has_no_volume(&self) -> bool {
        self.determinant.value().abs() <= 16.0 * f64::EPSILON * self.magnitude
    }
}

/// A sum with its accumulated rounding error (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default)]
struct CompensatedSum {
    sum: f64,
    error: f64,
}

impl CompensatedSum {
    fn add(&mut self, x: f64) {
        let t = self.sum + x;
        let (large, small) = if self.sum.abs() >= x.abs() { (self.sum, x) } else { (x, self.sum) };
        self.error += (large - t) + small;
        self.sum = t;
    }

    fn value(self) -> f64 {
        self.sum + self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn solid_box(low: Vec3, size: Vec3) -> Mesh {
        let corner = |i: usize| {
            let pick = |k: usize| if (i >> k) & 1 == 1 { low[k] + size[k] } else { low[k] };
            Vec3::new(pick(0), pick(1), pick(2))
        };
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Mesh::from_polygons((0..8).map(corner).collect(), faces).unwrap()
    }

    #[test]
    fn boxes_of_any_size_and_position_have_exact_mass_properties_to_rounding() {
        for (offset, scale) in [(0.0, 1.0), (1e6, 1.0), (-1e12, 1.0), (0.0, 1e-60), (1e59, 1e50)] {
            let size = Vec3::new(1.0, 2.0, 4.0) * scale;
            let low = Vec3::new(offset, -offset, 2.0 * offset);
            let mesh = solid_box(low, size);
            // The box as stored, after rounding.
            let size = mesh.bounds().extent();
            let mass = mesh.mass_properties().unwrap();
            let volume = size.x * size.y * size.z;
            assert!((mass.volume / volume - 1.0).abs() < 1e-14, "{offset} {scale}");
            assert!(
                mass.centroid.distance(mesh.bounds().center()) <= 1e-15 * (size.x + offset.abs())
            );
            let moment = |a: f64, b: f64| volume / 12.0 * (a * a + b * b);
            let exact = [moment(size.y, size.z), moment(size.x, size.z), moment(size.x, size.y)];
            for (k, exact) in exact.into_iter().enumerate() {
                assert!((mass.inertia.col(k)[k] / exact - 1.0).abs() < 1e-13);
                assert!(mass.inertia.col(k)[(k + 1) % 3].abs() < 1e-13 * exact);
            }
            let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
            assert!((mesh.area() / area - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_tetrahedron_has_the_textbook_moments() {
        let vertices = vec![Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0, Vec3::Z * 5.0];
        let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mesh = Mesh::from_triangles(vertices, faces).unwrap();
        let mass = mesh.mass_properties().unwrap();
        assert!((mass.volume - 5.0).abs() < 1e-14);
        assert!(mass.centroid.distance(Vec3::new(0.5, 0.75, 1.25)) < 1e-15);
        // Second moments of the corner tetrahedron: V a^2 / 10 and V a b / 20 about the corner.
        let (v, a) = (5.0, [2.0, 3.0, 5.0]);
        let c = mass.centroid;
        let second = |i: usize, j: usize| {
            v * a[i] * a[j] / if i == j { 10.0 } else { 20.0 } - v * c[i] * c[j]
        };
        assert!((mass.inertia.col(0)[0] - (second(1, 1) + second(2, 2))).abs() < 1e-13);
        assert!((mass.inertia.col(1)[2] + second(1, 2)).abs() < 1e-13);
        let inward = mesh.flipped().mass_properties().unwrap();
        assert_eq!(inward.volume, -mass.volume);
        assert!((inward.inertia - mass.inertia).to_cols_array().iter().all(|d| d.abs() < 1e-13));
    }

    #[test]
    fn spheres_converge_to_the_ball() {
        let (rings, slices) = (200, 400);
        let mut vertices = vec![Vec3::Z, -Vec3::Z];
        for i in 1..rings {
            for j in 0..slices {
                let (t, p) = (PI * i as f64 / rings as f64, 2.0 * PI * j as f64 / slices as f64);
                vertices.push(Vec3::new(t.sin() * p.cos(), t.sin() * p.sin(), t.cos()));
            }
        }
        let at = |i: usize, j: usize| (2 + (i - 1) * slices + j % slices) as u32;
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for j in 0..slices {
            faces.push(vec![0, at(1, j), at(1, j + 1)]);
            faces.push(vec![1, at(rings - 1, j + 1), at(rings - 1, j)]);
            for i in 1..rings - 1 {
                faces.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        let offset = Vec3::new(1e5, -2e5, 3e5);
        let vertices = vertices.iter().map(|v| *v + offset).collect();
        let mesh = Mesh::from_polygons(vertices, faces).unwrap();
        let mass = mesh.mass_properties().unwrap();
        assert!((mass.volume / (4.0 / 3.0 * PI) - 1.0).abs() < 2e-4);
        assert!(mass.centroid.distance(offset) < 1e-10);
        assert!((mass.inertia.x_axis.x / (0.4 * mass.volume) - 1.0).abs() < 2e-4);
        assert!((mesh.area() / (4.0 * PI) - 1.0).abs() < 2e-4);
    }

    #[test]
    fn errors_give_the_reason_for_a_missing_volume() {
        let cube = solid_box(Vec3::ZERO, Vec3::ONE);
        let without = |skip: usize| {
            let faces = (0..6).filter(|p| *p != skip).map(|p| cube.polygon(p).to_vec());
            Mesh::from_polygons(cube.vertices().to_vec(), faces).unwrap()
        };
        let error = without(2).mass_properties().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotSolid);
        assert!(error.to_string().contains("4 open edges in 1 loop"), "{error}");
        let flat =
            Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2], [2, 1, 0]]);
        let error = flat.unwrap().mass_properties().unwrap_err();
        assert!(error.to_string().contains("no volume"), "{error}");
        let empty = Mesh::from_soup(&[]).unwrap();
        assert_eq!(empty.mass_properties().unwrap_err().kind(), ErrorKind::Empty);
        assert_eq!(empty.area(), 0.0);
    }
}
