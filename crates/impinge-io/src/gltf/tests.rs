use super::*;
use crate::document::IDENTITY;

/// Four points as `f32`, then six indices as bytes, then as shorts.
fn buffer() -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.5] {
        bytes.extend(x.to_le_bytes());
    }
    bytes.extend([0, 1, 2, 0, 2, 3, 0, 0]);
    for i in [2u16, 3] {
        bytes.extend(i.to_le_bytes());
    }
    for x in [9f32, 9.0, 9.0, 8.0, 8.0, 8.0] {
        bytes.extend(x.to_le_bytes());
    }
    bytes
}

const ACCESSORS: &str = r#"
    {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
    {"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"},
    {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,
        "indices":{"bufferView":2,"componentType":5123},"values":{"bufferView":3}}},
    {"bufferView":4,"componentType":5120,"count":2,"type":"VEC3","normalized":true}"#;

const VIEWS: &str = r#"
    {"buffer":0,"byteOffset":0,"byteLength":48},
    {"buffer":0,"byteOffset":48,"byteLength":8},
    {"buffer":0,"byteOffset":56,"byteLength":4},
    {"buffer":0,"byteOffset":60,"byteLength":24},
    {"buffer":0,"byteOffset":48,"byteLength":8,"byteStride":4}"#;

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    for n in [2, 28 + text.len() + binary.len(), text.len()] {
        bytes.extend((n as u32).to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// A document of `primitives` in one mesh, used by `nodes`.
fn document(primitives: &str, nodes: &str, more: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":84}}],"bufferViews":[{VIEWS}],
        "accessors":[{ACCESSORS}],"meshes":[{{"primitives":[{primitives}]}}],"nodes":[{nodes}]{more}}}"#
    )
}

fn load(json: &str) -> Result<Document, Error> {
    read_glb(&glb(json, &buffer()), "t.glb", None)
}

