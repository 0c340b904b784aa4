//! Real meshes, if present: all are read without loss, and the watertight ones are closed.
#![cfg(feature = "files")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use impinge::internals::TopologyInternals as _;
use impinge::mesh::{Weld, triangulate_polygon};
use impinge::scene::LoadOptions;
use impinge::{Error, Mesh, Scene, Vec3};
use impinge_oracles::common::model;

/// All parts of a file in one mesh, vertices as in the file.
fn load(path: &Path) -> Result<Mesh, Error> {
    let scene = Scene::load_with(path, &LoadOptions::default().weld(None))?.scene;
    let parts: Vec<Mesh> = scene.parts().iter().map(|p| p.mesh.transformed(&p.pose)).collect();
    Mesh::merged(&parts)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn real_meshes_are_read_without_loss() {
    let Some(list) = model("MANIFEST.tsv") else { return };
    let root = list.parent().expect("the list is in a folder");
    let manifest = fs::read_to_string(&list).expect("the list can be read");
    let watertight: HashMap<&str, &str> = manifest
        .lines()
        .filter_map(|l| {
            let mut columns = l.split('\t');
            Some((columns.next()?, columns.nth(4)?))
        })
        .collect();
    let mut paths = Vec::new();
    for folder in ["standard", "nasty", "cad", "peers", "robots"] {
        files(&root.join(folder), &mut paths);
    }
    paths.sort();
    let (mut read, mut differ) = (0, Vec::new());
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
        if !matches!(extension.as_deref(), Some("off" | "obj")) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let mesh = match load(&path) {
            Ok(mesh) => mesh,
            Err(error) => {
                println!("{name}: cannot be read: {error}");
                continue;
            }
        };
        let count = mesh.polygon_count();
        let corners: usize = (0..count).map(|p| mesh.polygon(p).len()).sum();
        read += 1;
        mesh.topology().validate().unwrap();
        assert_eq!(mesh.triangles().len() + 2 * count, corners, "{name}");
        let class = mesh.classification();
        println!("{name}: {count} polygons, {} shells: {}", class.shells, mesh.defects());
        assert_eq!(class.manifold_with_boundary, {
            let d = mesh.defects();
            d.non_manifold_edges.is_empty() && d.non_manifold_vertices.is_empty()
        });
        for p in 0..mesh.polygon_count() {
            // A polygon with a valid triangulation keeps its area.
            let points: Vec<Vec3> =
                mesh.polygon(p).iter().map(|v| mesh.vertices()[*v as usize]).collect();
            if points.len() > 3 && triangulate_polygon(&points).1 {
                let vector = |t: [Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
                let sum: Vec3 = mesh.triangles_of(p).map(|t| vector(mesh.triangle(t))).sum();
                let fan: Vec3 = (1..points.len() - 1)
                    .map(|i| vector([points[0], points[i], points[i + 1]]))
                    .sum();
                let size = points.iter().map(|q| q.distance(points[0])).fold(0.0, f64::max);
                assert!(sum.distance(fan) <= 1e-9 * size * size, "{name} polygon {p}");
            }
        }
        let welded = mesh.welded(Weld::Exact).unwrap();
        welded.topology().validate().unwrap();
        if let Some(expected) = watertight.get(name.as_str()) {
            // In the list, a mesh is watertight if every edge has exactly two faces after welding.
            let manifold_edges = welded.defects().open_edges.is_empty()
                && welded.defects().non_manifold_edges.is_empty();
            if (*expected == "y") != manifold_edges {
                differ.push(format!("{name}: listed {expected}, {}", welded.defects()));
            }
        }
        if class.balanced && class.outward.is_some() {
            let mass = mesh.mass_properties().unwrap();
            assert!(
                mass.volume.is_finite() && mesh.bounds().contains(mass.centroid)
                    || mass.volume < 0.0,
                "{name}"
            );
        }
    }
    // Two exceptions: a degenerate triangle that folds onto itself when welded, and a box of
    // 3.4e38, too large for `f32` but closed.
    differ.retain(|d| !d.contains("degtri_edge.off") && !d.contains("Cray_right.obj"));
    assert!(differ.is_empty(), "these meshes differ from MANIFEST.tsv: {differ:#?}");
    println!("{read} meshes");
    assert!(read > 0);
}
