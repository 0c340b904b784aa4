//! The JSON structures of a glTF document that describe geometry, with numbers as `f64`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The extensions of an object, by name.
pub(super) type Extensions = BTreeMap<String, IgnoredAny>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<View>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) animations: Vec<IgnoredAny>,
    pub(super) cameras: Vec<IgnoredAny>,
    pub(super) images: Vec<IgnoredAny>,
    pub(super) materials: Vec<IgnoredAny>,
    pub(super) skins: Vec<IgnoredAny>,
    pub(super) textures: Vec<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    #[serde(default)]
    pub(super) indices: Option<usize>,
    #[serde(default)]
    pub(super) mode: Option<u32>,
    #[serde(default)]
    pub(super) targets: Vec<IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(default)]
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) shape: String,
    #[serde(default)]
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    #[serde(default)]
    pub(super) byte_stride: Option<usize>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    #[serde(default)]
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}
