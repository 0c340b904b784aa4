//! Real files: every file of the collection loads, with the counts of its manifest and of other
//! programs, or fails for a reason that was checked by hand.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, not library code")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impinge_io::{Document, ErrorKind, Format, load, load_bytes, write_obj, write_off};
use impinge_oracles::common::model;

fn root() -> Option<PathBuf> {
    model("")
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// The number of triangles and vertices of all instances.
fn instance_counts(document: &Document) -> (usize, usize) {
    document
        .instances
        .iter()
        .map(|i| &document.meshes[i.mesh])
        .fold((0, 0), |(t, v), mesh| (t + mesh.faces.triangle_count(), v + mesh.positions.len()))
}

/// Vertex counts of this reader that differ from the manifest, because the reader that made the
/// manifest splits or merges vertices.
const DIFFERENT_VERTEX_COUNTS: [(&str, usize, &str); 10] = [
    ("cad/trimesh_parts/quadknot.obj", 1440, "manifest splits at texture seams"),
    ("nasty/trimesh/multibody.stl", 96, "manifest merges equal corners of the soup"),
    ("robots/panda/meshes/collision/hand.obj", 102, "manifest splits by normal"),
    ("robots/panda/meshes/collision/link0.obj", 102, "manifest splits by normal"),
    ("robots/panda/meshes/collision/link1.obj", 152, "manifest splits by normal"),
    ("robots/panda/meshes/collision/link2.obj", 152, "manifest splits by normal"),
    ("robots/panda/meshes/collision/link3.obj", 152, "manifest splits by normal"),
    ("robots/panda/meshes/collision/link6.obj", 966, "manifest splits by texture and normal"),
    ("standard/odedstein/spot_low_resolution.obj", 829, "manifest splits by normal"),
    ("standard/spot.obj", 2930, "manifest splits at texture seams"),
];

#[test]
fn counts_agree_with_the_manifest() {
    let Some(root) = root() else { return };
    let manifest = std::fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let mut checked = 0;
    for line in manifest.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let path = columns[0];
        let extension = path.rsplit('.').next().unwrap_or("");
        let is_mesh = Format::from_extension(extension).is_some_and(|f| f != Format::SceneJson);
        let (Ok(triangles), Ok(vertices)) = (columns[3].parse(), columns[4].parse()) else {
            continue;
        };
        if !is_mesh {
            continue;
        }
        let document = load(root.join(path)).unwrap_or_else(|e| panic!("{e}"));
        let different = DIFFERENT_VERTEX_COUNTS.iter().find(|(p, _, _)| *p == path);
        let vertices = different.map_or(vertices, |&(_, n, _)| n);
        assert_eq!(
            instance_counts(&document),
            (triangles, vertices),
            "{path}: {}",
            document.report
        );
        checked += 1;
    }
    println!("{checked} files agree");
    assert!(checked > 100);
}

#[test]
fn every_file_loads_or_has_an_unknown_format() {
    let Some(root) = root() else { return };
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut skipped: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut loaded, mut rejected) = (0, 0);
    for path in all {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let extension = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        match load(&path) {
            Ok(document) => {
                assert!(matches!(&*extension, "obj" | "stl" | "ply" | "off" | "glb"), "{name}");
                assert!(!document.meshes.is_empty(), "{name}");
                for (_, note) in document.report.skipped() {
                    skipped.entry(note.reason.to_string()).or_default().push(name.clone());
                }
                loaded += 1;
            }
            // Only unsupported formats are rejected, including JSON files that are not scenes.
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::UnknownFormat, "{error}");
                assert!(error.to_string().contains("supported are .obj"), "{error}");
                assert!(!matches!(&*extension, "obj" | "stl" | "ply" | "off" | "glb"), "{error}");
                rejected += 1;
            }
        }
    }
    println!("{loaded} loaded, {rejected} rejected");
    for (reason, files) in &skipped {
        println!("skipped {reason}: {}", files.join(", "));
    }
    let expected: [(&str, &[&str]); 2] = [
        ("`l` lines (line elements)", &["robots/panda/meshes/collision/link6.obj"]),
        ("lines that begin with a number", &["peers/fcl/env.obj", "peers/fcl/rob.obj"]),
    ];
    let expected: BTreeMap<String, Vec<String>> = expected
        .iter()
        .map(|(r, f)| ((*r).to_string(), f.iter().map(|s| (*s).to_string()).collect()))
        .collect();
    assert_eq!(skipped, expected);
}

/// The rows `i j name_i name_j` of the clash list of another program.
fn clashes(path: &Path) -> Vec<(usize, usize, String, String)> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()))
        .map(|l| {
            let c: Vec<&str> = l.split('\t').collect();
            (c[0].parse().unwrap(), c[1].parse().unwrap(), c[2].into(), c[3].into())
        })
        .collect()
}

