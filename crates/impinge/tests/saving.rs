//! Saving meshes to files, loading them again, and the contents of load reports.
#![cfg(feature = "files")]

use std::fs;
use std::path::PathBuf;

use impinge::{Error, ErrorKind, LoadOptions, Mesh, Vec3, Weld, shapes};

/// A separate folder for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn as_written() -> LoadOptions {
    LoadOptions::default().weld(None)
}

fn bits(vertices: &[Vec3]) -> Vec<[u64; 3]> {
    vertices.iter().map(|v| v.to_array().map(f64::to_bits)).collect()
}

fn polygons(mesh: &Mesh) -> Vec<Vec<u32>> {
    (0..mesh.polygon_count()).map(|i| mesh.polygon(i).to_vec()).collect()
}

/// Polygons of three to six corners, coordinates of every kind, a vertex that is not used.
fn unusual_mesh() -> Mesh {
    let vertices = vec![
        Vec3::new(0.1, -0.0, 1e-310),
        Vec3::new(1e60, 1.0 / 3.0, -5e-324),
        Vec3::new(1e22, 123_456_789.123_456_78, 1e-7),
        Vec3::new(std::f64::consts::PI, 2.0, 3.0),
        Vec3::new(-7.0, 1.0 + f64::EPSILON, 0.0),
        Vec3::new(5.0, 5.0, 5.0),
        Vec3::new(0.1, 0.0, 1e-310),
    ];
    let polygons: [&[u32]; 3] = [&[0, 1, 2], &[2, 1, 3, 4], &[0, 2, 3, 4, 1, 6]];
    Mesh::from_polygons(vertices, polygons).expect("indices fit")
}

#[test]
fn exact_formats_keep_every_bit() -> Result<(), Error> {
    let folder = Folder::new("exact");
    let torus = shapes::torus(2.0, 0.3, 16, 8)?;
    for mesh in [&unusual_mesh(), &torus] {
        for name in ["a.obj", "a.off", "a.ply", "A.PLY"] {
            let path = folder.file(name);
            mesh.save(&path)?;
            let loaded = Mesh::load_with(&path, &as_written())?;
            assert_eq!(bits(loaded.mesh.vertices()), bits(mesh.vertices()), "{name}");
            assert_eq!(polygons(&loaded.mesh), polygons(mesh), "{name}");
            assert_eq!(loaded.mesh.triangles(), mesh.triangles(), "{name}");
            assert!(loaded.report.is_complete(), "{name}: {loaded}");
        }
    }
    assert_eq!(folder.names(), ["A.PLY", "a.obj", "a.off", "a.ply"], "no temporary files are left");
    Ok(())
}

