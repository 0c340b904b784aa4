//! Hand-made meshes with all known kinds of defects: each defect must be reported, and no polygon
//! may be lost.

use std::time::Instant;

use impinge::internals::TopologyInternals as _;
use impinge::mesh::{DegenerateKind, DuplicatePolygon, NonManifoldVertex, Weld};
use impinge::{ErrorKind, Mesh, Pose, Vec3};

const CUBE: [[u32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

fn cube_vertices() -> Vec<Vec3> {
    (0..8_u32).map(|i| Vec3::from([0, 1, 2].map(|k| f64::from((i >> k) & 1)))).collect()
}

fn cube() -> Mesh {
    checked(Mesh::from_polygons(cube_vertices(), CUBE).expect("a cube is a mesh"))
}

/// Checks the invariants of every mesh and returns the mesh.
fn checked(mesh: Mesh) -> Mesh {
    mesh.topology().validate().expect("invariants hold");
    let corners: usize = (0..mesh.polygon_count()).map(|p| mesh.polygon(p).len()).sum();
    assert_eq!(mesh.triangles().len() + 2 * mesh.polygon_count(), corners);
    for p in 0..mesh.polygon_count() {
        for t in mesh.triangles_of(p) {
            assert_eq!(mesh.polygon_of(t) as usize, p);
            assert!(mesh.triangles()[t].iter().all(|v| mesh.polygon(p).contains(v)));
        }
    }
    let class = mesh.classification();
    assert_eq!(mesh.is_solid(), class.closed && !mesh.is_empty());
    assert!(!class.convex || (class.manifold && class.closed && class.oriented));
    assert!(!class.manifold || (class.closed && class.manifold_with_boundary));
    let sides: usize = (0..mesh.edges().len()).map(|e| mesh.edges().sides(e).len()).sum();
    assert_eq!(sides, 3 * mesh.triangles().len());
    assert!(!mesh.defects().to_string().is_empty());
    // Moving a mesh changes none of its combinatorial properties.
    let turn = Pose::from_axis_angle([1.0, 0.3, 2.0], 0.5).expect("a rotation");
    let moved = mesh.transformed(&turn);
    assert_eq!(moved.classification().closed, class.closed);
    assert_eq!(moved.defects().open_edges, mesh.defects().open_edges);
    mesh
}

fn points(coordinates: &[[f64; 3]]) -> Vec<Vec3> {
    coordinates.iter().map(|p| Vec3::from(*p)).collect()
}

#[test]
fn a_cube_has_no_defects() {
    let mesh = cube();
    assert!(mesh.defects().is_clean());
    assert_eq!(mesh.defects().to_string(), "no defects");
    assert!(mesh.classification().convex && mesh.is_solid());
}

#[test]
fn an_open_box_has_one_loop_of_four_edges() {
    let mesh = checked(Mesh::from_polygons(cube_vertices(), &CUBE[..5]).unwrap());
    let defects = mesh.defects();
    assert_eq!((defects.open_edges.len(), defects.boundary_loops), (4, 1));
    assert!(defects.to_string().starts_with("4 open edges in 1 loop, first: 3-1 of polygon 0"));
    let class = mesh.classification();
    assert!(!class.closed && !class.manifold && class.manifold_with_boundary && class.oriented);
    assert!(!mesh.is_solid());
    // Two opposite sides missing: two loops.
    let tube = checked(Mesh::from_polygons(cube_vertices(), &CUBE[2..]).unwrap());
    assert_eq!((tube.defects().open_edges.len(), tube.defects().boundary_loops), (8, 2));
}

#[test]
fn a_moebius_strip_cannot_be_oriented() {
    let n = 6;
    let vertices = (0..2 * n).map(|k| {
        let (i, side) = (f64::from(k / 2), f64::from(k % 2) - 0.5);
        let angle = i / f64::from(n) * std::f64::consts::TAU;
        let r = 2.0 + side * (angle / 2.0).cos();
        Vec3::new(r * angle.cos(), r * angle.sin(), side * (angle / 2.0).sin())
    });
    let strip = (0..n as u32).map(|i| {
        let (a, b) = (2 * i, 2 * i + 1);
        // The last quadrilateral is connected to the first with a half twist.
        let (c, d) = if i + 1 == n as u32 { (0, 1) } else { (2 * i + 3, 2 * i + 2) };
        [a, b, c, d]
    });
    let mesh = checked(Mesh::from_polygons(vertices.collect(), strip).unwrap());
    let (defects, class) = (mesh.defects(), mesh.classification());
    assert_eq!((defects.misoriented_edges.len(), defects.misoriented_edges[0].suspect), (1, None));
    assert_eq!(defects.non_orientable, [0]);
    assert_eq!((defects.open_edges.len(), defects.boundary_loops), (12, 1));
    assert!(!class.orientable && !class.oriented && class.manifold_with_boundary);
    assert_eq!((class.euler_characteristic, class.genus), (0, None));
    assert!(defects.to_string().contains("is not orientable"));
}

#[test]
fn three_triangles_on_an_edge_are_non_manifold() {
    let vertices = points(&[
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-1.0, -1.0, 0.0],
    ]);
    let mesh =
        checked(Mesh::from_triangles(vertices, vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]]).unwrap());
    let defects = mesh.defects();
    assert_eq!(defects.non_manifold_edges.len(), 1);
    assert_eq!(defects.non_manifold_edges[0].vertices, [0, 1]);
    assert_eq!(defects.non_manifold_edges[0].polygons, [0, 1, 2]);
    assert_eq!(defects.open_edges.len(), 6);
    assert!(
        defects.non_manifold_vertices.is_empty(),
        "ends of a non-manifold edge are not reported"
    );
    assert!(!mesh.classification().manifold_with_boundary);
    assert_eq!(mesh.shells().count(), 1);
}

