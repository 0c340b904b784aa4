//! Times and counts per frame, and their CSV file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge::world::{Report, Stats};

use crate::report::csv::create_file;

/// Times and counts of one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The number of the frame, counted from one.
    pub(crate) number: u64,
    /// Simulated seconds since the start.
    pub(crate) time: f64,
    /// Milliseconds to compute the new poses.
    pub(crate) move_ms: f64,
    /// Milliseconds to update the world.
    pub(crate) update_ms: f64,
    /// The counts of the update.
    pub(crate) stats: Stats,
    /// Number of collisions that began.
    pub(crate) began: usize,
    /// Number of collisions that ended.
    pub(crate) ended: usize,
}

impl Frame {
    /// The frame of `report`.
    pub(crate) fn new(report: &Report, time: f64, moving: Duration, update: Duration) -> Self {
        Self {
            number: report.frame,
            time,
            move_ms: moving.as_secs_f64() * 1e3,
            update_ms: update.as_secs_f64() * 1e3,
            stats: *report.stats(),
            began: report.began().count(),
            ended: report.ended().count(),
        }
    }
}

const HEADER: &str = "frame,time,move_ms,update_ms,moved,boxes_began,boxes_ended,pairs,checked,by_hulls,meeting,began,ended";

/// The CSV file of `--stats`.
pub(crate) struct StatsFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl StatsFile {
    /// Creates the file and writes the header line.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut this = Self { path: path.to_owned(), out: create_file(path)? };
        writeln!(this.out, "{HEADER}").with_context(|| this.write_error())?;
        Ok(this)
    }

    /// Writes one row.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<()> {
        let Frame { number, time, move_ms, update_ms, stats, began, ended } = frame;
        let Stats { moved, boxes_began, boxes_ended, pairs, checked, .. } = stats;
        let Stats { decided_by_hulls, meeting, .. } = stats;
        writeln!(
            self.out,
            "{number},{time:?},{move_ms:.6},{update_ms:.6},{moved},{boxes_began},{boxes_ended},{pairs},{checked},{decided_by_hulls},{meeting},{began},{ended}"
        )
        .with_context(|| self.write_error())
    }

    /// Flushes the buffer.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush().with_context(|| self.write_error())
    }

    fn write_error(&self) -> String {
        format!("cannot write to {}; the file is incomplete", self.path.display())
    }
}
