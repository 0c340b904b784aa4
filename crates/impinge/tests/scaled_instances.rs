//! Scaled and rotated parts: they share one scaled mesh, and all answers equal those for a mesh
//! with explicitly scaled vertices.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use impinge::check::{CheckOptions, PairReport};
use impinge::internals::pair::{Posed, brute};
use impinge::pair::{Collect, intersecting_pairs};
use impinge::{ErrorKind, Loaded, Mesh, Pose, Relation, Scene, Vec3, check_pair, shapes};
use impinge_oracles::common::{Random, count_from};

/// A new mesh with the same triangles and vertices multiplied by `scale`.
fn baked(mesh: &Mesh, scale: f64) -> Mesh {
    let vertices = mesh.vertices().iter().map(|v| Vec3::new(scale * v.x, scale * v.y, scale * v.z));
    Mesh::from_triangles(vertices.collect(), mesh.triangles().to_vec()).unwrap()
}

fn turn(random: &mut Random) -> Pose {
    let q = [random.signed(), random.signed(), random.signed(), random.signed()];
    Pose::from_quaternion(q, Vec3::ZERO).unwrap()
}

fn brute_pairs(a: &Mesh, b: &Mesh) -> Vec<(u32, u32)> {
    let mut found = Collect::default();
    let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, &Pose::IDENTITY));
    brute::traverse(&a, &b, &mut found);
    found.into_sorted()
}

/// Answers are equal bit for bit, at all scales, for crossing and for separated parts.
#[test]
fn answers_equal_those_of_the_baked_mesh() {
    let triangles = |mesh: Mesh| Arc::new(baked(&mesh, 1.0));
    let parts = [
        triangles(shapes::cuboid([1.0, 2.0, 3.0]).unwrap()),
        triangles(shapes::torus(1.0, 0.4, 12, 7).unwrap()),
        triangles(shapes::icosphere(1.0, 1).unwrap()),
        triangles(shapes::cylinder(0.5, 3.0, 9).unwrap()),
    ];
    let mut random = Random::new(13);
    let options = CheckOptions::default().distance(true).keep_hits(true);
    let mut relations = BTreeSet::new();
    for round in 0..count_from("IMPINGE_SCALED_ROUNDS", 400) {
        let scale = match round % 4 {
            0 => 0.001,
            1 => 10.0_f64.powf(6.0 * random.signed()),
            2 => 10.0_f64.powf(55.0 * random.signed()),
            _ => 1.0 / 3.0,
        };
        // Usually both parts have the same scale, as under one root.
        let other = if round % 3 == 0 { scale * (1.0 + random.unit()) } else { scale };
        let (p, q) = (&parts[random.below(4)], &parts[random.below(4)]);
        let shift = Pose::from_translation(random.point() * (3.0 * scale)).unwrap();
        let (a, b) = (turn(&mut random), shift.compose(&turn(&mut random)).unwrap());
        let mut scene = Scene::new();
        scene.add_scaled("a", p, a, scale).unwrap();
        scene.add_scaled("b", q, b, other).unwrap();
        let pose = Pose::relative(&scene.parts()[0].pose, &scene.parts()[1].pose);
        let [x, y] = [0, 1].map(|i| &*scene.parts()[i].mesh);
        let report = check_pair(x, y, &pose, &options);
        let (baked_a, baked_b) = (baked(p, scale), baked(q, other));
        assert_eq!(report, check_pair(&baked_a, &baked_b, &pose, &options), "{scale:e}");
        // The vertices of B with scale and pose applied: R * (s * v) + t.
        let baked_b = baked_b.transformed(&pose);
        for (v, w) in q.vertices().iter().zip(baked_b.vertices()) {
            assert_eq!(pose.transform_point(*v * other), *w);
        }
        let pairs: Vec<(u32, u32)> =
            report.hits.iter().map(|hit| (hit.triangle_a, hit.triangle_b)).collect();
        assert_eq!(pairs, intersecting_pairs(&baked_a, &baked_b, &Pose::IDENTITY));
        assert_eq!(pairs, brute_pairs(&baked_a, &baked_b));
        let PairReport { relation, distance, .. } =
            check_pair(&baked_a, &baked_b, &Pose::IDENTITY, &options);
        assert_eq!(report.relation, relation);
        match (report.distance, distance) {
            (Some(d), Some(e)) => assert!(d.lower <= e.upper && e.lower <= d.upper),
            (d, e) => assert_eq!(d, e),
        }
        relations.insert(relation);
    }
    assert!(relations.contains(&Relation::Crossing) && relations.len() >= 2, "{relations:?}");
}

