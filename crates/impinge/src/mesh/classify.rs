//! Classification of a mesh as a surface (Zachmann 1994, section 4.2).

use super::Mesh;
use super::connectivity::index;
use super::convexity::is_convex;
use super::defects::fans;
use super::orientation::Orientation;
use super::polygon_checks::{collinear, convex, deviation, planar};

/// The largest distance of a polygon's corners from its best-fit plane, relative to the diagonal of
/// its box, for [`Classification::nearly_planar_polygons`]: about the rounding of coordinates that
/// are written to a text file with seven digits.
pub const PLANAR_TOLERANCE: f64 = 1e-6;

/// The properties of a mesh as a surface. All of them except `nearly_planar_polygons` and `outward`
/// are decided exactly.
///
/// Vertices are identified by index: a soup of triangles is neither closed nor manifold until it is
/// welded. Sides from a vertex to itself do not count as edges. A mesh without polygons has all
/// properties that are defined by "every".
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_triangles(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let class = mesh.classification();
/// assert!(class.closed && class.manifold && class.oriented && class.convex);
/// assert_eq!((class.outward, class.shells, class.genus), (Some(true), 1, Some(0)));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// Every edge is shared by an even number of polygon sides: parity defines inside and outside.
    pub closed: bool,
    /// Every edge has exactly two sides and the polygons around every vertex form one fan.
    pub manifold: bool,
    /// Every edge has one or two sides and the polygons around every vertex form one fan.
    pub manifold_with_boundary: bool,
    /// The two sides of every edge that has exactly two run in opposite directions.
    pub oriented: bool,
    /// Reversing some of the polygons would make the mesh oriented.
    pub orientable: bool,
    /// Every edge has the same number of sides in both directions, so that the signed volume is
    /// defined.
    pub balanced: bool,
    /// Every polygon lies in a plane, exactly.
    pub planar_polygons: bool,
    /// Every polygon lies within [`PLANAR_TOLERANCE`] of a plane.
    pub nearly_planar_polygons: bool,
    /// Every polygon is convex in the projection along the axis nearest to its normal. Polygons of
    /// zero area are not convex.
    pub convex_polygons: bool,
    /// The mesh is the boundary of a convex body, facing outward or inward.
    pub convex: bool,
    /// Whether the polygons face outward: the sign of the volume. `None` if the mesh is not
    /// balanced or its volume is zero up to rounding.
    pub outward: Option<bool>,
    /// The number of components connected through edges.
    pub shells: usize,
    /// Used vertices minus edges plus polygons.
    pub euler_characteristic: i64,
    /// The number of handles, summed over the shells; for closed, manifold, orientable meshes.
    pub genus: Option<u64>,
}

impl Classification {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let t = mesh.topology();
        let (mut edge_count, mut open, mut non_manifold) = (0_i64, false, false);
        for e in t.proper_edges() {
            edge_count += 1;
            open |= t.half_edges(e).len() < 2;
            non_manifold |= t.half_edges(e).len() > 2;
        }
        let mut corners = fans(&t);
        let fan_count = (0..index(t.half_edge_count())).filter(|h| corners.find(*h) == *h).count();
        let one_fan_per_vertex = fan_count == mesh.used_vertices().len();
        let orientation = Orientation::by_majority(&t, mesh.polygon_count());
        let oriented = t.proper_edges().all(|e| match t.half_edges(e) {
            [g, h] => t.origin(*g) != t.origin(*h),
            _ => true,
        });

        let (mut all_planar, mut all_nearly_planar, mut all_convex) = (true, true, true);
        for p in 0..mesh.polygon_count() {
            if mesh.polygon(p).len() == 3 {
                let [a, b, c] = mesh.triangle(mesh.triangles_of(p).start);
                all_convex &= !collinear(a, b, c);
                continue;
            }
            if !planar(mesh.polygon_points(p)) {
                all_planar = false;
                let (distance, diagonal) = deviation(mesh.polygon_points(p));
                all_nearly_planar &= distance <= PLANAR_TOLERANCE * diagonal;
            }
            all_convex = all_convex && convex(mesh.polygon_points(p));
        }

