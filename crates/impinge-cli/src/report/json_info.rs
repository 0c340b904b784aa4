//! The JSON document of `impinge info`: all properties and the full lists of defects.

use std::io::Write;

use anyhow::Result;
use impinge::mesh::{Classification, Defects, DegenerateKind};
use serde::Serialize;
use serde_json::{Value, json};

use super::json::{FORMAT, write};
use crate::facts::{InfoRow, TreeFacts};
use crate::job::Job;

#[derive(Serialize)]
struct InfoDocument<'a> {
    format: u32,
    impinge: &'static str,
    files: Vec<FileEntry<'a>>,
}

#[derive(Serialize)]
struct FileEntry<'a> {
    file: String,
    notes: &'a [String],
    parts: Vec<InfoEntry<'a>>,
}

#[derive(Serialize)]
struct InfoEntry<'a> {
    name: &'a str,
    vertices: usize,
    polygons: usize,
    triangles: usize,
    bounds: Option<BoundsEntry>,
    class: Value,
    area: f64,
    volume: Option<f64>,
    centroid: Option<[f64; 3]>,
    inertia: Option<[[f64; 3]; 3]>,
    hull: Option<HullEntry>,
    clean: bool,
    defects: Value,
    tree: TreeEntry,
}

/// The bounding volume tree. `shared`: an earlier part has the same tree.
#[derive(Serialize)]
struct TreeEntry {
    nodes: usize,
    leaves: usize,
    depth: usize,
    bytes: usize,
    bytes_per_triangle: f64,
    source: &'static str,
    seconds: f64,
    shared: bool,
}

/// The polytope of a convex part.
#[derive(Serialize)]
struct HullEntry {
    vertices: usize,
    faces: usize,
}

#[derive(Serialize)]
struct BoundsEntry {
    min: [f64; 3],
    max: [f64; 3],
}

/// Writes the document of `impinge info --json`.
pub(crate) fn write_info(
    out: &mut dyn Write,
    jobs: &[Job],
    rows: &[Vec<InfoRow<'_>>],
) -> Result<()> {
    let files = jobs.iter().zip(rows).map(|(job, rows)| FileEntry {
        file: job.files.join(", "),
        notes: &job.notes,
        parts: rows.iter().map(entry).collect(),
    });
    let impinge = env!("CARGO_PKG_VERSION");
    write(out, &InfoDocument { format: FORMAT, impinge, files: files.collect() })
}

fn entry<'a>(row: &InfoRow<'a>) -> InfoEntry<'a> {
    InfoEntry {
        name: row.name,
        vertices: row.vertices,
        polygons: row.polygons,
        triangles: row.triangles,
        bounds: row.bounds.map(|b| BoundsEntry { min: b.min.to_array(), max: b.max.to_array() }),
        class: class(row.class),
        area: row.area,
        volume: row.solid.map(|s| s.volume),
        centroid: row.solid.map(|s| s.centroid.to_array()),
        inertia: row.solid.map(|s| s.inertia),
        hull: row.hull.map(|h| HullEntry { vertices: h.vertices, faces: h.faces }),
        clean: row.defects.is_clean(),
        defects: defects(row.defects),
        tree: tree(&row.tree),
    }
}

fn tree(tree: &TreeFacts) -> TreeEntry {
    TreeEntry {
        nodes: tree.size.nodes,
        leaves: tree.size.leaves,
        depth: tree.size.depth,
        bytes: tree.size.bytes,
        bytes_per_triangle: tree.size.bytes_per_triangle(),
        source: tree.source.name(),
        seconds: tree.seconds,
        shared: tree.shared,
    }
}

fn class(c: &Classification) -> Value {
    json!({
        "closed": c.closed,
        "manifold": c.manifold,
        "manifold_with_boundary": c.manifold_with_boundary,
        "oriented": c.oriented,
        "orientable": c.orientable,
        "balanced": c.balanced,
        "planar_polygons": c.planar_polygons,
        "nearly_planar_polygons": c.nearly_planar_polygons,
        "convex_polygons": c.convex_polygons,
        "convex": c.convex,
        "outward": c.outward,
        "shells": c.shells,
        "euler_characteristic": c.euler_characteristic,
        "genus": c.genus,
    })
}

fn defects(d: &Defects) -> Value {
    let list = |items: Vec<Value>| Value::Array(items);
    json!({
        "summary": d.to_string(),
        "open_edges": list(d.open_edges.iter().map(|e| json!({"vertices": e.vertices, "polygon": e.polygon})).collect()),
        "boundary_loops": d.boundary_loops,
        "non_manifold_edges":
            list(d.non_manifold_edges.iter().map(|e| json!({"vertices": e.vertices, "polygons": e.polygons})).collect()),
        "misoriented_edges": list(
            d.misoriented_edges
                .iter()
                .map(|e| json!({"vertices": e.vertices, "polygons": e.polygons, "suspect": e.suspect}))
                .collect()
        ),
        "suspect_polygons": d.suspect_polygons,
        "non_orientable": d.non_orientable,
        "non_manifold_vertices":
            list(d.non_manifold_vertices.iter().map(|v| json!({"vertex": v.vertex, "fans": v.fans})).collect()),
        "degenerate_polygons": list(
            d.degenerate_polygons
                .iter()
                .map(|p| match p.kind {
                    DegenerateKind::ZeroArea => json!({"polygon": p.polygon, "kind": "zero area"}),
                    DegenerateKind::ZeroLengthSide(v) => {
                        json!({"polygon": p.polygon, "kind": "zero-length side", "vertex": v})
                    }
                })
                .collect()
        ),
        "non_planar_polygons": list(
            d.non_planar_polygons
                .iter()
                .map(|p| json!({"polygon": p.polygon, "deviation": p.deviation, "relative": p.relative}))
                .collect()
        ),
        "self_crossing_polygons": d.self_crossing_polygons,
        "pinched_polygons": d.pinched_polygons,
        "duplicate_polygons": list(
            d.duplicate_polygons
                .iter()
                .map(|p| json!({"first": p.first, "polygon": p.polygon, "reversed": p.reversed}))
                .collect()
        ),
        "duplicate_vertices": d.duplicate_vertices,
        "unreferenced_vertices": d.unreferenced_vertices,
    })
}
