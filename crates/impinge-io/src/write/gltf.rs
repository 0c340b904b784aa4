//! glTF 2.0: positions, indices, and a node with a matrix per instance. The scale of an instance is
//! in a child node.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{check, check_triangles, invalid, position_f32};
use crate::document::{IDENTITY, Instance, RawMesh};

/// Writes an assembly as glTF JSON with its buffer embedded as base64.
///
/// Coordinates are rounded to `f32`; node matrices keep all digits. Instances share their meshes.
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::InvalidInput`] for polygons, coordinates beyond `f32`,
/// invalid indices, matrices that are not finite, and more than 4 GiB of data.
pub fn write_gltf(
    out: &mut impl Write,
    meshes: &[RawMesh],
    instances: &[Instance],
) -> io::Result<()> {
    let (mut document, binary) = build(meshes, instances, &[])?;
    if !binary.is_empty() {
        let uri =
            format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&binary));
        document["buffers"][0]["uri"] = Value::String(uri);
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Writes an assembly as one GLB file.
///
/// # Errors
/// As [`write_gltf`].
pub fn write_glb(
    out: &mut impl Write,
    meshes: &[RawMesh],
    instances: &[Instance],
) -> io::Result<()> {
    write_glb_colored(out, meshes, instances, &[])
}

/// As [`write_glb`], with colour `colors[i]` for mesh `i`: linear red, green and blue from 0 to 1.
/// Meshes beyond the last colour have no colour.
///
/// # Errors
/// As [`write_gltf`].
pub fn write_glb_colored(
    out: &mut impl Write,
    meshes: &[RawMesh],
    instances: &[Instance],
    colors: &[[f32; 3]],
) -> io::Result<()> {
    let (document, binary) = build(meshes, instances, colors)?;
    let mut text = serde_json::to_vec(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let length = size(12 + 8 + text.len() + chunk)?;
    out.write_all(b"glTF")?;
    out.write_all(&2u32.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&size(text.len())?.to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    if !binary.is_empty() {
        out.write_all(&size(binary.len())?.to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(&binary)?;
    }
    Ok(())
}

fn size(n: usize) -> io::Result<u32> {
    u32::try_from(n).map_err(|_| invalid("glTF is limited to 4 GiB; split the assembly".into()))
}

/// The document and its buffer. The size of the buffer is a multiple of four bytes.
fn build(
    meshes: &[RawMesh],
    instances: &[Instance],
    colors: &[[f32; 3]],
) -> io::Result<(Value, Vec<u8>)> {
    let mut binary = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut mesh_table = Vec::new();
    let mut materials = Vec::new();
    // A glTF accessor cannot be empty, so meshes without faces are omitted and their instances
    // have no mesh. For each mesh: its index in the document.
    let mut index = Vec::new();
    for (i, mesh) in meshes.iter().enumerate() {
        check(mesh)?;
        check_triangles(mesh)?;
        if mesh.faces.is_empty() {
            index.push(None);
            continue;
        }
        let start = binary.len();
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for v in 0..mesh.positions.len() {
            let p = position_f32(mesh, v)?;
            for k in 0..3 {
                min[k] = min[k].min(p[k]);
                max[k] = max[k].max(p[k]);
                binary.extend(p[k].to_le_bytes());
            }
        }
        let middle = binary.len();
        for v in mesh.faces.indices() {
            binary.extend(v.to_le_bytes());
        }
        size(binary.len())?;
        let view = views.len();
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": middle - start, "target": 34962 }));
        views.push(
            json!({ "buffer": 0, "byteOffset": middle, "byteLength": binary.len() - middle, "target": 34963 }),
        );
        accessors.push(json!({
            "bufferView": view, "componentType": 5126, "type": "VEC3", "count": mesh.positions.len(),
            "min": min, "max": max,
        }));
        accessors.push(json!({
            "bufferView": view + 1, "componentType": 5125, "type": "SCALAR", "count": mesh.faces.indices().len(),
        }));
        let mut entry = json!({
            "primitives": [{ "attributes": { "POSITION": view }, "indices": view + 1, "mode": 4 }],
        });
        if let Some([red, green, blue]) = colors.get(i) {
            entry["primitives"][0]["material"] = json!(materials.len());
            materials.push(json!({ "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, 1.0], "metallicFactor": 0.0,
            } }));
        }
        if let Some(name) = &mesh.name {
            entry["name"] = Value::String(name.clone());
        }
        index.push(Some(mesh_table.len()));
        mesh_table.push(entry);
    }
    let (mut nodes, mut roots) = (Vec::new(), Vec::new());
    for (i, instance) in instances.iter().enumerate() {
        let mut node = node(instance, &index).map_err(|e| invalid(format!("instance {i}: {e}")))?;
        roots.push(nodes.len());
        if instance.scale != 1.0 {
            // The scale is in a child node: its product with the matrix would be rounded.
            let mut parent = json!({ "children": [nodes.len() + 1] });
            if let Some(matrix) = node.as_object_mut().and_then(|fields| fields.remove("matrix")) {
                parent["matrix"] = matrix;
            }
            let s = instance.scale;
            node["scale"] = json!([s, s, s]);
            nodes.push(parent);
        }
        nodes.push(node);
    }
    let mut document = json!({ "asset": { "version": "2.0", "generator": "impinge" } });
    // glTF does not allow empty arrays.
    for (key, table) in [
        ("nodes", nodes),
        ("meshes", mesh_table),
        ("materials", materials),
        ("accessors", accessors),
        ("bufferViews", views),
    ] {
        if !table.is_empty() {
            document[key] = Value::Array(table);
        }
    }
    if !roots.is_empty() {
        document["scene"] = json!(0);
        document["scenes"] = json!([{ "nodes": roots }]);
    }
    if !binary.is_empty() {
        document["buffers"] = json!([{ "byteLength": binary.len() }]);
    }
    Ok((document, binary))
}

fn node(instance: &Instance, index: &[Option<usize>]) -> Result<Value, String> {
    let mut node = json!({ "name": instance.name });
    match index.get(instance.mesh) {
        Some(Some(mesh)) => node["mesh"] = json!(mesh),
        Some(None) => {}
        None => return Err(format!("mesh {} does not exist", instance.mesh)),
    }
    let m = &instance.matrix;
    if !m.iter().flatten().all(|x| x.is_finite()) || !instance.scale.is_finite() {
        return Err("its matrix or scale is not finite".into());
    }
    if *m != IDENTITY {
        let mut columns = Vec::with_capacity(16);
        for (k, last) in [0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
            columns.extend([m[0][k], m[1][k], m[2][k], last]);
        }
        node["matrix"] = json!(columns);
    }
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, Faces, load_bytes};

    #[test]
    fn assemblies_read_back() {
        let mesh = RawMesh {
            name: Some("wedge".into()),
            positions: vec![[0.0, 0.5, 0.25], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 8.0]],
            faces: Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]),
        };
        let other = RawMesh {
            name: None,
            positions: mesh.positions[..3].to_vec(),
            faces: Faces::from_triangles(&[[2, 1, 0]]),
        };
        let matrix = [[0.1, 0.2, 0.3, 1.0 / 3.0], [0.0, 1.0, 1e-9, 1e300], [0.0, 0.0, -1.0, 7.0]];
        let instances = [
            Instance { name: "one".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 },
            Instance { name: "two".into(), mesh: 1, matrix, scale: 1.0 },
            Instance { name: "three".into(), mesh: 0, matrix, scale: 1.0 / 3.0 },
            Instance { name: "four".into(), mesh: 1, matrix: IDENTITY, scale: 1e-300 },
        ];
        let meshes = [mesh, other];
        let mut text = Vec::new();
        write_gltf(&mut text, &meshes, &instances).unwrap();
        let mut binary = Vec::new();
        write_glb(&mut binary, &meshes, &instances).unwrap();
        for (bytes, name) in [(text, "t.gltf"), (binary, "t.glb")] {
            let back = load_bytes(&bytes, None, name).unwrap();
            assert_eq!(back.meshes, meshes);
            assert_eq!(back.instances, instances);
            assert!(back.report.is_complete(), "{}", back.report);
        }
    }

    #[test]
    fn content_without_a_gltf_representation_is_an_error() {
        let instance = |mesh, x| Instance {
            name: "a".into(),
            mesh,
            matrix: [[x, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]],
            scale: 1.0,
        };
        let kind = |meshes: &[RawMesh], instances: &[Instance]| {
            write_glb(&mut Vec::new(), meshes, instances).unwrap_err().kind()
        };
        assert_eq!(kind(&[], &[instance(0, 1.0)]), io::ErrorKind::InvalidInput);
        let empty = [RawMesh::default()];
        assert_eq!(kind(&empty, &[instance(0, f64::NAN)]), io::ErrorKind::InvalidInput);
        let infinite = Instance { scale: f64::INFINITY, ..instance(0, 1.0) };
        assert_eq!(kind(&empty, &[infinite]), io::ErrorKind::InvalidInput);
        let mut quad = RawMesh { positions: vec![[0.0; 3]; 4], ..RawMesh::default() };
        quad.faces.push(&[0, 1, 2, 3]);
        assert_eq!(kind(&[quad], &[]), io::ErrorKind::InvalidInput);
        let mut bytes = Vec::new();
        write_glb(&mut bytes, &empty, &[instance(0, 1.0)]).unwrap();
        assert_eq!(load_bytes(&bytes, None, "t.glb").unwrap_err().kind(), ErrorKind::Empty);
    }
}
