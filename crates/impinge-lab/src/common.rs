//! Options that every command has.

use std::path::PathBuf;

/// Options of every command, flattened into its own.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Common {
    /// Folder for the results. The committed pages in `docs/results` are replaced only if this
    /// names that folder.
    #[arg(long, default_value = "target/lab", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Small scenes and few passes, even where other options ask for more. Shows within seconds
    /// that the command runs; the measured numbers mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
}

impl Common {
    /// With `--quick`, lowers each number to the maximum given with it.
    pub(crate) fn limit<const N: usize>(&self, numbers: [(&mut usize, usize); N]) {
        if self.quick {
            for (number, max) in numbers {
                *number = max.min(*number);
            }
        }
    }

    /// With `--quick`, keeps only the first `max` items.
    pub(crate) fn shorten<T>(&self, items: &mut Vec<T>, max: usize) {
        if self.quick {
            items.truncate(max);
        }
    }

    /// With `--quick`, lowers a time in seconds to `max`.
    pub(crate) fn limit_seconds(&self, seconds: &mut f64, max: f64) {
        if self.quick {
            *seconds = seconds.min(max);
        }
    }
}
