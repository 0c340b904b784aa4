//! The end of a run: what it cost, and who met whom.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use impinge::Vec3;
use impinge::world::{EventKind, Report};
use impinge_samples::motion::Stage;

use super::stats::Frame;
use super::{Scene, SimArgs};
use crate::report::table::{Align, Cell, Table};
use crate::report::{LINE, count, digits, plural, point};
use crate::unless_pipe_closed;

/// How many of the pairs that met are listed.
const LISTED: usize = 10;

/// Figures of all frames, and tallies of all pairs that met.
pub(crate) struct Summary {
    bodies: usize,
    frames: Vec<Frame>,
    pairs: BTreeMap<(usize, usize), Tally>,
}

/// What is known about a pair that met.
#[derive(Clone, Copy, Debug)]
struct Tally {
    /// How often it began to meet.
    times: usize,
    /// In how many frames it met, up to the last that has ended.
    frames: u64,
    /// When it began, if it meets.
    since: Option<u64>,
    /// When it first began, and where.
    first: u64,
    place: Vec3,
}

impl Tally {
    /// In how many frames it met.
    fn frames_until(&self, last: u64) -> u64 {
        self.frames + self.since.map_or(0, |since| last + 1 - since)
    }
}

impl Summary {
    /// Of no frames yet.
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
                    let new = Tally { times: 0, frames: 0, since: None, first, place };
                    let tally = self.pairs.entry(pair).or_insert(new);
                    tally.times += 1;
                    tally.since = Some(report.frame);
                }
                EventKind::Ended => {
                    if let Some(tally) = self.pairs.get_mut(&pair) {
                        if let Some(since) = tally.since.take() {
                            tally.frames += report.frame - since;
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

    /// Whether anything ever met.
    pub(crate) fn met(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// What the run was, in a phrase.
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

    /// Prints all of it, to standard error if the events have taken standard output.
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
        // A reader that has seen enough does not change the verdict.
        unless_pipe_closed(written())
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
        self.costs().write(out, 0)?;
        writeln!(out)?;
        let began: usize = self.frames.iter().map(|f| f.began).sum();
        let ended: usize = self.frames.iter().map(|f| f.ended).sum();
        let meeting = self.frames.last().map_or(0, |f| f.stats.meeting);
        let style = Style::new().bold();
        let color = if began > 0 { AnsiColor::Red } else { AnsiColor::Green };
        let style = style.fg_color(Some(color.into()));
        writeln!(
            out,
            "{}{} began{}, {} ended; {} of bodies met at some time, {} in the last frame",
            style.render(),
            plural(began, "collision"),
            style.render_reset(),
            count(ended),
            plural(self.pairs.len(), "pair"),
            count(meeting),
        )?;
        if self.met() {
            writeln!(out)?;
            self.pairs(scene).write(out, 0)?;
            if self.pairs.len() > LISTED {
                let more = self.pairs.len() - LISTED;
                writeln!(out, "and {} more, less often; --events lists all", count(more))?;
            }
        }
        Ok(())
    }

    /// Mean, median and worst of the figures.
    fn costs(&self) -> Table {
        let mut table = Table::new()
            .column("a frame", Align::Left, 40)
            .column("mean", Align::Right, 12)
            .column("median", Align::Right, 12)
            .column("most", Align::Right, 12)
            .column("in frame", Align::Right, 9);
        let mut row = |name: &str, value: &dyn Fn(&Frame) -> f64| {
            let mut values: Vec<f64> = self.frames.iter().map(value).collect();
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let most = values.iter().copied().fold(0.0, f64::max);
            let at = values.iter().position(|v| *v == most).map_or(0, |i| i + 1);
            values.sort_by(f64::total_cmp);
            let median = median(&values);
            let cells = [mean, median, most].map(|x| Cell::from(digits(x, 3)));
            let at = if most > 0.0 { count(at) } else { String::new() };
            table.row([Cell::from(name)].into_iter().chain(cells).chain([at.into()]).collect());
        };
        row("update, ms", &|f| f.update_ms);
        row("finding new poses, ms", &|f| f.move_ms);
        row("bodies that moved", &|f| f.stats.moved as f64);
        row("boxes began to overlap", &|f| f.stats.boxes_began as f64);
        row("boxes ended to overlap", &|f| f.stats.boxes_ended as f64);
        row("pairs with overlapping boxes", &|f| f.stats.pairs as f64);
        row("pairs checked", &|f| f.stats.checked as f64);
        row("  decided by hulls alone", &|f| f.stats.by_hulls as f64);
        row("pairs that meet", &|f| f.stats.meeting as f64);
        table
    }

    /// The pairs that met most often, then longest.
    fn pairs(&self, scene: &Scene) -> Table {
        let last = self.frames.len() as u64;
        let mut pairs: Vec<(&(usize, usize), &Tally)> = self.pairs.iter().collect();
        pairs.sort_by_key(|(pair, tally)| {
            (std::cmp::Reverse((tally.times, tally.frames_until(last))), **pair)
        });
        let mut table = Table::new()
            .column("body", Align::Left, 40)
            .column("other body", Align::Left, 40)
            .column("times", Align::Right, 9)
            .column("frames", Align::Right, 9)
            .column("first in", Align::Right, 9)
            .column("at", Align::Left, 36);
        for ((a, b), tally) in pairs.into_iter().take(LISTED) {
            table.row(vec![
                scene.names[*a].as_str().into(),
                scene.names[*b].as_str().into(),
                count(tally.times).into(),
                count(tally.frames_until(last) as usize).into(),
                tally.first.to_string().into(),
                point(tally.place).into(),
            ]);
        }
        table.shrink(&[0, 1], LINE);
        table
    }
}

/// The middle of sorted values; zero of none.
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
    fn medians_are_in_the_middle() {
        assert_eq!(
            [&[][..], &[3.0], &[1.0, 2.0], &[1.0, 2.0, 9.0]].map(median),
            [0.0, 3.0, 1.5, 2.0]
        );
    }
}
