//! glTF documents with every way to store geometry, and their buffer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The data of a tetrahedron, of a strip of four triangles, and of sparse replacements. The views
/// and accessors of the documents say what is where.
pub fn buffer() -> Vec<u8> {
    let mut bytes = Vec::new();
    let floats = |points: &[[f32; 3]]| -> Vec<u8> {
        points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
    };
    // View 0: four points.
    bytes.extend(floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 12.5, 0.0], [0.0, 0.1, 1.0]]));
    // View 1: four triangles.
    bytes.extend([0_u16, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3].iter().flat_map(|v| v.to_le_bytes()));
    // View 2: a strip or a fan, with a degenerate triangle; and padding.
    bytes.extend([0, 1, 2, 2, 3, 0, 0, 0]);
    // Views 3 and 4: the elements that a sparse accessor replaces, and their values.
    bytes.extend([1_u16, 3].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend(floats(&[[2.0, -1.0, 0.5], [1e-30, 7.0, 3.0]]));
    // View 5: four points as normalised shorts, each followed by two bytes of something else.
    for point in [[0_i16, 0, 0], [32767, 0, 0], [0, -32768, 0], [0, 0, 16384]] {
        bytes.extend(point.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0xff, 0xff]);
    }
    // View 6: replacements for indices.
    bytes.extend([0, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes.len(), BUFFER_SIZE);
    bytes
}

const BUFFER_SIZE: usize = 152;

/// Views and accessors of [`buffer`], meshes with triangles, strips, fans, sparse and quantised
/// positions, and two scenes of nodes with transforms of every kind.
const BODY: &str = r#"
"bufferViews":[{"buffer":0,"byteLength":48,"target":34962},{"buffer":0,"byteOffset":48,"byteLength":24},
{"buffer":0,"byteOffset":72,"byteLength":8},{"buffer":0,"byteOffset":80,"byteLength":4},
{"buffer":0,"byteOffset":84,"byteLength":24},{"buffer":0,"byteOffset":108,"byteLength":32,"byteStride":8},
{"buffer":0,"byteOffset":140,"byteLength":12}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,12.5,1]},
{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"},
{"bufferView":2,"componentType":5121,"count":6,"type":"SCALAR"},
{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":3,"componentType":5123},"values":{"bufferView":4}}},
{"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":3,"componentType":5123},"values":{"bufferView":4}}},
{"bufferView":5,"componentType":5122,"normalized":true,"count":4,"type":"VEC3"},
{"componentType":5125,"count":3,"type":"SCALAR","sparse":{"count":1,"indices":{"bufferView":6,"byteOffset":1,"componentType":5121},"values":{"bufferView":6,"byteOffset":4}}},
{"bufferView":1,"byteOffset":6,"componentType":5123,"count":9,"type":"SCALAR"}],
"meshes":[{"name":"all","primitives":[{"attributes":{"POSITION":0},"indices":1},
{"attributes":{"POSITION":0},"indices":2,"mode":5},{"attributes":{"POSITION":0},"indices":2,"mode":6},
{"attributes":{"POSITION":3},"indices":7,"mode":4},{"attributes":{"POSITION":0},"mode":0},
{"attributes":{"POSITION":0},"indices":2,"mode":3},{"attributes":{"NORMAL":0}}]},
{"primitives":[{"attributes":{"POSITION":4},"mode":5},{"attributes":{"POSITION":5,"NORMAL":0},"indices":1,"targets":[{"POSITION":0}]},
{"attributes":{"POSITION":0},"indices":6},{"attributes":{"POSITION":4},"mode":6}]}],
"nodes":[{"name":"root","children":[1,2],"scale":[2,2,2]},
{"mesh":0,"translation":[1,2,3],"rotation":[0,0,0.6,0.8]},
{"mesh":1,"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1],"children":[3]},
{"mesh":0,"scale":[-1,1,0.5],"skin":0},{"mesh":1},{"camera":0}],
"skins":[{"joints":[0]}],"cameras":[{"type":"perspective"}],"materials":[{}],
"scenes":[{"nodes":[0,5]},{"nodes":[0,4]}],
"extensionsUsed":["KHR_mesh_quantization","KHR_materials_unlit"],"extensionsRequired":["KHR_mesh_quantization"]"#;

/// The document with a list of buffers, and with a default scene or without.
fn document(buffers: &str, scene: &str) -> Vec<u8> {
    let head = r#""asset":{"version":"2.0","generator":"seed"}"#;
    format!("{{{head},{scene}\n\"buffers\":[{buffers}],{BODY}}}").into_bytes()
}

/// An entry of the list of buffers.
fn buffer_entry(uri: &str) -> String {
    format!(r#"{{"uri":"{uri}","byteLength":{BUFFER_SIZE}}}"#)
}

/// A GLB file of a document and a binary chunk.
fn glb_file(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let size = 12 + 8 + json.len() + 8 + binary.len();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((size as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// The document with its buffer in a data URI.
pub(super) fn with_data_uri() -> Vec<u8> {
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(buffer()));
    document(&buffer_entry(&uri), r#""scene":0,"#)
}

/// The document in a GLB file with its buffer.
pub(super) fn in_glb() -> Vec<u8> {
    let entry = format!(r#"{{"byteLength":{BUFFER_SIZE}}}"#);
    glb_file(document(&entry, ""), buffer())
}

/// Documents with their buffer in a file of [`crate::folder`], named in different ways, more than
/// once, and by a GLB file.
pub(super) fn with_files() -> Vec<Vec<u8>> {
    let [plain, escaped, indirect] =
        ["buffer.bin", "buffer%2Ebin", "./../impinge-fuzz/buffer.bin"].map(buffer_entry);
    let glb = document(&plain, "");
    vec![
        document(&plain, r#""scene":1,"#),
        document(&format!("{escaped},{indirect},{plain}"), ""),
        glb_file(glb, Vec::new()),
    ]
}

#[cfg(test)]
mod tests {
    use impinge_io::Document;

    use crate::readers::{read_with_files, seeds};

    /// The faces of all instances.
    fn faces(document: &Document) -> usize {
        document.instances.iter().map(|i| document.meshes[i.mesh].faces.len()).sum()
    }

    /// A seed that is rejected would cover little of the reader.
    #[test]
    fn every_seed_is_read_with_all_its_primitives() {
        let seeds = [vec![super::with_data_uri(), super::in_glb()], seeds::gltf_files()].concat();
        assert_eq!(seeds.len(), 5);
        for seed in seeds {
            let document = read_with_files(&seed).unwrap();
            // Two instances of four primitives each, and one or two of four.
            let instances = document.instances.len();
            assert!(instances == 12 || instances == 16, "{instances}");
            assert_eq!(document.meshes.len(), 8);
            // Two of the four triangles of the strip have two equal corners and join it; those of
            // the fan are kept.
            for (part, count) in [(1, 2), (2, 4)] {
                let mesh = document.instances[part].mesh;
                assert_eq!(document.meshes[mesh].faces.len(), count);
            }
            assert!(faces(&document) > 25, "{}", faces(&document));
            // Sparse positions.
            let sparse = &document.meshes[document.instances[3].mesh];
            assert!(sparse.positions.contains(&[2.0, -1.0, 0.5]), "{:?}", sparse.positions);
        }
    }
}