#[test]
fn two_tetrahedra_at_a_common_vertex_are_non_manifold() {
    let tetrahedron = |v: [u32; 4]| {
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|f: [usize; 3]| f.map(|i| v[i]))
    };
    let vertices = points(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, -1.0],
    ]);
    let faces = [tetrahedron([0, 1, 2, 3]), tetrahedron([0, 5, 4, 6])].concat();
    let mesh = checked(Mesh::from_triangles(vertices, faces).unwrap());
    let defects = mesh.defects();
    assert_eq!(defects.non_manifold_vertices, [NonManifoldVertex { vertex: 0, fans: 2 }]);
    let class = mesh.classification();
    assert!(class.closed && !class.manifold && class.oriented && mesh.is_solid());
    assert_eq!((mesh.shells().count(), mesh.clusters().count()), (2, 1));
    assert!((mesh.mass_properties().unwrap().volume - 1.0 / 3.0).abs() < 1e-15);
    assert!(defects.to_string().contains("1 non-manifold vertex, first: 0 with 2 fans"));
}

#[test]
fn a_flipped_face_is_identified() {
    let mut faces = CUBE;
    faces[3].reverse();
    let mesh = checked(Mesh::from_polygons(cube_vertices(), faces).unwrap());
    let defects = mesh.defects();
    assert_eq!(defects.misoriented_edges.len(), 4);
    assert!(defects.misoriented_edges.iter().all(|e| e.suspect == Some(3)));
    assert_eq!(defects.suspect_polygons, [3]);
    let class = mesh.classification();
    assert!(class.closed && class.manifold && !class.oriented && class.orientable);
    assert_eq!((class.outward, class.convex, class.balanced), (None, false, false));
    assert_eq!(mesh.mass_properties().unwrap_err().kind(), ErrorKind::NotSolid);
    assert!(mesh.is_solid(), "parity needs no orientation");
}

#[test]
fn duplicate_faces_change_the_parity_of_edges() {
    let faces = [&CUBE[..], &[[6, 7, 3, 2], [3, 7, 6, 2]]].concat();
    let mesh = checked(Mesh::from_polygons(cube_vertices(), faces).unwrap());
    let duplicate = |polygon, reversed| DuplicatePolygon { first: 3, polygon, reversed };
    assert_eq!(mesh.defects().duplicate_polygons, [duplicate(6, false), duplicate(7, true)]);
    assert_eq!(mesh.defects().non_manifold_edges.len(), 4);
    // Four sides on each of the four edges are even; three are not.
    assert!(mesh.classification().closed && !mesh.classification().manifold);
    let three =
        checked(Mesh::from_polygons(cube_vertices(), [&CUBE[..], &CUBE[3..4]].concat()).unwrap());
    assert!(!three.classification().closed && !three.is_solid());
}

