//! Writers for the same formats, for results and for the input of tests.
//!
//! OBJ and OFF contain each `f64` with enough digits to read back to the same bits; PLY stores
//! `f64`; STL and glTF round to `f32`. The functions make many small writes, so `out` should be a
//! `BufWriter` or a `Vec<u8>`.

mod gltf;

use std::io::{self, Write};

pub use self::gltf::{write_glb, write_glb_colored, write_gltf};
use crate::document::RawMesh;

/// Writes meshes as OBJ, with one `o` line each, except for a single mesh without a name.
///
/// ```
/// use impinge_io::{Faces, RawMesh, load_bytes, write_obj};
///
/// let mesh = RawMesh {
///     name: Some("plate".into()),
///     positions: vec![[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]],
///     faces: Faces::from_triangles(&[[0, 1, 2]]),
/// };
/// let mut bytes = Vec::new();
/// write_obj(&mut bytes, std::slice::from_ref(&mesh))?;
/// assert_eq!(load_bytes(&bytes, None, "plate.obj").unwrap().meshes, [mesh]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::InvalidInput`] for an index beyond the positions or a
/// coordinate that is not finite.
pub fn write_obj(out: &mut impl Write, meshes: &[RawMesh]) -> io::Result<()> {
    let mut first = 1u64;
    for (i, mesh) in meshes.iter().enumerate() {
        check(mesh)?;
        match &mesh.name {
            Some(name) => writeln!(out, "o {}", one_line(name))?,
            None if meshes.len() > 1 => writeln!(out, "o part{i}")?,
            None => {}
        }
        for [x, y, z] in &mesh.positions {
            writeln!(out, "v {x:?} {y:?} {z:?}")?;
        }
        for face in mesh.faces.iter() {
            out.write_all(b"f")?;
            for &v in face {
                write!(out, " {}", first + u64::from(v))?;
            }
            out.write_all(b"\n")?;
        }
        first += mesh.positions.len() as u64;
    }
    Ok(())
}

