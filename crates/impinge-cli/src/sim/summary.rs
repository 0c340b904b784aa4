//! The summary of a run: times, counts and colliding pairs.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use impinge::Vec3;
use impinge::world::{EventKind, Report};
use impinge_samples::motion::Stage;

use super::stats::Frame;
use super::{Scene, SimArgs};
use crate::ignore_broken_pipe;
use crate::report::table::{Align, Cell, Table};
use crate::report::{LINE_WIDTH, count, digits, plural, point};

/// The maximum number of pairs in the table.
const MAX_LISTED_PAIRS: usize = 10;

/// The figures of all frames and the collisions of all pairs.
pub(crate) struct Summary {
    bodies: usize,
    frames: Vec<Frame>,
    pairs: BTreeMap<(usize, usize), PairCollisions>,
}

/// The collisions of one pair.
#[derive(Clone, Copy, Debug)]
struct PairCollisions {
    /// Number of collisions that began.
    times: usize,
    /// Number of frames of the collisions that have ended.
    frames: u64,
    /// The frame in which the current collision began, if there is one.
    since: Option<u64>,
    /// The frame in which the first collision began.
    first: u64,
    /// A common point in that frame.
    place: Vec3,
}

impl PairCollisions {
    /// The number of frames with a collision, up to frame `last`.
    fn frames_until(&self, last: u64) -> u64 {
        self.frames + self.since.map_or(0, |since| last + 1 - since)
    }
}

impl Summary {
    /// A summary without frames.
    pub(crate) fn new(bodies: usize) -> Self {
        Self { bodies, frames: Vec::new(), pairs: BTreeMap::new() }
    }

    /// Adds a frame.
    pub(crate) fn add(&mut self, stage: &Stage, report: &Report, frame: Frame) {
        for event in report.events() {
            let pair = (stage.body_of(event.a), stage.body_of(event.b));
            match event.kind {
                EventKind::Began => {
                    let place = event.witness.map_or(Vec3::ZERO, |witness| witness.point);
                    let first = report.frame;
                    let new = PairCollisions { times: 0, frames: 0, since: None, first, place };
                    let collisions = self.pairs.entry(pair).or_insert(new);
                    collisions.times += 1;
                    collisions.since = Some(report.frame);
                }
                EventKind::Ended => {
                    if let Some(collisions) = self.pairs.get_mut(&pair) {
                        if let Some(since) = collisions.since.take() {
                            collisions.frames += report.frame - since;
                        }
                    }
                }
                EventKind::Persists => {}
            }
        }
        self.frames.push(frame);
    }