#[test]
fn single_precision_formats_keep_triangles_rounded() -> Result<(), Error> {
    let folder = Folder::new("single");
    let mesh = shapes::torus(2.0, 0.3, 16, 8)?;
    let corners = |m: &Mesh, narrow: bool| -> Vec<[u64; 3]> {
        let round = |x: f64| if narrow { f64::from(x as f32) } else { x };
        let all = (0..m.triangles().len()).flat_map(|t| m.triangle(t));
        all.map(|v| v.to_array().map(|x| round(x).to_bits())).collect()
    };
    for name in ["a.stl", "a.glb"] {
        let path = folder.file(name);
        mesh.save(&path)?;
        let loaded = Mesh::load_with(&path, &as_written())?.mesh;
        assert_eq!(corners(&loaded, false), corners(&mesh, true), "{name}");
        assert_eq!(loaded.triangles().len(), mesh.triangles().len());
    }
    let glb = Mesh::load_with(folder.file("a.glb"), &as_written())?.mesh;
    assert_eq!(glb.triangles(), mesh.triangles());

    let error = unusual_mesh().save(folder.file("b.stl")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    assert!(error.to_string().contains("vertex 1"), "{error}");
    assert!(!folder.file("b.stl").exists());
    Ok(())
}

#[test]
fn invalid_paths_are_errors_and_old_files_are_kept() -> Result<(), Error> {
    let folder = Folder::new("paths");
    let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
    let kind = |name: &str| cube.save(folder.file(name)).unwrap_err().kind();
    assert_eq!(kind("cube"), ErrorKind::BadParameter);
    assert_eq!(kind("cube.step"), ErrorKind::BadParameter);
    assert_eq!(kind("no/such/cube.obj"), ErrorKind::BadParameter);
    fs::create_dir(folder.file("folder.obj")).unwrap();
    assert_eq!(kind("folder.obj"), ErrorKind::BadParameter);

    let old = folder.file("old.stl");
    cube.save(&old)?;
    let before = fs::read(&old).unwrap();
    assert!(unusual_mesh().save(&old).is_err());
    assert_eq!(fs::read(&old).unwrap(), before);
    let mut locked = fs::metadata(&old).unwrap().permissions();
    locked.set_readonly(true);
    fs::set_permissions(&old, locked.clone()).unwrap();
    assert_eq!(kind("old.stl"), ErrorKind::BadParameter);
    assert_eq!(fs::read(&old).unwrap(), before);
    assert_eq!(folder.names(), ["folder.obj", "old.stl"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_are_errors() -> Result<(), Error> {
    let folder = Folder::new("links");
    let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
    let (real, link) = (folder.file("real.obj"), folder.file("link.obj"));
    fs::write(&real, "v 0 0 0\n").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    cube.save(&link)?;
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(Mesh::load(&real)?.triangles().len(), 12);
    let device = folder.file("null.obj");
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    assert_eq!(cube.save(&device).unwrap_err().kind(), ErrorKind::BadParameter);
    Ok(())
}

#[test]
fn load_reports_contain_skipped_welded_and_triangulated_elements() -> Result<(), Error> {
    let folder = Folder::new("report");
    let path = folder.file("plate.obj");
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\n\
                f 1 2 3 4\nf 6 5 3\nl 1 3\nvn 0 0 1\n";
    fs::write(&path, text).unwrap();
    let loaded = Mesh::load_with(&path, &LoadOptions::default())?;
    assert_eq!((loaded.parts, loaded.welded, loaded.triangulated), (1, 2, 1));
    assert_eq!(loaded.report.skipped().count(), 1);
    assert_eq!(loaded.mesh.vertices().len(), 4);
    assert_eq!(loaded.mesh.vertices(), Mesh::load(&path)?.vertices());
    let text = loaded.to_string();
    for part in ["SKIPPED: 1 x `l`", "2 vertices were welded", "1 polygons were cut"] {
        assert!(text.contains(part), "{text}");
    }
    let apart = Mesh::load_with(&path, &as_written())?;
    assert_eq!((apart.welded, apart.mesh.vertices().len()), (0, 6));
    let bad = LoadOptions::default().weld(Weld::Within(-1.0));
    assert_eq!(Mesh::load_with(&path, &bad).unwrap_err().kind(), ErrorKind::BadParameter);
    Ok(())
}

/// The parts of a file are welded and moved one by one, then merged and welded.
#[test]
fn several_parts_become_one_mesh() -> Result<(), Error> {
    let folder = Folder::new("parts");
    shapes::cuboid([1.0, 1.0, 1.0])?.save(folder.file("cube.obj"))?;
    let scene = "[[part]]\nname = \"a\"\nfile = \"cube.obj\"\n\n[[part]]\nname = \"b\"\n\
                 file = \"cube.obj\"\npose = { translation = [1.0, 0.0, 0.0] }\n";
    let path = folder.file("two.toml");
    fs::write(&path, scene).unwrap();
    let loaded = Mesh::load_with(&path, &LoadOptions::default())?;
    assert_eq!((loaded.parts, loaded.welded, loaded.mesh.vertices().len()), (2, 4, 12));
    Ok(())
}
