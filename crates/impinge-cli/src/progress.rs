//! A progress bar with the remaining time, for long runs on a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar appears after this time, so that short runs show none.
const BAR_DELAY: Duration = Duration::from_millis(700);

/// A progress bar on standard error that appears after [`BAR_DELAY`].
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// Whether the bar is still hidden and has to appear later.
    hidden: bool,
}

impl Progress {
    /// A bar over `total` steps. It never appears if `quiet`, or if standard output or standard
    /// error is not a terminal.
    pub(crate) fn new(total: usize, what: &'static str, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let template = "{msg} [{bar:32}] {human_pos} of {human_len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what);
        let shown = !quiet && std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        Self { bar, started: Instant::now(), hidden: shown }
    }

    /// Counts one finished step.
    pub(crate) fn step(&mut self) {
        if self.hidden && self.started.elapsed() > BAR_DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.hidden = false;
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