#[test]
fn nested_cubes_are_two_shells() {
    let outer = cube().scaled(3.0).unwrap();
    let inner = cube().transformed(&Pose::from_translation([1.0, 1.0, 1.0]).unwrap());
    let mesh = checked(Mesh::merged([&outer, &inner.flipped()]).unwrap());
    assert_eq!(mesh.mass_properties().unwrap().volume, 26.0);
    assert_eq!(mesh.classification().shells, 2);
    assert!(mesh.defects().is_clean() && !mesh.classification().convex);
    assert_eq!(mesh.shell_of(11), 0);
    assert_eq!(mesh.shell_of(12), 1);
}

#[test]
fn a_frame_with_keyhole_faces_is_a_clean_solid_with_one_handle() {
    // A slab with a square hole: two keyhole faces, four outer and four inner walls.
    let mut vertices = Vec::new();
    for z in [0.0, 1.0] {
        for [x, y] in [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]] {
            vertices.push(Vec3::new(x, y, z));
        }
        for [x, y] in [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]] {
            vertices.push(Vec3::new(x, y, z));
        }
    }
    let mut faces: Vec<Vec<u32>> =
        vec![vec![0, 4, 5, 6, 7, 4, 0, 3, 2, 1], vec![8, 9, 10, 11, 8, 12, 15, 14, 13, 12]];
    for i in 0..4 {
        let j = (i + 1) % 4;
        faces.push(vec![i, j, 8 + j, 8 + i]);
        faces.push(vec![4 + j, 4 + i, 12 + i, 12 + j]);
    }
    let mesh = checked(Mesh::from_polygons(vertices, faces).unwrap());
    let (defects, class) = (mesh.defects(), mesh.classification());
    assert!(defects.is_clean(), "{defects}");
    assert_eq!(defects.pinched_polygons, [0, 1]);
    assert!(class.closed && class.manifold && class.oriented && class.planar_polygons);
    assert!(!class.convex_polygons && !class.convex);
    assert_eq!((class.euler_characteristic, class.genus), (0, Some(1)));
    let mass = mesh.mass_properties().unwrap();
    assert!((mass.volume - 8.0).abs() < 1e-13);
    assert!((mesh.area() - (16.0 + 12.0 + 4.0)).abs() < 1e-13);
}

#[test]
fn degenerate_polygons_are_reported() {
    let line = (0..5).map(|i| Vec3::new(f64::from(i), f64::from(2 * i), 0.0)).collect();
    let polygons: [&[u32]; 6] =
        [&[0, 1, 2], &[0, 0, 1], &[3, 3, 3], &[0, 1, 2, 3, 4], &[4, 2, 4, 2], &[1, 1, 1, 1, 1]];
    let mesh = checked(Mesh::from_polygons(line, polygons).unwrap());
    let defects = mesh.defects();
    assert_eq!(defects.degenerate_polygons.len(), 6);
    assert!(defects.degenerate_polygons.iter().all(|d| d.kind == DegenerateKind::ZeroArea));
    assert!(defects.self_crossing_polygons.is_empty());
    assert_eq!(mesh.triangles().len(), 1 + 1 + 1 + 3 + 2 + 3);
    assert_eq!(mesh.area(), 0.0);
    assert!(!mesh.classification().convex_polygons);
}

#[test]
fn sides_of_zero_length_are_reported() {
    let mut vertices = cube_vertices();
    vertices.push(vertices[3]);
    let polygons: [&[u32]; 2] = [&[0, 2, 3, 8, 1], &[0, 2, 3, 3, 1]];
    let mesh = checked(Mesh::from_polygons(vertices, polygons).unwrap());
    let kinds: Vec<_> = mesh.defects().degenerate_polygons.iter().map(|d| d.kind).collect();
    assert_eq!(kinds, [DegenerateKind::ZeroLengthSide(8), DegenerateKind::ZeroLengthSide(3)]);
    assert_eq!(mesh.defects().duplicate_vertices, [[3, 8]]);
}