#[test]
fn parts_with_equal_mesh_and_scale_share_the_scaled_mesh() {
    let ball = Arc::new(shapes::icosphere(1.0, 1).unwrap());
    let same = Arc::new(Mesh::clone(&ball));
    let mut scene = Scene::new();
    for scale in [0.1, 1.0, 0.2, 0.1, 1.0] {
        scene.add_scaled("of the first", &ball, Pose::IDENTITY, scale).unwrap();
    }
    scene.add_scaled("of the other", &same, Pose::IDENTITY, 0.1).unwrap();
    let mut copy = scene.clone();
    copy.add_scaled("of the first", &ball, Pose::IDENTITY, 0.2).unwrap();
    let part = |i: usize| &copy.parts()[i].mesh;
    assert!(Arc::ptr_eq(part(0), part(3)) && !Arc::ptr_eq(part(0), part(2)));
    assert!(Arc::ptr_eq(part(1), &ball) && Arc::ptr_eq(part(4), &ball));
    assert!(!Arc::ptr_eq(part(0), part(5)));
    assert!(Arc::ptr_eq(part(2), part(6)));
    // They share the tree too.
    assert!(std::ptr::eq(part(0).tree(), part(3).tree()));
}

/// The original meshes are dropped, and a later mesh may have the address of an earlier one.
#[test]
fn original_meshes_may_be_dropped() {
    let mut scene = Scene::new();
    for k in 3..60 {
        let mesh = Arc::new(shapes::cylinder(1.0, 1.0, k).unwrap());
        scene.add_scaled("cylinder", &mesh, Pose::IDENTITY, 0.5).unwrap();
    }
    for (k, part) in (3..60).zip(scene.parts()) {
        assert_eq!(part.mesh.vertices().len(), 2 * k);
    }
}

#[test]
fn invalid_scales_are_errors() {
    let ball = Arc::new(shapes::icosphere(1.0, 1).unwrap());
    let mut scene = Scene::new();
    for (scale, kind) in [
        (0.0, ErrorKind::BadParameter),
        (-0.0, ErrorKind::BadParameter),
        (-2.0, ErrorKind::BadParameter),
        (f64::NEG_INFINITY, ErrorKind::BadParameter),
        (f64::NAN, ErrorKind::NotFinite),
        (f64::INFINITY, ErrorKind::NotFinite),
        (1e61, ErrorKind::OutOfRange),
        (f64::MAX, ErrorKind::OutOfRange),
    ] {
        let error = scene.add_scaled("ball", &ball, Pose::IDENTITY, scale).unwrap_err();
        assert_eq!(error.kind(), kind, "{scale}: {error}");
    }
    assert!(scene.parts().is_empty());
    // Denormal coordinates are valid.
    for scale in [5e-324, 1e-310] {
        scene.add_scaled("ball", &ball, Pose::IDENTITY, scale).unwrap();
    }
    assert_eq!(scene.parts()[1].mesh.vertices()[0], ball.vertices()[0] * 1e-310);
}

/// A separate folder for a test, removed at its end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn load(&self, file: &str, text: &str) -> Loaded {
        let path = self.0.join(file);
        fs::write(&path, text).unwrap();
        Scene::load(path).unwrap()
    }

    /// A glTF document of one mesh, with `nodes`, of which the first `roots` are roots.
    fn gltf(&self, mesh: &Mesh, nodes: &[String], roots: usize) -> Loaded {
        let mut bytes = Vec::new();
        for v in mesh.vertices() {
            v.to_array().iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        let middle = bytes.len();
        mesh.triangles().iter().flatten().for_each(|i| bytes.extend(i.to_le_bytes()));
        fs::write(self.0.join("part.bin"), &bytes).unwrap();
        let roots: Vec<String> = (0..roots).map(|i| i.to_string()).collect();
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"part.bin","byteLength":{}}}],
            "bufferViews":[{{"buffer":0,"byteLength":{middle}}},
                {{"buffer":0,"byteOffset":{middle},"byteLength":{}}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},
                {{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
            "nodes":[{}],"scene":0,"scenes":[{{"nodes":[{}]}}]}}"#,
            bytes.len(),
            bytes.len() - middle,
            mesh.vertices().len(),
            3 * mesh.triangles().len(),
            nodes.join(","),
            roots.join(","),
        );
        self.load("scene.gltf", &text)
    }
}

