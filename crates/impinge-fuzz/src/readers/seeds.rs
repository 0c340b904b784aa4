//! Small files of every format. Most contain rare elements of the format.

use impinge_io::{
    Faces, Format, IDENTITY, Instance, RawMesh, write_glb, write_gltf, write_obj, write_off,
    write_ply, write_stl,
};

use super::gltf_seeds;
pub use super::gltf_seeds::buffer;

/// A tetrahedron.
pub fn mesh() -> RawMesh {
    RawMesh {
        name: Some("tetra".into()),
        positions: vec![[0.0, 0.1, -1e-5], [1.0, 0.0, 0.0], [0.0, 12.5, 0.0], [0.0, 0.0, 1.0]],
        faces: Faces::from_triangles(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    }
}

fn written(write: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes);
    bytes
}

pub fn obj() -> Vec<Vec<u8>> {
    let text = "mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0 0.5\nv 0 1 0 1 0 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n\
                o b\nv 4 4 4\nf -4//1 \\\n -1//1 -2//1 1//1\nl 1 2\np 1\ncurv 0 1\ng x\n";
    vec![text.into(), written(|b| write_obj(b, &[mesh()]).unwrap())]
}

pub fn stl() -> Vec<Vec<u8>> {
    let text = "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\n\
                endfacet\nendsolid one\nsolid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                vertex 0 1 0\nendloop\nendfacet\nendsolid two\n";
    vec![text.into(), written(|b| write_stl(b, &mesh()).unwrap())]
}

pub fn ply() -> Vec<Vec<u8>> {
    let text = "ply\nformat ascii 1.0\ncomment c\nelement vertex 3\nproperty uchar red\nproperty float x\n\
                property float y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\n\
                element tristrips 1\nproperty list int int vertex_indices\nelement edge 1\n\
                property list uint float w\nend_header\n255 0 0 0\n255 1 0 0\n255 0 1 0\n3 0 1 2\n5 0 1 2 -1 0\n2 1 2\n";
    let mut big = b"ply\nformat binary_big_endian 1.0\nelement x 2\nproperty list ushort double a\nelement vertex 3\n\
        property short x\nproperty short y\nproperty short z\nelement face 1\nproperty list uint uint vertex_index\n\
        end_header\n\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
        .to_vec();
    big.extend([0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9]);
    big.extend([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
    vec![text.into(), big, written(|b| write_ply(b, &mesh()).unwrap())]
}

pub fn off() -> Vec<Vec<u8>> {
    let text = "COFF\n# c\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n1 1 0 255 0 0 255\n0 1 0 255 0 0 255\n\
                4 0 1 2 3 0.5 0.5 0.5\n3 0 1 2\n";
    let one_line = "OFF 3 2 0 0 0 0 1 0 0 0 1 0 3 0 1 2 3 2 1 0";
    vec![text.into(), one_line.into(), written(|b| write_off(b, &mesh()).unwrap())]
}

/// Two instances of a mesh; the second is rotated and translated.
fn instances() -> [Instance; 2] {
    let matrix = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]];
    [
        Instance { name: "a".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 },
        Instance { name: "b".into(), mesh: 0, matrix, scale: 1.0 },
    ]
}

pub fn gltf() -> Vec<Vec<u8>> {
    let own = written(|b| write_gltf(b, &[mesh()], &instances()).unwrap());
    vec![own, gltf_seeds::with_data_uri()]
}

pub fn glb() -> Vec<Vec<u8>> {
    let own = written(|b| write_glb(b, &[mesh()], &instances()).unwrap());
    vec![own, gltf_seeds::in_glb()]
}

/// Documents with buffers in other files.
pub fn gltf_files() -> Vec<Vec<u8>> {
    gltf_seeds::with_files()
}

/// The seeds of all formats.
pub fn all() -> Vec<Vec<u8>> {
    by_format().into_iter().map(|(_, bytes)| bytes).collect()
}

/// The seeds of a format of meshes.
fn of(format: Format) -> Vec<Vec<u8>> {
    match format {
        Format::Obj => obj(),
        Format::Stl => stl(),
        Format::Ply => ply(),
        Format::Off => off(),
        Format::Gltf => gltf(),
        Format::Glb => glb(),
        other => panic!("there are no seeds of {other}"),
    }
}

/// The seeds of all formats of meshes, with the format. Scene files have
/// [seeds](crate::scenes::seeds) of their own.
pub fn by_format() -> Vec<(Format, Vec<u8>)> {
    let formats = Format::ALL.iter().copied().filter(|format| !format.is_scene());
    formats.flat_map(|format| of(format).into_iter().map(move |seed| (format, seed))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A format without seeds fails here, and so does one without a target.
    #[test]
    fn every_format_has_seeds_and_a_target() {
        assert!(by_format().len() > Format::ALL.len());
        for format in Format::ALL {
            let prefix = if format.is_scene() { "scene_" } else { "" };
            let name = format!("{prefix}{}", format.extensions()[0]);
            assert!(crate::TARGETS.iter().any(|target| target.name == name), "{name}");
        }
    }
}
