//! The JSON document of `impinge check`. Numbers read back to the same bits; all points are in the
//! scene's frame.

use std::io::Write;

use anyhow::Result;
use impinge::check::Relation;
use serde::Serialize;

use crate::Status;
use crate::args::CheckArgs;
use crate::job::Job;
use crate::pair_result::{Kind, PairResult};
use crate::pairs::Summary;
use crate::trees::CacheReport;

/// The version of the JSON format. It increases when a field is removed or changes its meaning, not
/// when a field is added.
pub(super) const FORMAT: u32 = 1;

#[derive(Serialize)]
struct CheckDocument<'a> {
    format: u32,
    impinge: &'static str,
    files: &'a [String],
    clearance: Option<f64>,
    found: bool,
    summary: SummaryEntry,
    parts: Vec<PartEntry<'a>>,
    pairs: Vec<PairEntry<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheEntry<'a>>,
}

/// The number of trees by source; present with `--cache` only.
#[derive(Serialize)]
struct CacheEntry<'a> {
    folder: &'a str,
    reused: usize,
    stored: usize,
    built: usize,
    problems: &'a [String],
}

#[derive(Serialize)]
struct SummaryEntry {
    parts: usize,
    pairs: usize,
    checked: usize,
    pruned_by_boxes: usize,
    ignored: usize,
    crossing: usize,
    duplicate: usize,
    contained: usize,
    touching: usize,
    near: usize,
    clear: usize,
}

#[derive(Serialize)]
struct PartEntry<'a> {
    name: &'a str,
    file: &'a str,
    triangles: usize,
    /// Whether the part is a solid. A part that is not closed is only a surface and cannot contain
    /// another part.
    closed: bool,
}

#[derive(Serialize)]
struct PairEntry<'a> {
    a: usize,
    b: usize,
    name_a: &'a str,
    name_b: &'a str,
    relation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle_pairs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<DistanceEntry>,
}

#[derive(Serialize)]
struct DistanceEntry {
    lower: f64,
    upper: f64,
    point_a: [f64; 3],
    point_b: [f64; 3],
}

/// Writes the document of `impinge check --json`. Its field `found` agrees with the exit status.
pub(crate) fn write_check(
    out: &mut dyn Write,
    job: &Job,
    args: &CheckArgs,
    listed: &[&PairResult],
    summary: &Summary,
    status: Status,
    cached: Option<&CacheReport>,
) -> Result<()> {
    let parts = job.scene.parts().iter().enumerate().map(|(i, part)| PartEntry {
        name: &job.names[i],
        file: &job.files[job.file_of[i]],
        triangles: part.mesh.triangles().len(),
        closed: part.mesh.is_solid(),
    });
    let document = CheckDocument {
        format: FORMAT,
        impinge: env!("CARGO_PKG_VERSION"),
        files: &job.files,
        clearance: args.query.clearance,
        found: status == Status::Found,
        summary: SummaryEntry {
            parts: summary.parts,
            pairs: summary.pairs,
            checked: summary.checked,
            pruned_by_boxes: summary.pruned,
            ignored: summary.ignored,
            crossing: summary.of(Kind::Crossing),
            duplicate: summary.of(Kind::Duplicate),
            contained: summary.of(Kind::Contained),
            touching: summary.of(Kind::Touching),
            near: summary.of(Kind::Near),
            clear: summary.of(Kind::Clear),
        },
        parts: parts.collect(),
        pairs: listed.iter().map(|v| pair(job, v)).collect(),
        notes: &job.notes,
        cache: cached.map(|c| CacheEntry {
            folder: &c.folder,
            reused: c.reused,
            stored: c.stored,
            built: c.built,
            problems: &c.problems,
        }),
    };
    write(out, &document)
}

fn pair<'a>(job: &'a Job, v: &PairResult) -> PairEntry<'a> {
    PairEntry {
        a: v.a,
        b: v.b,
        name_a: &job.names[v.a],
        name_b: &job.names[v.b],
        relation: v.kind().name(),
        inside: match v.relation {
            Relation::AInsideB => Some("a"),
            Relation::BInsideA => Some("b"),
            _ => None,
        },
        triangle_pairs: v.triangle_pairs,
        point: v.point.map(|p| p.to_array()),
        distance: v.distance.map(|d| DistanceEntry {
            lower: d.lower,
            upper: d.upper,
            point_a: d.point_a.to_array(),
            point_b: d.point_b.to_array(),
        }),
    }
}

/// Writes the document and a newline.
pub(super) fn write(out: &mut dyn Write, document: &impl Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)?;
    Ok(())
}