#[test]
fn self_crossing_and_non_planar_polygons_are_reported_and_kept() {
    let mut vertices = cube_vertices();
    vertices[7].z = 1.25;
    let mesh =
        checked(Mesh::from_polygons(vertices, [[0, 3, 1, 2], [4, 5, 7, 6], [0, 1, 3, 2]]).unwrap());
    let defects = mesh.defects();
    assert_eq!(defects.self_crossing_polygons, [0]);
    assert_eq!(defects.non_planar_polygons.len(), 1);
    let bent = defects.non_planar_polygons[0];
    assert!(bent.polygon == 1 && bent.deviation > 0.05 && bent.deviation < 0.0626);
    assert_eq!(mesh.triangles().len(), 6);
}

#[test]
fn empty_meshes_and_single_triangles_are_classified() {
    let none: [[u32; 3]; 0] = [];
    let empty = checked(Mesh::from_polygons(Vec::new(), none).unwrap());
    assert_eq!(empty.defects().to_string(), "no defects");
    assert_eq!((empty.shells().count(), empty.edges().len()), (0, 0));
    assert!(!empty.is_solid() && !empty.classification().convex);
    let one = checked(Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]]).unwrap());
    assert_eq!(one.defects().boundary_loops, 1);
    assert!(one.classification().manifold_with_boundary);
}

#[test]
fn unused_vertices_are_reported_and_not_in_the_bounds() {
    let mut vertices = cube_vertices();
    vertices.insert(0, Vec3::splat(-7.0));
    vertices.push(Vec3::splat(1e59));
    let faces = CUBE.map(|f| f.map(|v| v + 1));
    let mesh = checked(Mesh::from_polygons(vertices, faces).unwrap());
    assert_eq!(mesh.defects().unreferenced_vertices, [0, 9]);
    assert!(mesh.defects().is_clean());
    assert_eq!((mesh.bounds().min, mesh.bounds().max), (Vec3::ZERO, Vec3::ONE));
    assert_eq!(mesh.bounds_at(&Pose::IDENTITY), mesh.bounds());
    assert!(mesh.classification().convex);
    assert_eq!(mesh.defects().to_string(), "2 unused vertices, first: 0");
}