fn fails(json: &str, kind: ErrorKind, part: &str) {
    let error = load(json).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

const PLAIN: &str = r#"{"attributes":{"POSITION":0,"NORMAL":0},"indices":1}"#;

#[test]
fn indexed_triangles_of_a_named_node_are_read() {
    let json = document(PLAIN, r#"{"mesh":0,"name":"plate","translation":[1,2,3]}"#, "");
    let document = load(&json).unwrap();
    assert_eq!(document.meshes[0].positions[3], [0.0, 1.0, 0.5]);
    assert_eq!(document.meshes[0].faces, Faces::from_triangles(&[[0, 1, 2], [0, 2, 3]]));
    assert_eq!(document.instances[0].name, "plate");
    assert_eq!(document.instances[0].matrix[1], [0.0, 1.0, 0.0, 2.0]);
    assert_eq!(
        document.report.files[0].ignored[0].reason,
        "vertex attributes other than positions"
    );
}

#[test]
fn strips_fans_sparse_and_quantized_accessors_are_read() {
    let primitives = r#"{"attributes":{"POSITION":0},"mode":5},{"attributes":{"POSITION":0},"mode":6},
        {"attributes":{"POSITION":2},"indices":1},{"attributes":{"POSITION":3},"mode":5},
        {"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":0},"mode":3},{"attributes":{}}"#;
    let document = load(&document(primitives, r#"{"mesh":0}"#, "")).unwrap();
    assert_eq!(document.meshes[0].faces, Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]));
    assert_eq!(document.meshes[1].faces, Faces::from_triangles(&[[0, 1, 2], [0, 2, 3]]));
    assert_eq!(document.meshes[2].positions[1..], [[1.0, 0.0, 0.0], [9.0; 3], [8.0; 3]]);
    assert_eq!(document.meshes[3].positions[1], [2.0 / 127.0, 3.0 / 127.0, 0.0]);
    let names: Vec<&str> = document.instances.iter().map(|i| &*i.name).collect();
    assert_eq!(names, ["node0.0", "node0.1", "node0.2", "node0.3"]);
    assert_eq!(document.report.files[0].skipped.iter().map(|n| n.count).sum::<u64>(), 3);
}

#[test]
fn primitives_that_share_positions_keep_the_used_vertices() {
    let primitives =
        r#"{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":4}"#;
    let extra = r#"{"bufferView":1,"byteOffset":3,"componentType":5121,"count":3,"type":"SCALAR"}"#;
    let json = document(primitives, r#"{"mesh":0},{"mesh":0}"#, "")
        .replace(ACCESSORS, &format!("{ACCESSORS},{extra}"));
    let document = load(&json).unwrap();
    assert_eq!(document.instances.iter().map(|i| i.mesh).collect::<Vec<_>>(), [0, 1, 0, 1]);
    assert_eq!(document.meshes[1].positions, [[0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]]);
    assert_eq!(document.meshes[1].faces, Faces::from_triangles(&[[0, 1, 2]]));
}

#[test]
fn transforms_are_composed_and_instances_listed_by_node() {
    let nodes = r#"{"mesh":0,"scale":[2,2,2]},{"children":[0,2],"rotation":[0,0,1,1],"translation":[5,0,0]},
        {"mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0.1,0,0,1]},{"mesh":0}"#;
    let json = document(PLAIN, nodes, r#","scene":0,"scenes":[{"nodes":[1]}]"#);
    let loaded = load(&json).unwrap();
    assert_eq!(loaded.instances.len(), 2);
    let near = |a: [[f64; 4]; 3], b: [[f64; 4]; 3]| {
        a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() < 1e-15)
    };
    let rotated = [[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert!(near(loaded.instances[0].matrix, rotated), "{:?}", loaded.instances[0]);
    assert_eq!(loaded.instances.iter().map(|i| i.scale).collect::<Vec<_>>(), [2.0, 1.0]);
    let moved = [[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0]];
    assert!(near(loaded.instances[1].matrix, moved), "{:?}", loaded.instances[1]);
    assert_eq!(loaded.report.files[0].skipped[0].first, Location::Item(ItemKind::Node, 3));

    // Without a default scene, the roots of all scenes, each once; without scenes, all roots.
    for scenes in [r#","scenes":[{"nodes":[1]},{"nodes":[1,3]}]"#, ""] {
        let loaded = load(&document(PLAIN, nodes, scenes)).unwrap();
        assert_eq!(loaded.instances.len(), 3);
        assert_eq!(loaded.instances[2].matrix, IDENTITY);
    }
}

/// All instances under one scaled root have the same factor, and the same rotations as under a root
/// without a scale.
#[test]
fn scales_do_not_depend_on_rotations() {
    let scaled_y_up = r#""matrix":[0.1,0,0,0, 0,0,-0.1,0, 0,0.1,0,0, 0,0,0,1]"#;
    let pose = |k: usize| format!(r#""rotation":[0.3,0.1,{k},0.7],"translation":[{k},2,3]"#);
    let tree = |root: &str| {
        let mut nodes = vec![format!(r#"{{{root},"children":[1,2,3,4,5,6,7,8]}}"#)];
        for k in 1..=8 {
            let child = if k % 2 == 0 { r#","scale":[0.7,0.7,0.7]"# } else { "" };
            nodes.push(format!(r#"{{"children":[{}],{}{child}}}"#, k + 8, pose(k)));
        }
        for k in 1..=8 {
            nodes.push(format!(r#"{{"mesh":0,{}}}"#, pose(3 * k)));
        }
        load(&document(PLAIN, &nodes.join(","), "")).unwrap().instances
    };
    let unscaled = tree(&scaled_y_up.replace("0.1", "1"));
    for root in [scaled_y_up, r#""rotation":[-1,0,0,1],"scale":[0.1,0.1,0.1]"#] {
        for (k, (instance, reference)) in tree(root).iter().zip(&unscaled).enumerate() {
            assert_eq!(instance.scale, if k % 2 == 1 { 0.1 * 0.7 } else { 0.1 });
            for (row, expected) in instance.matrix.iter().zip(&reference.matrix) {
                assert_eq!(row[..3], expected[..3]);
                assert!((row[3] - 0.1 * expected[3]).abs() < 1e-14);
            }
        }
    }
    // A product of factors that overflows is an error; one that underflows is zero.
    let chain = |s: &str| {
        let scale = format!(r#""scale":[{s},{s},{s}]"#);
        let nodes = format!(r#"{{"children":[1],{scale}}},{{"mesh":0,{scale}}}"#);
        load(&document(PLAIN, &nodes, ""))
    };
    assert_eq!(chain("1e200").unwrap_err().kind(), ErrorKind::NotFinite);
    let small = &chain("1e-200").unwrap().instances[0];
    assert_eq!((small.scale, small.matrix), (0.0, IDENTITY));
}

#[test]
fn deep_trees_do_not_overflow_the_stack() {
    let n = 200_000;
    let mut nodes: Vec<String> = (1..n).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect();
    nodes.push(r#"{"mesh":0}"#.into());
    assert_eq!(load(&document(PLAIN, &nodes.join(","), "")).unwrap().instances.len(), 1);
}

#[test]
fn invalid_trees_are_errors() {
    let fails = |nodes: &str, more: &str, part: &str| {
        fails(&document(PLAIN, nodes, more), ErrorKind::BadReference, part);
    };
    fails(r#"{"children":[1]},{"children":[0]}"#, "", "cycle");
    fails(r#"{"mesh":0},{"children":[1]}"#, "", "cycle");
    fails(r#"{"children":[2]},{"children":[2]},{"mesh":0}"#, "", "child of node 0 and of node 1");
    fails(r#"{"children":[9]}"#, "", "child 9 does not exist");
    fails(r#"{"mesh":7}"#, "", "mesh 7 does not exist");
    fails(r#"{"mesh":0}"#, r#","scene":3"#, "default scene is 3");
    fails(r#"{"mesh":0}"#, r#","scenes":[{"nodes":[5]}]"#, "references node 5");
    fails(r#"{"children":[1]},{"mesh":0}"#, r#","scenes":[{"nodes":[1]}]"#, "child of node 0");
}

#[test]
fn invalid_transforms_are_errors() {
    let node = |text: &str| document(PLAIN, text, "");
    fails(&node(r#"{"mesh":0,"rotation":[0,0,0,0]}"#), ErrorKind::Syntax, "zero quaternion");
    let perspective = r#"{"mesh":0,"matrix":[1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]}"#;
    fails(&node(perspective), ErrorKind::Unsupported, "affine");
    let huge = r#"{"children":[1],"scale":[1e200,1,1]},{"mesh":0,"scale":[1e200,1,1]}"#;
    fails(&node(huge), ErrorKind::NotFinite, "node 1");
}

#[test]
fn invalid_data_are_errors() {
    let node = r#"{"mesh":0}"#;
    let change = |from: &str, to: &str| {
        let json = document(PLAIN, node, "");
        assert!(json.contains(from), "{from}");
        json.replacen(from, to, 1)
    };
    use ErrorKind::{BadReference, IndexOutOfBounds, NotFinite, Syntax, TooLarge, UnexpectedEnd};
    fails(&change(r#""count":4"#, r#""count":5"#), UnexpectedEnd, "do not fit");
    fails(&change(r#""count":4"#, r#""count":3"#), IndexOutOfBounds, "references vertex 3");
    fails(&change(r#""count":4"#, r#""count":4294967295"#), TooLarge, "accessor 0");
    fails(&change(r#""count":4"#, r#""count":18446744073709551615"#), TooLarge, "accessor 0");
    fails(&change(r#""byteLength":84"#, r#""byteLength":85"#), UnexpectedEnd, "buffer 0");
    fails(&change(r#""byteLength":48"#, r#""byteLength":99"#), UnexpectedEnd, "ends after");
    fails(&change(r#""byteLength":48"#, r#""byteLength":48,"byteStride":8"#), Syntax, "stride 8");
    fails(&change(r#""type":"VEC3""#, r#""type":"VEC2""#), Syntax, "not VEC3");
    fails(&change(r#""componentType":5121"#, r#""componentType":5120"#), Syntax, "unsigned");
    fails(&change(r#""componentType":5126"#, r#""componentType":5125"#), Syntax, "floats");
    fails(&change(r#""componentType":5126"#, r#""componentType":7"#), Syntax, "component type");
    fails(&change(r#""indices":1"#, r#""indices":17"#), BadReference, "accessor 17");
    fails(&change(r#""bufferView":0"#, r#""bufferView":17"#), BadReference, "bufferView 17");
    fails(&change(r#""buffer":0"#, r#""buffer":1"#), BadReference, "buffer 1");
    fails(&change(r#""indices":1"#, r#""indices":1,"mode":9"#), Syntax, "mode 9");
    fails(&change(r#""version":"2.0""#, r#""version":"1.0""#), ErrorKind::Unsupported, "2.0");
    let mut binary = buffer();
    binary[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = read_glb(&glb(&document(PLAIN, node, ""), &binary), "t.glb", None).unwrap_err();
    assert_eq!(error.kind(), NotFinite);
    assert!(error.to_string().contains("vertex 1"), "{error}");
    // A sparse index beyond the accessor.
    let sparse = document(r#"{"attributes":{"POSITION":2}}"#, node, "");
    let mut binary = buffer();
    binary[58] = 4;
    let error = read_glb(&glb(&sparse, &binary), "t.glb", None).unwrap_err();
    assert_eq!(error.kind(), IndexOutOfBounds, "{error}");
}

#[test]
fn errors_name_the_extension_of_compressed_geometry() {
    let draco = r#"{"attributes":{"POSITION":4},"extensions":{"KHR_draco_mesh_compression":{}}}"#;
    let not_stored = r#"{"componentType":5126,"count":4,"type":"VEC3"}"#;
    let json = document(draco, r#"{"mesh":0}"#, "")
        .replace(ACCESSORS, &format!("{ACCESSORS},{not_stored}"));
    fails(&json, ErrorKind::Unsupported, "KHR_draco_mesh_compression");
    let required = r#","extensionsRequired":["KHR_materials_unlit","EXT_meshopt_compression"]"#;
    fails(
        &document(PLAIN, r#"{"mesh":0}"#, required),
        ErrorKind::Unsupported,
        "EXT_meshopt_compression",
    );
    let view = r#""byteLength":48,"extensions":{"EXT_meshopt_compression":{}}"#;
    let json = document(PLAIN, r#"{"mesh":0}"#, "").replacen(r#""byteLength":48"#, view, 1);
    fails(&json, ErrorKind::Unsupported, "EXT_meshopt_compression");
    let instancing = r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}"#;
    fails(&document(PLAIN, instancing, ""), ErrorKind::Unsupported, "EXT_mesh_gpu_instancing");
}

#[test]
fn many_primitives_that_share_positions_are_read() {
    // Two thousand index accessors over the same bytes are below the limit on decoded elements,
    // because the shared positions are decoded only once.
    let mut accessors = ACCESSORS.to_string();
    let mut primitives = Vec::new();
    for i in 0..2000 {
        accessors += r#",{"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"}"#;
        primitives.push(format!(r#"{{"attributes":{{"POSITION":0}},"indices":{}}}"#, 4 + i));
    }
    let json = document(&primitives.join(","), r#"{"mesh":0}"#, "").replace(ACCESSORS, &accessors);
    assert_eq!(load(&json).unwrap().instances.len(), 2000);
    // More than `MAX_INSTANCES` instances.
    let nodes = vec![r#"{"mesh":0}"#; 600].join(",");
    let json = document(&primitives.join(","), &nodes, "").replace(ACCESSORS, &accessors);
    fails(&json, ErrorKind::TooLarge, "parts");
}

#[test]
fn invalid_containers_are_errors() {
    let good = glb(&document(PLAIN, r#"{"mesh":0}"#, ""), &buffer());
    let fails = |change: &dyn Fn(&mut Vec<u8>), kind: ErrorKind| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let error = read_glb(&bytes, "t.glb", None).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    };
    fails(&|b| b.truncate(6), ErrorKind::UnexpectedEnd);
    fails(&|b| b.truncate(100), ErrorKind::UnexpectedEnd);
    fails(&|b| b[0] = b'x', ErrorKind::Syntax);
    fails(&|b| b[4] = 1, ErrorKind::Unsupported);
    fails(&|b| b[8..12].copy_from_slice(&[0; 4]), ErrorKind::UnexpectedEnd);
    fails(&|b| b[8..12].copy_from_slice(&[14, 0, 0, 0]), ErrorKind::UnexpectedEnd);
    fails(&|b| b[12..16].copy_from_slice(&[255; 4]), ErrorKind::UnexpectedEnd);
    fails(&|b| b[16] = b'X', ErrorKind::Syntax);
    fails(&|b| b[20] = b'!', ErrorKind::Syntax);
    let mut long = good.clone();
    long.extend([1, 2, 3]);
    assert_eq!(read_glb(&long, "t.glb", None).unwrap().report.files[0].skipped[0].count, 3);
}

#[test]
fn external_buffers_are_read_or_rejected() {
    let json = |uri: &str| {
        document(PLAIN, r#"{"mesh":0}"#, "")
            .replace(r#""byteLength":84"#, &format!(r#""byteLength":84,"uri":"{uri}""#))
    };
    let kind = |uri: &str, directory: Option<&Path>| {
        read_gltf(json(uri).as_bytes(), "t.gltf", directory).unwrap_err().kind()
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(kind("a.bin", None), ErrorKind::BadReference);
    assert_eq!(kind("none%20such.bin", Some(here)), ErrorKind::NotFound);
    assert_eq!(kind("src", Some(here)), ErrorKind::Io);
    assert_eq!(kind("https://example.org/a.bin", Some(here)), ErrorKind::Unsupported);
    assert_eq!(kind("/etc/hosts", Some(here)), ErrorKind::BadReference);
    assert_eq!(kind("a%zz", Some(here)), ErrorKind::Syntax);
    assert_eq!(kind("data:;base64,AAAA", Some(here)), ErrorKind::UnexpectedEnd);
    assert_eq!(kind("data:;base64,A!", Some(here)), ErrorKind::Syntax);
    assert_eq!(kind("data:text/plain,abc", Some(here)), ErrorKind::Unsupported);
    assert_eq!(kind("data:nothing", Some(here)), ErrorKind::Syntax);
    let directory = std::env::temp_dir().join(format!("impinge-io-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("a b.bin"), buffer()).unwrap();
    let document = read_gltf(json("./a%20b.bin").as_bytes(), "t.gltf", Some(&directory)).unwrap();
    assert_eq!(document.meshes[0].positions.len(), 4);
    std::fs::remove_dir_all(&directory).unwrap();
}