/// Writes a mesh as OFF.
///
/// # Errors
/// As [`write_obj`].
pub fn write_off(out: &mut impl Write, mesh: &RawMesh) -> io::Result<()> {
    check(mesh)?;
    writeln!(out, "OFF\n{} {} 0", mesh.positions.len(), mesh.faces.len())?;
    for [x, y, z] in &mesh.positions {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    for face in mesh.faces.iter() {
        write!(out, "{}", face.len())?;
        for v in face {
            write!(out, " {v}")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a mesh of triangles as binary STL. Coordinates are rounded to `f32`. Normals are zero,
/// which tells readers to compute them.
///
/// # Errors
/// As [`write_obj`], and [`io::ErrorKind::InvalidInput`] for polygons, which STL does not have, and
/// for coordinates beyond `f32`.
pub fn write_stl(out: &mut impl Write, mesh: &RawMesh) -> io::Result<()> {
    check(mesh)?;
    check_triangles(mesh)?;
    let count = u32::try_from(mesh.faces.len())
        .map_err(|_| invalid("STL is limited to 4294967295 triangles; split the mesh".into()))?;
    let mut header = [b' '; 80];
    header[..10].copy_from_slice(b"binary STL");
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    for face in mesh.faces.iter() {
        out.write_all(&[0; 12])?;
        for &v in face {
            for x in position_f32(mesh, v as usize)? {
                out.write_all(&x.to_le_bytes())?;
            }
        }
        out.write_all(&[0; 2])?;
    }
    Ok(())
}

/// Writes a mesh as binary little-endian PLY with coordinates as `double`.
///
/// # Errors
/// As [`write_obj`].
pub fn write_ply(out: &mut impl Write, mesh: &RawMesh) -> io::Result<()> {
    check(mesh)?;
    let u32_counts = mesh.faces.iter().any(|f| f.len() > 255);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list {} uint vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.faces.len(),
        if u32_counts { "uint" } else { "uchar" },
    )?;
    for x in mesh.positions.iter().flatten() {
        out.write_all(&x.to_le_bytes())?;
    }
    for face in mesh.faces.iter() {
        let count = u32::try_from(face.len())
            .map_err(|_| invalid("PLY is limited to 4294967295 corners per polygon".into()))?
            .to_le_bytes();
        out.write_all(if u32_counts { &count } else { &count[..1] })?;
        for v in face {
            out.write_all(&v.to_le_bytes())?;
        }
    }
    Ok(())
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn check(mesh: &RawMesh) -> io::Result<()> {
    let count = mesh.positions.len();
    if let Some(v) = mesh.faces.indices().iter().find(|&&v| v as usize >= count) {
        let message = format!("a face references vertex {v}, but the mesh has {count} vertices");
        return Err(invalid(message));
    }
    match mesh.positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(i) => {
            Err(invalid(format!("vertex {i} is {:?}, not a finite point", mesh.positions[i])))
        }
        None => Ok(()),
    }
}

fn check_triangles(mesh: &RawMesh) -> io::Result<()> {
    match mesh.faces.iter().position(|f| f.len() != 3) {
        Some(i) => Err(invalid(format!(
            "face {i} is not a triangle; triangulate the mesh, or write OBJ, OFF or PLY"
        ))),
        None => Ok(()),
    }
}

/// Vertex `v` rounded to `f32`.
fn position_f32(mesh: &RawMesh, v: usize) -> io::Result<[f32; 3]> {
    let p = mesh.positions[v].map(|x| x as f32);
    if p.iter().all(|x| x.is_finite()) {
        Ok(p)
    } else {
        Err(invalid(format!("vertex {v} is {:?}, outside the range of f32", mesh.positions[v])))
    }
}

/// A trimmed name with control characters, such as line breaks, replaced.
fn one_line(name: &str) -> String {
    name.trim().chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Faces, load_bytes};

    /// A mesh with a quadrilateral, signed zeros, subnormal and very large coordinates.
    fn extreme_mesh() -> RawMesh {
        let mut faces = Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]);
        faces.push(&[0, 1, 3, 2]);
        RawMesh {
            name: None,
            positions: vec![
                [0.1, -0.0, 1e-310],
                [1.7976931348623157e308, 1.0 / 3.0, -5e-324],
                [1e22, 123_456_789.123_456_78, 1e-7],
                [std::f64::consts::PI, 2.0, 3.0],
            ],
            faces,
        }
    }

    fn bits(document: &Document) -> Vec<u64> {
        document
            .meshes
            .iter()
            .flat_map(|m| m.positions.iter().flatten())
            .map(|x| x.to_bits())
            .collect()
    }

    #[test]
    fn exact_formats_read_back_to_the_same_bits() {
        let mesh = extreme_mesh();
        let original = Document { meshes: vec![mesh.clone()], ..Document::default() };
        let mut files: Vec<(Vec<u8>, &str)> = Vec::new();
        let mut bytes = Vec::new();
        write_obj(&mut bytes, std::slice::from_ref(&mesh)).unwrap();
        files.push((std::mem::take(&mut bytes), "t.obj"));
        write_off(&mut bytes, &mesh).unwrap();
        files.push((std::mem::take(&mut bytes), "t.off"));
        write_ply(&mut bytes, &mesh).unwrap();
        files.push((bytes, "t.ply"));
        for (bytes, name) in files {
            let back = load_bytes(&bytes, None, name).unwrap();
            assert_eq!(back.meshes, original.meshes, "{name}");
            assert_eq!(bits(&back), bits(&original), "{name}");
            assert!(back.report.is_complete());
        }
    }

    #[test]
    fn ply_writes_polygons_of_more_than_255_corners() {
        let mut mesh = RawMesh { positions: vec![[1.0; 3]; 300], ..RawMesh::default() };
        mesh.faces.push(&(0..300).collect::<Vec<u32>>());
        let mut bytes = Vec::new();
        write_ply(&mut bytes, &mesh).unwrap();
        assert_eq!(load_bytes(&bytes, None, "t.ply").unwrap().meshes[0], mesh);
    }

    #[test]
    fn obj_writes_several_parts() {
        let a = RawMesh {
            name: Some("a\nb".into()),
            positions: vec![[0.0; 3], [1.0; 3], [2.0; 3]],
            faces: Faces::from_triangles(&[[2, 1, 0]]),
        };
        let b = RawMesh { name: None, ..a.clone() };
        let mut bytes = Vec::new();
        write_obj(&mut bytes, &[a.clone(), b]).unwrap();
        let back = load_bytes(&bytes, None, "t.obj").unwrap();
        let names: Vec<&str> = back.instances.iter().map(|i| &*i.name).collect();
        assert_eq!(names, ["a_b", "part1"]);
        assert_eq!(back.meshes[1].faces, a.faces);
    }

    #[test]
    fn stl_writes_triangles_in_single_precision() {
        let mesh = RawMesh {
            name: None,
            positions: vec![[0.5, 0.1, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            faces: Faces::from_triangles(&[[0, 1, 2], [2, 1, 0]]),
        };
        let mut bytes = Vec::new();
        write_stl(&mut bytes, &mesh).unwrap();
        let back = load_bytes(&bytes, None, "t.stl").unwrap();
        assert_eq!(back.meshes[0].positions[0], [0.5, f64::from(0.1f32), 0.0]);
        assert_eq!(back.meshes[0].faces.len(), 2);
        let error_kind = |mesh: &RawMesh| write_stl(&mut Vec::new(), mesh).unwrap_err().kind();
        assert_eq!(error_kind(&extreme_mesh()), io::ErrorKind::InvalidInput);
        let mut large = mesh.clone();
        large.positions[0][0] = 1e39;
        assert_eq!(error_kind(&large), io::ErrorKind::InvalidInput);
        let mut nan = mesh.clone();
        nan.positions[0][0] = f64::NAN;
        assert_eq!(error_kind(&nan), io::ErrorKind::InvalidInput);
        let bad = RawMesh { faces: Faces::from_triangles(&[[0, 1, 3]]), ..mesh };
        assert_eq!(error_kind(&bad), io::ErrorKind::InvalidInput);
    }
}
