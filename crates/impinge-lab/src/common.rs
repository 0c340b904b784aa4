//! What every command has: its options.

use std::path::PathBuf;

/// Options of every command, flattened into its own.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Common {
    /// Where the results go. The committed pages are in `docs/results`, and are replaced only if
    /// that is named here.
    #[arg(long, default_value = "target/lab", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Small scenes and few passes, whatever else is asked for: to see within seconds that the
    /// command runs, not for numbers.
    #[arg(long)]
    pub(crate) quick: bool,
}

impl Common {
    /// With `--quick`, lowers each of these numbers to the one beside it.
    pub(crate) fn limit<const N: usize>(&self, numbers: [(&mut usize, usize); N]) {
        if self.quick {
            for (number, most) in numbers {
                *number = most.min(*number);
            }
        }
    }

    /// With `--quick`, keeps the first of these.
    pub(crate) fn shorten<T>(&self, items: &mut Vec<T>, most: usize) {
        if self.quick {
            items.truncate(most);
        }
    }

    /// With `--quick`, lowers a time in seconds.
    pub(crate) fn limit_seconds(&self, seconds: &mut f64, most: f64) {
        if self.quick {
            *seconds = seconds.min(most);
        }
    }
}