/// The bounding box of an instance, in the scene's frame.
fn aabb(document: &Document, i: usize) -> [[f64; 2]; 3] {
    let instance = &document.instances[i];
    let mut out = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for p in &document.meshes[instance.mesh].positions {
        for (range, row) in out.iter_mut().zip(&instance.matrix) {
            let p = p.map(|x| instance.scale * x);
            let x = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            *range = [range[0].min(x), range[1].max(x)];
        }
    }
    out
}

/// Whether the bounding boxes of two instances overlap.
fn overlap(document: &Document, i: usize, j: usize, tolerance: f64) -> bool {
    let (a, b) = (aabb(document, i), aabb(document, j));
    a.iter().zip(&b).all(|(a, b)| a[0] <= b[1] + tolerance && b[0] <= a[1] + tolerance)
}

#[test]
fn parts_of_the_cylinder_engine_have_the_order_of_the_reference() {
    let Some(root) = root() else { return };
    let path = root.join("cad/assemblies/2CylinderEngine.glb");
    let document = load(&path).unwrap();
    println!("{}", document.report);
    assert_eq!(document.instances.len(), 115);
    assert_eq!(document.meshes.len(), 34);
    // The node of each instance, from the JSON of the file.
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let mut nodes = Vec::new();
    for (i, node) in json["nodes"].as_array().unwrap().iter().enumerate() {
        if let Some(mesh) = node["mesh"].as_u64() {
            let n = json["meshes"][mesh as usize]["primitives"].as_array().unwrap().len();
            nodes.extend(std::iter::repeat_n(i, n));
        }
    }
    assert_eq!(nodes.len(), 115);
    // In the reference, the name of a part is the index of its node, with a suffix if the node has
    // several primitives.
    let node = |name: &str| name.split('_').next().unwrap().parse::<usize>().unwrap();
    let clashes = clashes(&root.join("peers_expected/fcl_clash_2CylinderEngine.tsv"));
    assert_eq!(clashes.len(), 144);
    for (i, j, a, b) in &clashes {
        assert_eq!((nodes[*i], nodes[*j]), (node(a), node(b)));
        assert!(overlap(&document, *i, *j, 0.0), "{i} {j}");
    }
    // The test depends on the order of the primitives in a node: with the reverse order, some
    // clashes are between disjoint boxes.
    let reversed: Vec<usize> = (0..115)
        .map(|i| {
            let first = nodes.iter().position(|n| *n == nodes[i]).unwrap();
            let last = nodes.iter().rposition(|n| *n == nodes[i]).unwrap();
            first + last - i
        })
        .collect();
    let disjoint =
        clashes.iter().filter(|c| !overlap(&document, reversed[c.0], reversed[c.1], 0.0)).count();
    assert!(disjoint > 0);
    println!("with reversed primitives, {disjoint} clashes are between disjoint boxes");
    let overlapping = (0..115)
        .flat_map(|i| (i + 1..115).map(move |j| (i, j)))
        .filter(|&(i, j)| overlap(&document, i, j, 0.0))
        .count();
    println!("{overlapping} pairs of boxes overlap; the reference has 551");
    assert!(overlapping.abs_diff(551) <= 2, "{overlapping}");
}

#[test]
fn parts_of_the_building_have_the_names_of_the_reference() {
    let Some(root) = root() else { return };
    let document = load(root.join("cad/ifc/duplex_A.obj")).unwrap();
    assert_eq!(document.instances.len(), 215);
    let clashes = clashes(&root.join("peers_expected/fcl_clash_duplex_A.tsv"));
    assert_eq!(clashes.len(), 583);
    for (i, j, a, b) in &clashes {
        assert_eq!((&document.instances[*i].name, &document.instances[*j].name), (a, b));
        assert!(overlap(&document, *i, *j, 0.0), "{a} {b}");
    }
}

#[test]
fn reading_speed() {
    let Some(root) = root() else { return };
    let dragon = load(root.join("standard/dragon_res2.ply")).unwrap();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut bytes = Vec::new();
    write_obj(&mut bytes, &dragon.meshes).unwrap();
    files.push(("dragon.obj".into(), std::mem::take(&mut bytes)));
    write_off(&mut bytes, &dragon.meshes[0]).unwrap();
    files.push(("dragon.off".into(), bytes));
    for name in [
        "standard/bunny_closed_60k.obj",
        "standard/armadillo_52k.off",
        "standard/bunny_stanford_orig.ply",
        "standard/dragon_res2.ply",
        "standard/horse_97k.ply",
        "cad/trimesh_parts/1002_tray_bottom.STL",
        "cad/bullet_differential/diff_ring.stl",
        "cad/assemblies/2CylinderEngine.glb",
    ] {
        files.push((name.into(), std::fs::read(root.join(name)).unwrap()));
    }
    for (name, bytes) in &files {
        let best = (0..8)
            .map(|_| {
                let start = Instant::now();
                let document = load_bytes(bytes, None, name).unwrap();
                assert!(!document.meshes.is_empty());
                start.elapsed()
            })
            .min()
            .unwrap();
        let mb = bytes.len() as f64 / 1e6;
        println!("{name}: {mb:.1} MB in {best:?}, {:.0} MB/s", mb / best.as_secs_f64());
    }
}