        let shells = mesh.shells().count();
        let manifold = !open && !non_manifold && one_fan_per_vertex;
        let orientable = orientation.non_orientable.is_empty();
        let euler_characteristic =
            mesh.used_vertices().len() as i64 - edge_count + mesh.polygon_count() as i64;
        // The Euler characteristic is 2 - 2 g for each shell.
        let handles = shells as i64 - euler_characteristic / 2;
        let genus = (manifold && orientable).then_some(handles.max(0) as u64);
        let outward = mesh.outward();
        let candidate =
            manifold && oriented && shells == 1 && genus == Some(0) && all_planar && all_convex;
        Self {
            closed: t.is_closed(),
            manifold,
            manifold_with_boundary: !non_manifold && one_fan_per_vertex,
            oriented,
            orientable,
            balanced: t.is_balanced(),
            planar_polygons: all_planar,
            nearly_planar_polygons: all_nearly_planar,
            convex_polygons: all_convex,
            convex: candidate
                && [outward != Some(false), outward != Some(true)]
                    .into_iter()
                    .zip([true, false])
                    .any(|(possible, outward)| possible && is_convex(mesh, outward)),
            outward,
            shells,
            euler_characteristic,
            genus,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::math::{Pose, Vec3};
    use crate::mesh::Mesh;

    fn cube() -> Mesh {
        let corner =
            |i: u32| Vec3::new(f64::from(i & 1), f64::from((i >> 1) & 1), f64::from((i >> 2) & 1));
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Mesh::from_polygons((0..8).map(corner).collect(), faces).unwrap()
    }

    /// Two pyramids over a polygon of `n` corners with winding number `winding`.
    fn bipyramid(n: u32, winding: u32) -> Mesh {
        let mut vertices = vec![Vec3::Z, -Vec3::Z];
        for i in 0..n {
            // Corners of a square, so that the turns coincide exactly.
            let at = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
                [(i * winding * 4 / n % 4) as usize];
            vertices.push(Vec3::new(at[0], at[1], 0.0));
        }
        let ring = |i: u32| 2 + i % n;
        let faces = (0..n).flat_map(|i| [[0, ring(i), ring(i + 1)], [1, ring(i + 1), ring(i)]]);
        Mesh::from_triangles(vertices, faces.collect()).unwrap()
    }

    #[test]
    fn a_cube_has_all_properties_in_both_orientations() {
        for (mesh, facing) in [(cube(), true), (cube().flipped(), false)] {
            let c = mesh.classification();
            assert!(c.closed && c.manifold && c.manifold_with_boundary && c.oriented && c.balanced);
            assert!(c.orientable && c.planar_polygons && c.nearly_planar_polygons);
            assert!(c.convex_polygons && c.convex);
            assert_eq!((c.outward, c.shells, c.euler_characteristic), (Some(facing), 1, 2));
            assert_eq!(c.genus, Some(0));
        }
    }

    #[test]
    fn a_surface_that_winds_twice_is_not_convex_although_every_edge_is() {
        assert!(bipyramid(4, 1).classification().convex);
        let twice = bipyramid(8, 2);
        let c = twice.classification();
        assert!(c.closed && c.manifold && c.oriented && c.convex_polygons);
        assert_eq!((c.genus, c.shells, c.convex), (Some(0), 1, false));
    }

    #[test]
    fn convexity_is_exact_for_dents_and_rounding() {
        let mut vertices = cube().vertices().to_vec();
        let triangles = cube().triangles().to_vec();
        let flat = Mesh::from_triangles(vertices.clone(), triangles.clone()).unwrap();
        assert!(flat.classification().convex, "coplanar neighbours are flat");
        // Whether the body stays convex when a top corner is raised by one ulp depends on the
        // diagonal of the top face.
        let verdicts = [7, 6, 5, 4].map(|v| {
            let mut moved = vertices.clone();
            moved[v].z = f64::from_bits(moved[v].z.to_bits() + 1);
            let mesh = Mesh::from_triangles(moved, triangles.clone()).unwrap();
            mesh.classification().convex
        });
        assert_eq!(verdicts.iter().filter(|c| **c).count(), 2, "{verdicts:?}");
        vertices[7] = Vec3::splat(0.4);
        let dented = Mesh::from_triangles(vertices, triangles).unwrap();
        assert!(!dented.classification().convex && dented.classification().manifold);
    }

    #[test]
    fn bodies_one_ulp_thick_are_decided_without_an_inner_point() {
        let up = |x: f64| f64::from_bits(x.to_bits() + 1);
        let cube = cube();
        let thick = |v: &Vec3| v.with_z(if v.z > 0.0 { up(1.0) } else { 1.0 });
        let vertices = cube.vertices().iter().map(thick);
        let thin = cube.with_vertices(vertices.collect()).unwrap();
        let c = thin.classification();
        assert!(c.planar_polygons && c.convex_polygons && c.convex, "{c:?}");
        let vertices = cube.vertices().iter().map(|v| v.with_z(0.0)).collect();
        assert!(!cube.with_vertices(vertices).unwrap().classification().convex);
    }

    #[test]
    fn rounded_quadrilaterals_are_nearly_planar() {
        let turned = cube().transformed(&Pose::from_axis_angle([1.0, 2.0, 3.0], 0.3).unwrap());
        let c = turned.classification();
        assert!(!c.planar_polygons && c.nearly_planar_polygons && c.convex_polygons);
        assert!(!turned.defects().non_planar_polygons.is_empty());
    }

    #[test]
    fn nested_and_ring_shaped_bodies_count_shells_and_handles() {
        let inner = cube().scaled(0.5).unwrap().flipped();
        let nested = Mesh::merged([&cube(), &inner]).unwrap();
        let c = nested.classification();
        assert_eq!((c.shells, c.genus, c.convex, c.outward), (2, Some(0), false, Some(true)));

        // A square ring: 4 x 4 quadrilaterals with both directions wrapped around.
        let mut vertices = Vec::new();
        for i in 0..4 {
            for j in 0..4 {
                let turn = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
                let r = 3.0 + turn[j][0];
                vertices.push(Vec3::new(r * turn[i][0], r * turn[i][1], turn[j][1]));
            }
        }
        let at = |i: u32, j: u32| 4 * (i % 4) + j % 4;
        let faces = (0..16).map(|k| {
            let (i, j) = (k / 4, k % 4);
            [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
        });
        let ring = Mesh::from_polygons(vertices, faces).unwrap();
        let c = ring.classification();
        assert_eq!((c.euler_characteristic, c.genus, c.convex), (0, Some(1), false));
        assert_eq!(c.outward, Some(true));
    }
}
