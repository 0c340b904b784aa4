//! The text form of a defect report.

use std::fmt;

use super::defects::{Defects, DegenerateKind};

impl fmt::Display for Defects {
    /// One line: each kind with its count and its first occurrence, most serious first; "no
    /// defects" if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        if let Some(e) = self.open_edges.first() {
            parts.push(format!(
                "{} in {}, first: {}-{} of polygon {}",
                count(self.open_edges.len(), "open edge"),
                count(self.boundary_loops, "loop"),
                e.vertices[0],
                e.vertices[1],
                e.polygon
            ));
        }
        if let Some(e) = self.non_manifold_edges.first() {
            parts.push(format!(
                "{}, first: {}-{} with {} sides",
                count(self.non_manifold_edges.len(), "non-manifold edge"),
                e.vertices[0],
                e.vertices[1],
                e.polygons.len()
            ));
        }
        if let Some(e) = self.misoriented_edges.first() {
            let cause = match e.suspect {
                Some(p) => format!("{p} is likely reversed"),
                None => "the surface is not orientable".into(),
            };
            parts.push(format!(
                "{}, first: {}-{} of polygons {} and {}, {cause}",
                count(self.misoriented_edges.len(), "misoriented edge"),
                e.vertices[0],
                e.vertices[1],
                e.polygons[0],
                e.polygons[1]
            ));
        }
        if let Some(v) = self.non_manifold_vertices.first() {
            let n = self.non_manifold_vertices.len();
            let noun = if n == 1 { "non-manifold vertex" } else { "non-manifold vertices" };
            parts.push(format!("{n} {noun}, first: {} with {} fans", v.vertex, v.fans));
        }
        if let Some(p) = self.degenerate_polygons.first() {
            let kind = match p.kind {
                DegenerateKind::ZeroArea => "zero area".into(),
                DegenerateKind::ZeroLengthSide(v) => format!("zero-length side before vertex {v}"),
            };
            let n = count(self.degenerate_polygons.len(), "degenerate polygon");
            parts.push(format!("{n}, first: {} ({kind})", p.polygon));
        }
        if let Some(p) = self.self_crossing_polygons.first() {
            let n = count(self.self_crossing_polygons.len(), "self-crossing polygon");
            parts.push(format!("{n}, first: {p}"));
        }
        if let Some(p) = self.duplicate_polygons.first() {
            parts.push(format!(
                "{}, first: {} repeats {}{}",
                count(self.duplicate_polygons.len(), "duplicate polygon"),
                p.polygon,
                p.first,
                if p.reversed { " reversed" } else { "" }
            ));
        }
        let worst =
            self.non_planar_polygons.iter().max_by(|a, b| a.relative.total_cmp(&b.relative));
        if let Some(p) = worst {
            parts.push(format!(
                "{}, worst: {} off by {:.2e} of its size",
                count(self.non_planar_polygons.len(), "non-planar polygon"),
                p.polygon,
                p.relative
            ));
        }
        if let Some([first, later]) = self.duplicate_vertices.first() {
            let n = self.duplicate_vertices.len();
            let noun = if n == 1 { "vertex repeats" } else { "vertices repeat" };
            parts.push(format!("{n} {noun} another's coordinates, first: {later} equals {first}"));
        }
        if let Some(v) = self.unreferenced_vertices.first() {
            let n = self.unreferenced_vertices.len();
            let noun = if n == 1 { "vertex" } else { "vertices" };
            parts.push(format!("{n} unused {noun}, first: {v}"));
        }
        if parts.is_empty() {
            return f.write_str("no defects");
        }
        f.write_str(&parts.join("; "))
    }
}

fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