    /// The figures of all frames.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Whether there was a collision in any frame.
    pub(crate) fn has_collisions(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Scene, bodies, frames, broad phase and threads in one line.
    pub(crate) fn plot_title(&self, scene: &Scene, args: &SimArgs) -> String {
        format!(
            "{}: {}, {}, broad phase {}, {}",
            scene.title,
            bodies(self.bodies),
            plural(self.frames.len(), "frame"),
            args.run.phase,
            plural(rayon::current_num_threads(), "thread")
        )
    }

    /// Prints the summary; to standard error if the events go to standard output.
    pub(crate) fn print(
        &self,
        scene: &Scene,
        args: &SimArgs,
        stage: &Stage,
        explanation: Option<&str>,
        to_stderr: bool,
    ) -> Result<()> {
        let mut out: Box<dyn Write> =
            if to_stderr { Box::new(anstream::stderr()) } else { Box::new(anstream::stdout()) };
        let mut written = || -> Result<()> {
            self.write(&mut out, scene, args, stage)?;
            if let Some(text) = explanation {
                writeln!(out, "\n{text}")?;
            }
            Ok(out.flush()?)
        };
        // A closed pipe does not change the exit status.
        ignore_broken_pipe(written())
    }

    fn write(
        &self,
        out: &mut dyn Write,
        scene: &Scene,
        args: &SimArgs,
        stage: &Stage,
    ) -> Result<()> {
        let bold = Style::new().bold();
        let (on, off) = (bold.render(), bold.render_reset());
        writeln!(out, "{on}{}{off}; {} s", self.plot_title(scene, args), digits(stage.time(), 4))?;
        writeln!(out)?;
        self.frame_table().write(out, 0)?;
        writeln!(out)?;
        let began: usize = self.frames.iter().map(|f| f.began).sum();
        let ended: usize = self.frames.iter().map(|f| f.ended).sum();
        let meeting = self.frames.last().map_or(0, |f| f.stats.meeting);
        let style = Style::new().bold();
        let color = if began > 0 { AnsiColor::Red } else { AnsiColor::Green };
        let style = style.fg_color(Some(color.into()));
        writeln!(
            out,
            "{}{} began{}, {} ended; {} of bodies collided, {} in the last frame",
            style.render(),
            plural(began, "collision"),
            style.render_reset(),
            count(ended),
            plural(self.pairs.len(), "pair"),
            count(meeting),
        )?;
        if self.has_collisions() {
            writeln!(out)?;
            self.pair_table(scene).write(out, 0)?;
            if self.pairs.len() > MAX_LISTED_PAIRS {
                let more = self.pairs.len() - MAX_LISTED_PAIRS;
                writeln!(out, "and {} more; --events writes all collisions", count(more))?;
            }
        }
        Ok(())
    }

    /// Mean, median and maximum of the figures per frame.
    fn frame_table(&self) -> Table {
        let mut table = Table::new()
            .column("per frame", Align::Left, 40)
            .column("mean", Align::Right, 12)
            .column("median", Align::Right, 12)
            .column("max", Align::Right, 12)
            .column("in frame", Align::Right, 9);
        let mut row = |name: &str, value: &dyn Fn(&Frame) -> f64| {
            let mut values: Vec<f64> = self.frames.iter().map(value).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let max = values.iter().copied().fold(0.0, f64::max);
            let at = values.iter().position(|v| *v == max).map_or(0, |i| i + 1);
            values.sort_by(f64::total_cmp);
            let median = median(&values);
            let cells = [mean, median, max].map(|x| Cell::from(digits(x, 3)));
            let at = if max > 0.0 { count(at) } else { String::new() };
            table.row([Cell::from(name)].into_iter().chain(cells).chain([at.into()]).collect());
        };
        row("update, ms", &|f| f.update_ms);
        row("computing new poses, ms", &|f| f.move_ms);
        row("moved bodies", &|f| f.stats.moved as f64);
        row("box overlaps that began", &|f| f.stats.boxes_began as f64);
        row("box overlaps that ended", &|f| f.stats.boxes_ended as f64);
        row("pairs with overlapping boxes", &|f| f.stats.pairs as f64);
        row("pairs checked", &|f| f.stats.checked as f64);
        row("  decided by hulls alone", &|f| f.stats.decided_by_hulls as f64);
        row("colliding pairs", &|f| f.stats.meeting as f64);
        table
    }

    /// The pairs in descending order of their collisions; if these are equal, of their frames.
    fn pair_table(&self, scene: &Scene) -> Table {
        let last = self.frames.len() as u64;
        let mut pairs: Vec<(&(usize, usize), &PairCollisions)> = self.pairs.iter().collect();
        pairs.sort_by_key(|(pair, collisions)| {
            (std::cmp::Reverse((collisions.times, collisions.frames_until(last))), **pair)
        });
        let mut table = Table::new()
            .column("body", Align::Left, 40)
            .column("other body", Align::Left, 40)
            .column("times", Align::Right, 9)
            .column("frames", Align::Right, 9)
            .column("first in", Align::Right, 9)
            .column("at", Align::Left, 36);
        for ((a, b), collisions) in pairs.into_iter().take(MAX_LISTED_PAIRS) {
            table.row(vec![
                scene.names[*a].as_str().into(),
                scene.names[*b].as_str().into(),
                count(collisions.times).into(),
                count(collisions.frames_until(last) as usize).into(),
                collisions.first.to_string().into(),
                point(collisions.place).into(),
            ]);
        }
        table.shrink(&[0, 1], LINE_WIDTH);
        table
    }
}

/// The median of sorted values; zero without values.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// `1 body`, `2 bodies`.
fn bodies(n: usize) -> String {
    if n == 1 { "1 body".to_owned() } else { format!("{} bodies", count(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(
            [&[][..], &[3.0], &[1.0, 2.0], &[1.0, 2.0, 9.0]].map(median),
            [0.0, 3.0, 1.5, 2.0]
        );
    }
}