#[test]
fn invalid_coordinates_and_indices_are_errors() {
    let mut vertices = cube_vertices();
    vertices[5].x = f64::NAN;
    let error = Mesh::from_polygons(vertices, CUBE).unwrap_err();
    assert!(error.kind() == ErrorKind::NotFinite && error.to_string().contains("vertex 5"));
    let error = Mesh::from_triangles(cube_vertices(), vec![[0, 1, 2], [0, 8, 1]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfBounds);
    assert!(error.to_string().contains("corner 1 of triangle 1 refers to vertex 8"), "{error}");
}

#[test]
fn a_soup_becomes_a_solid_by_welding() {
    let cube = cube();
    let soup: Vec<[Vec3; 3]> = (0..12).map(|t| cube.triangle(t)).collect();
    let soup = checked(Mesh::from_soup(&soup).unwrap());
    assert_eq!(soup.defects().open_edges.len(), 36);
    assert_eq!(soup.defects().boundary_loops, 12);
    let welded = checked(soup.welded(Weld::Exact).unwrap());
    assert!(welded.defects().is_clean() && welded.classification().convex);
    let noisy = soup.vertices().iter().enumerate().map(|(i, v)| *v + 1e-9 * (i as f64).sin());
    let noisy = soup.with_vertices(noisy.collect()).unwrap();
    assert!(!noisy.welded(Weld::Exact).unwrap().is_solid());
    assert!(checked(noisy.welded(Weld::Within(1e-8)).unwrap()).is_solid());
    let collapsed = checked(soup.welded(Weld::Within(10.0)).unwrap());
    assert_eq!(collapsed.defects().degenerate_polygons.len(), 12);
}

#[test]
fn a_million_triangles_are_processed() {
    let n = 708_u32;
    let start = Instant::now();
    let vertices = (0..n * n)
        .map(|i| Vec3::new(f64::from(i % n), f64::from(i / n), f64::from(i % 7) * 0.1))
        .collect();
    let mut triangles = Vec::new();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let a = i * n + j;
            triangles.extend([[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]);
        }
    }
    let count = triangles.len();
    let mesh = Mesh::from_triangles(vertices, triangles).unwrap();
    println!("{count} triangles: built in {:?}", start.elapsed());
    let timed = |what: &str, work: &dyn Fn() -> usize| {
        let start = Instant::now();
        let result = work();
        println!("  {what}: {result} in {:?}", start.elapsed());
    };
    timed("edges", &|| mesh.topology().edge_count());
    timed("shells", &|| mesh.shells().count());
    timed("open edges", &|| mesh.defects().open_edges.len());
    timed("classes", &|| usize::from(mesh.classification().manifold_with_boundary));
    timed("welded", &|| mesh.welded(Weld::Exact).unwrap().vertices().len());
    timed("welded within", &|| mesh.welded(Weld::Within(0.1)).unwrap().vertices().len());
    assert_eq!(mesh.shells().count(), 1);
    assert_eq!(mesh.defects().open_edges.len(), 4 * (n as usize - 1));
    assert_eq!(mesh.defects().boundary_loops, 1);
    assert_eq!(mesh.classification().euler_characteristic, 1);
}

#[test]
fn a_fan_of_200_000_triangles_is_processed() {
    let n = 200_000_u32;
    let mut vertices = vec![Vec3::ZERO];
    vertices.extend((0..n).map(|i| {
        let angle = f64::from(i) / f64::from(n) * std::f64::consts::TAU;
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    }));
    let triangles = (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect();
    let mesh = Mesh::from_triangles(vertices, triangles).unwrap();
    mesh.topology().validate().unwrap();
    assert_eq!(mesh.topology().fan(0).count(), n as usize);
    assert_eq!(mesh.defects().boundary_loops, 1);
    // The same number of triangles on one edge.
    let triangles = (0..n).map(|i| [0, 1, 2 + i % (n - 2)]).collect();
    let mesh = Mesh::from_triangles(mesh.vertices().to_vec(), triangles).unwrap();
    mesh.topology().validate().unwrap();
    assert_eq!(mesh.defects().non_manifold_edges[0].polygons.len(), n as usize);
}

#[test]
fn meshes_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + Clone>(_: &T) {}
    let mesh = cube();
    shareable(&mesh);
    let verdicts: Vec<bool> = std::thread::scope(|s| {
        let run = || s.spawn(|| mesh.classification().convex && mesh.defects().is_clean());
        let handles: Vec<_> = (0..4).map(|_| run()).collect();
        handles.into_iter().map(|h| h.join().unwrap()).collect()
    });
    assert_eq!(verdicts, [true; 4]);
}

#[test]
fn half_a_million_quadrilaterals_are_triangulated() {
    let n = 708_u32;
    let vertices: Vec<Vec3> = (0..n * n)
        .map(|i| Vec3::new(f64::from(i % n), f64::from(i / n), f64::from(i % 7) * 0.1))
        .collect();
    let quads: Vec<[u32; 4]> = (0..(n - 1) * (n - 1))
        .map(|k| {
            let a = k / (n - 1) * n + k % (n - 1);
            [a, a + 1, a + n + 1, a + n]
        })
        .collect();
    let start = Instant::now();
    let mesh = Mesh::from_polygons(vertices, &quads).unwrap();
    println!("{} quadrilaterals: built in {:?}", quads.len(), start.elapsed());
    assert_eq!(mesh.triangles().len(), 2 * quads.len());
    assert_eq!(mesh.triangles()[..2], [[0, 1, n + 1], [0, n + 1, n]]);
    assert_eq!(mesh.edges().len(), mesh.topology().edge_count() + quads.len());
}
