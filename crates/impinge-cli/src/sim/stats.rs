//! What a frame took, and a file of it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use impinge::world::{Report, Stats};

use crate::report::csv::create_file;

/// What one frame took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Its number, from one.
    pub(crate) number: u64,
    /// Seconds since the start.
    pub(crate) time: f64,
    /// Milliseconds to find the new poses.
    pub(crate) move_ms: f64,
    /// Milliseconds of the update of the world.
    pub(crate) update_ms: f64,
    /// The figures of the update.
    pub(crate) stats: Stats,
    /// Pairs that began to meet.
    pub(crate) began: usize,
    /// Pairs that ended to.
    pub(crate) ended: usize,
}

impl Frame {
    /// The frame that the report is about.
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
    /// Creates the file and writes its first line.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut this = Self { path: path.to_owned(), out: create_file(path)? };
        writeln!(this.out, "{HEADER}").with_context(|| this.trouble())?;
        Ok(this)
    }

    /// One row.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<()> {
        let Frame { number, time, move_ms, update_ms, stats, began, ended } = frame;
        let Stats { moved, boxes_began, boxes_ended, pairs, checked, by_hulls, meeting } = stats;
        writeln!(
            self.out,
            "{number},{time:?},{move_ms:.6},{update_ms:.6},{moved},{boxes_began},{boxes_ended},{pairs},{checked},{by_hulls},{meeting},{began},{ended}"
        )
        .with_context(|| self.trouble())
    }

    /// Writes what is still buffered.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush().with_context(|| self.trouble())
    }

    fn trouble(&self) -> String {
        format!("cannot write {}; the file is incomplete", self.path.display())
    }
}
