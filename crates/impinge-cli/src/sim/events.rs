//! Collision events as lines of JSON.

use std::fs::File;
use std::io::{BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::world::{Event, EventKind, Report};
use impinge_samples::motion::Stage;
use serde::Serialize;

use super::Scene;
use crate::report::csv::create_file;

/// Writes events to a file or to standard output.
pub(crate) struct EventLines {
    path: PathBuf,
    out: Out,
}

enum Out {
    Stdout(BufWriter<Stdout>),
    File(BufWriter<File>),
}

/// One event.
#[derive(Debug, Serialize)]
struct Line<'a> {
    frame: u64,
    time: f64,
    kind: &'static str,
    a: &'a str,
    b: &'a str,
    certain: bool,
    /// A common point, in the scene's frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[f64; 3]>,
    /// The names of the two parts, if a body has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_a: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_b: Option<&'a str>,
    /// The indices of the intersecting triangles in their parts; null if one part lies inside the
    /// other, or if the hulls decided the pair. Absent if there is no witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle_a: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle_b: Option<Option<u32>>,
}

impl EventLines {
    /// Creates the file; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let out = if path == Path::new("-") {
            Out::Stdout(BufWriter::new(std::io::stdout()))
        } else {
            Out::File(create_file(path)?)
        };
        Ok(Self { path: path.to_owned(), out })
    }

    /// Whether the events go to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.out, Out::Stdout(_))
    }

    /// Writes a line for every event of a frame.
    pub(crate) fn write(&mut self, scene: &Scene, stage: &Stage, report: &Report) -> Result<()> {
        for event in report.events() {
            let line = line(scene, stage, report, event);
            let out = self.out.writer();
            serde_json::to_writer(&mut *out, &line)
                .map_err(anyhow::Error::from)
                .and_then(|()| Ok(writeln!(out)?))
                .with_context(|| write_error(&self.path))?;
        }
        Ok(())
    }

    /// Flushes the buffer.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.writer().flush().with_context(|| write_error(&self.path))
    }
}

impl Out {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Stdout(out) => out,
            Self::File(out) => out,
        }
    }
}

fn write_error(path: &Path) -> String {
    format!("cannot write to {}; the events are incomplete", path.display())
}

fn line<'a>(scene: &'a Scene, stage: &Stage, report: &Report, event: &Event) -> Line<'a> {
    let bodies = [event.a, event.b].map(|handle| stage.body_of(handle));
    let [a, b] = bodies.map(|body| scene.names[body].as_str());
    let moving = &scene.moving;
    let has_parts = bodies.iter().any(|body| moving.bodies[*body].parts.len() > 1);
    let parts = event.witness.filter(|_| has_parts).map(|witness| {
        [(bodies[0], witness.part_a), (bodies[1], witness.part_b)].map(|(body, part)| {
            let first = moving.bodies[body].parts.start;
            moving.scene.parts()[first + part as usize].name.as_str()
        })
    });
    Line {
        frame: report.frame,
        time: stage.time(),
        kind: match event.kind {
            EventKind::Began => "began",
            EventKind::Persists => "persists",
            EventKind::Ended => "ended",
        },
        a,
        b,
        certain: event.is_certain(),
        point: event.witness.map(|witness| witness.point.to_array()),
        part_a: parts.map(|[a, _]| a),
        part_b: parts.map(|[_, b]| b),
        triangle_a: event.witness.map(|witness| witness.triangle_a),
        triangle_b: event.witness.map(|witness| witness.triangle_b),
    }
}
