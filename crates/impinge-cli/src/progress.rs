//! A progress bar with the time left, for long work on a terminal only.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done before this needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows how far the pairs are, on standard error, once the work has taken a while.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    waiting: bool,
}

impl Progress {
    /// Progress over `total` steps. Nothing is ever shown if `quiet`, or if either output is not a
    /// terminal.
    pub(crate) fn new(total: usize, what: &'static str, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let template = "{msg} [{bar:32}] {human_pos} of {human_len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what);
        let shown = !quiet && std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        Self { bar, started: Instant::now(), waiting: shown }
    }

    /// One more step is done.
    pub(crate) fn step(&mut self) {
        if self.waiting && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.waiting = false;
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
