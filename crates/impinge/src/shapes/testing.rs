//! Checks of generated meshes, independent of the generators.

use std::collections::{HashMap, HashSet};

use super::builder::Surface;
use crate::math::{Vec3, coordinate_key};
use crate::mesh::Mesh;

/// The signed volume.
pub fn volume(mesh: &Mesh) -> f64 {
    let o = mesh.bounds().center();
    let six: f64 = (0..mesh.triangles().len())
        .map(|i| {
            let [a, b, c] = mesh.triangle(i).map(|p| p - o);
            a.dot(b.cross(c))
        })
        .sum();
    six / 6.0
}

/// The area of all triangles.
pub fn area(mesh: &Mesh) -> f64 {
    (0..mesh.triangles().len())
        .map(|i| {
            let [a, b, c] = mesh.triangle(i);
            (b - a).cross(c - a).length() / 2.0
        })
        .sum()
}

/// Asserts that all coordinates are finite, every vertex is used, and every triangle has three
/// different corners and an area.
pub fn assert_sound(mesh: &Mesh) {
    assert!(!mesh.triangles().is_empty());
    assert!(mesh.vertices().iter().all(|v| v.is_finite()));
    let used: HashSet<u32> = mesh.triangles().iter().flatten().copied().collect();
    assert_eq!(used.len(), mesh.vertices().len(), "unused vertices");
    for i in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(i);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let height = (b - a).cross(c - a).length() / longest;
        assert!(height > 1e-9 * longest, "triangle {i} is flat: {a} {b} {c}");
    }
}

/// Asserts that the mesh is sound, every directed edge has exactly one opposite, every vertex has
/// one fan, no two vertices of a connected piece have the same position, and every piece encloses a
/// positive volume. Returns the number of connected pieces.
pub fn assert_closed(mesh: &Mesh) -> usize {
    let volumes = closed_pieces(mesh);
    assert!(volumes.iter().all(|v| *v > 0.0), "inward: {volumes:?}");
    volumes.len()
}

/// As [`assert_closed`], but for any sign of the volumes. Returns the signed volume of every
/// connected piece.
pub fn closed_pieces(mesh: &Mesh) -> Vec<f64> {
    assert_sound(mesh);
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    for t in mesh.triangles() {
        for i in 0..3 {
            let apex = t[(i + 2) % 3];
            let twice = edges.insert((t[i], t[(i + 1) % 3]), apex);
            assert!(
                twice.is_none(),
                "edge {:?} occurs twice in the same direction",
                (t[i], t[(i + 1) % 3])
            );
        }
    }
    for (a, b) in edges.keys() {
        assert!(edges.contains_key(&(*b, *a)), "edge {a} {b} has no opposite");
    }
    // One fan per vertex: a walk around it from any triangle passes through all of its triangles.
    let mut degree = vec![0_usize; mesh.vertices().len()];
    let mut start = vec![0_u32; mesh.vertices().len()];
    for (a, b) in edges.keys() {
        degree[*a as usize] += 1;
        start[*a as usize] = *b;
    }
    for v in 0..degree.len() {
        let (first, mut at, mut steps) = (start[v], start[v], 0);
        loop {
            at = edges[&(v as u32, at)];
            steps += 1;
            if at == first || steps > degree[v] {
                break;
            }
        }
        assert_eq!(steps, degree[v], "vertex {v} has several fans");
    }
    let piece = pieces(mesh);
    let mut places = HashSet::new();
    for (v, p) in mesh.vertices().iter().enumerate() {
        let bits = coordinate_key(*p);
        assert!(places.insert((piece[v], bits)), "vertex {v} at {p} has a duplicate");
    }
    let o = mesh.bounds().center();
    let mut volumes = vec![0.0; 1 + piece.iter().max().copied().unwrap_or(0)];
    for (i, t) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.triangle(i).map(|p| p - o);
        volumes[piece[t[0] as usize]] += a.dot(b.cross(c)) / 6.0;
    }
    volumes
}

/// The connected piece of every vertex, numbered from zero.
fn pieces(mesh: &Mesh) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..mesh.vertices().len()).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    for t in mesh.triangles() {
        for w in &t[1..] {
            let (a, b) = (root(&mut parent, t[0] as usize), root(&mut parent, *w as usize));
            parent[a] = b;
        }
    }
    let mut number = HashMap::new();
    (0..parent.len())
        .map(|v| {
            let r = root(&mut parent, v);
            let next = number.len();
            *number.entry(r).or_insert(next)
        })
        .collect()
}

/// Asserts that every corner of every polygon is in the polygon's plane, up to rounding relative to
/// the shape's size.
pub fn assert_planar(surface: &Surface) {
    let v = surface.vertices();
    for polygon in surface.polygons() {
        let p: Vec<Vec3> = polygon.iter().map(|c| v[*c as usize]).collect();
        let mut normal = Vec3::ZERO;
        for i in 1..p.len() - 1 {
            normal += (p[i] - p[0]).cross(p[i + 1] - p[0]);
        }
        let normal = normal.normalize();
        let size = p.iter().fold(0.0_f64, |m, q| m.max(q.abs().max_element()));
        for q in &p {
            assert!((*q - p[0]).dot(normal).abs() < 1e-12 * size, "polygon {p:?} is not planar");
        }
    }
}

/// Asserts that two meshes are equal bit for bit.
pub fn assert_same_bits(a: &Mesh, b: &Mesh) {
    assert_eq!(a.triangles(), b.triangles());
    let bits = |m: &Mesh| -> Vec<[u64; 3]> {
        m.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(a), bits(b));
}

/// Asserts that `result` is an error about a bad parameter whose message contains `what`.
#[track_caller]
pub fn assert_bad(result: Result<Mesh, crate::Error>, what: &str) {
    let error = result.expect_err("an invalid parameter was accepted");
    assert_eq!(error.kind(), crate::ErrorKind::BadParameter, "{error}");
    assert!(error.to_string().contains(what), "{error}");
}