/// The `matrix` of a glTF node: a pose's rotation times `scale`, and its translation.
fn matrix(pose: &Pose, scale: f64, round: impl Fn(f64) -> f64) -> String {
    let m = pose.to_matrix();
    let mut out = String::new();
    for column in 0..4 {
        for row in &m {
            let x = row[column] * if column < 3 { scale } else { 1.0 };
            write!(out, "{:?},", round(x)).unwrap();
        }
        out += if column < 3 { "0," } else { "1" };
    }
    format!(r#""matrix":[{out}]"#)
}

fn distinct(loaded: &Loaded) -> usize {
    let meshes: BTreeSet<*const Mesh> =
        loaded.scene.parts().iter().map(|part| Arc::as_ptr(&part.mesh)).collect();
    meshes.len()
}

/// Three thousand rotated parts with one scale, in all forms in which a file can specify it.
#[test]
fn parts_with_one_scale_share_one_mesh() {
    const PARTS: usize = 3000;
    let folder = Folder::new("one-scale");
    let mesh = shapes::cuboid([1.0, 2.0, 4.0]).unwrap();
    let mut random = Random::new(5);
    let (mut poses, mut turned) = (Vec::new(), Vec::new());
    for i in 0..PARTS {
        let q = [random.signed(), random.signed(), random.signed(), random.signed()];
        let t = [i as f64, 0.1, -3.0];
        poses.push(Pose::from_quaternion(q, t).unwrap());
        turned.push(format!(r#""rotation":{q:?},"translation":{t:?}"#));
    }
    let children: Vec<String> = (1..=PARTS).map(|i| i.to_string()).collect();
    let children = format!(r#""children":[{}]"#, children.join(","));
    let root = |root: &str, leaf: &str| {
        let mut nodes = vec![format!("{{{root},{children}}}")];
        nodes.extend(turned.iter().map(|turned| format!(r#"{{"mesh":0,{turned}{leaf}}}"#)));
        nodes
    };
    let tilt = Pose::from_quaternion([0.1, 0.2, 0.3, 0.9], [1.0, 2.0, 3.0]).unwrap();
    let inch = 1.0 / 25.4;
    for scale in [0.001, inch, 7.3e-5, 1000.0] {
        let uniform = format!(r#""scale":[{scale:?},{scale:?},{scale:?}]"#);
        let axes =
            format!(r#""matrix":[{scale:?},0,0,0,0,0,-{scale:?},0,0,{scale:?},0,0,4,5,6,1]"#);
        let leaves = |round: &dyn Fn(f64) -> f64| -> Vec<String> {
            poses.iter().map(|p| format!(r#"{{"mesh":0,{}}}"#, matrix(p, scale, round))).collect()
        };
        let single = |x: f64| f64::from(x as f32);
        for (how, nodes, roots, straightened) in [
            ("scale", root(&uniform, ""), 1, 0),
            ("axes", root(&axes, ""), 1, 0),
            ("tilted", root(&matrix(&tilt, scale, |x| x), ""), 1, 0),
            ("leaf", root(r#""rotation":[0.5,0.4,0.3,0.2]"#, &format!(",{uniform}")), 1, 0),
            ("matrices", leaves(&|x| x), PARTS, 0),
            ("single precision", leaves(&single), PARTS, PARTS),
        ] {
            let loaded = folder.gltf(&mesh, &nodes, roots);
            assert_eq!(loaded.scene.parts().len(), PARTS);
            assert_eq!((loaded.scaled, loaded.deformed), (PARTS, 0), "{how} {scale}");
            assert_eq!(loaded.straightened, straightened, "{how} {scale}");
            assert_eq!(distinct(&loaded), 1, "{how} {scale}");
            let shared = &loaded.scene.parts()[0].mesh;
            let factor = shared.vertices()[0].x / mesh.vertices()[0].x;
            let allowed = if how == "single precision" { 1.2e-7 } else { 1e-14 };
            assert!((factor / scale - 1.0).abs() < allowed, "{how} {scale} {factor}");
            if how == "matrices" {
                for (pose, part) in poses.iter().zip(loaded.scene.parts()) {
                    // The same rotations as without the scale, within rounding.
                    let off = (part.pose.rotation() - pose.rotation()).to_cols_array();
                    assert!(off.iter().all(|x| x.abs() < 1e-15));
                    assert_eq!(part.pose.translation(), pose.translation());
                }
            }
        }
    }
}

/// Parts that touch still touch after scaling and quarter turns.
#[test]
fn contacts_are_kept_by_scaling() {
    let folder = Folder::new("contacts");
    let cube = shapes::cuboid([1.0; 3]).unwrap();
    for root in [
        r#""scale":[0.1,0.1,0.1]"#,
        r#""scale":[0.1,0.1,0.1],"rotation":[-1,0,0,1]"#,
        r#""matrix":[0.1,0,0,0, 0,0,-0.1,0, 0,0.1,0,0, 0,0,0,1]"#,
    ] {
        let nodes = [
            format!(r#"{{{root},"children":[1,2]}}"#),
            r#"{"mesh":0,"rotation":[0,0,1,1]}"#.into(),
            r#"{"mesh":0,"translation":[1,0.5,0]}"#.into(),
        ];
        let loaded = folder.gltf(&cube, &nodes, 1);
        let [a, b] = [0, 1].map(|i| &loaded.scene.parts()[i]);
        let pose = Pose::relative(&a.pose, &b.pose);
        let report = check_pair(&a.mesh, &b.mesh, &pose, &CheckOptions::default());
        assert_eq!(report.relation, Relation::Touching, "{root}");
        assert!(Arc::ptr_eq(&a.mesh, &b.mesh));
    }
}

#[test]
fn other_linear_maps_than_uniform_scales_are_baked() {
    let folder = Folder::new("baked");
    let mesh = shapes::cuboid([1.0, 2.0, 4.0]).unwrap();
    let turn = Pose::from_quaternion([0.1, 0.2, 0.3, 0.9], [1.0, 2.0, 3.0]).unwrap();
    let turned = r#""rotation":[0.1,0.2,0.3,0.9],"translation":[1,2,3]"#;
    for (map, factors, mirrors) in [
        (r#""scale":[-0.5,-0.5,-0.5]"#, [-0.5; 3], true),
        (r#""scale":[0.5,0.5,-0.5]"#, [0.5, 0.5, -0.5], true),
        (r#""scale":[0.5,0.5,0.50001]"#, [0.5, 0.5, 0.50001], false),
        (r#""scale":[0,0,0]"#, [0.0; 3], false),
        (r#""scale":[0.5,0.5,0]"#, [0.5, 0.5, 0.0], false),
    ] {
        let loaded = folder.gltf(&mesh, &[format!(r#"{{"mesh":0,{map},{turned}}}"#)], 1);
        assert_eq!((loaded.scaled, loaded.deformed, loaded.straightened), (0, 1, 0), "{map}");
        let part = &loaded.scene.parts()[0];
        assert_eq!(part.pose, Pose::from_translation([1.0, 2.0, 3.0]).unwrap());
        let mut linear = turn.rotation();
        linear.x_axis *= factors[0];
        linear.y_axis *= factors[1];
        linear.z_axis *= factors[2];
        let expected: Vec<Vec3> = mesh.vertices().iter().map(|v| linear * *v).collect();
        assert_eq!(part.mesh.vertices().len(), expected.len(), "{map}");
        for (v, w) in part.mesh.vertices().iter().zip(&expected) {
            assert!((*v - *w).abs().max_element() < 1e-15, "{map}");
        }
        if linear.determinant() != 0.0 {
            assert_eq!(part.mesh.classification().outward, Some(true), "{map} {mirrors}");
        }
    }
    // A shear below a scaled and an unscaled root; two reflections are a rotation.
    let shear = r#"{"mesh":0,"matrix":[1,0,0,0, 0.001,1,0,0, 0,0,1,0, 0,0,0,1]}"#;
    let mirror = r#"{"mesh":0,"scale":[1,-1,1]}"#;
    for (node, root, deformed) in [
        (shear, r#""scale":[2,2,2]"#, 1),
        (shear, r#""scale":[1,1,1]"#, 1),
        (mirror, r#""scale":[0.5,0.5,0.5]"#, 1),
        (mirror, r#""scale":[0.5,-0.5,0.5]"#, 0),
    ] {
        let nodes = [format!(r#"{{"children":[1],{root}}}"#), node.to_owned()];
        let loaded = folder.gltf(&mesh, &nodes, 1);
        assert_eq!((loaded.scaled, loaded.deformed), (1 - deformed, deformed), "{node} {root}");
    }
}

#[test]
fn scene_files_share_scaled_meshes() {
    let folder = Folder::new("toml");
    fs::write(folder.0.join("part.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mut text = String::new();
    for i in 0..20 {
        let pose =
            format!("{{ axis = [1, 2, 3], angle_deg = {}, translation = [0, 0, {i}] }}", 7 * i);
        let scale = if i % 2 == 0 { "0.3" } else { "[0.3, 0.3, 0.3]" };
        write!(
            text,
            "[[part]]\nname = \"{i}\"\nfile = \"part.obj\"\npose = {pose}\nscale = {scale}\n"
        )
        .unwrap();
    }
    let loaded = folder.load("scene.toml", &text);
    assert_eq!((loaded.scaled, loaded.deformed, distinct(&loaded)), (20, 0, 1));
    assert_eq!(loaded.scene.parts()[0].mesh.vertices()[1], Vec3::new(0.3, 0.0, 0.0));
    // A matrix that contains the scale, without a parent.
    let matrix = "pose = { matrix = [[0, -0.3, 0, 1], [0.3, 0, 0, 2], [0, 0, 0.3, 3]] }";
    text += &format!("[[part]]\nname = \"m\"\nfile = \"part.obj\"\n{matrix}\n");
    let loaded = folder.load("scene.toml", &text);
    assert_eq!((loaded.scaled, distinct(&loaded)), (21, 1));
}
