//! One call of cargo: what it needs, and how it is run.

use std::env;
use std::process::Command;
use std::time::Instant;

use crate::skipped::Skipped;

/// The oldest Rust that the workspace promises to build with.
const MINIMUM: &str = env!("CARGO_PKG_RUST_VERSION");

/// One call of cargo.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) needs: Need,
    pub(crate) args: &'static [&'static str],
    /// Environment variables to set.
    pub(crate) envs: &'static [(&'static str, &'static str)],
}

/// What a step needs beside the toolchain in use. A step whose needs rustup cannot meet is skipped.
pub(crate) enum Need {
    Nothing,
    /// The toolchain of the minimum Rust version, which then runs the step.
    MinimumRust,
    /// The standard library for these targets.
    Targets(&'static [&'static str]),
    /// Miri with its own standard library, of the nightly toolchain, which then runs the step.
    Miri,
}

/// How a step ended.
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// With the reason.
    Skipped(String),
}

/// Set for every step: a run from scratch gains nothing from what incremental builds keep, which
/// takes more room on the disk than everything else together.
const LEAN: (&str, &str) = ("CARGO_INCREMENTAL", "0");

impl Step {
    /// Runs the step and tells how it went; tests note what they skip in the file of `skipped`.
    pub(crate) fn run(&self, skipped: &Skipped) -> Outcome {
        let Self { name, args, .. } = self;
        let mut command = match self.needs.command() {
            Ok(command) => command,
            Err(reason) => {
                eprintln!("== {name}: skipped, {reason}");
                return Outcome::Skipped(reason);
            }
        };
        let start = Instant::now();
        eprintln!("== {name}: cargo {}", args.join(" "));
        command.args(*args).envs([LEAN]).envs(self.envs.iter().copied());
        command.env(Skipped::VARIABLE, skipped.file());
        match command.status() {
            Ok(s) if s.success() => {
                eprintln!("== {name}: passed in {:.1} s", start.elapsed().as_secs_f64());
                Outcome::Passed
            }
            Ok(s) => {
                eprintln!("== {name}: FAILED ({s})");
                Outcome::Failed
            }
            Err(e) => {
                eprintln!("== {name}: cargo could not be started: {e}");
                Outcome::Failed
            }
        }
    }
}

impl Need {
    /// The cargo that runs the step, or the reason why there is none.
    fn command(&self) -> Result<Command, String> {
        match self {
            Self::Nothing => Ok(cargo()),
            Self::MinimumRust => {
                if !works(&mut cargo_of(MINIMUM), &["--version"]) {
                    // Fails at once on a machine without rustup or network.
                    let install = ["toolchain", "install", MINIMUM, "--profile", "minimal"];
                    if !works(&mut Command::new("rustup"), &install) {
                        return Err(format!("Rust {MINIMUM} is not installed"));
                    }
                }
                Ok(cargo_of(MINIMUM))
            }
            Self::Targets(targets) => {
                for target in *targets {
                    if !works(&mut Command::new("rustup"), &["target", "add", target]) {
                        return Err(format!("the target {target} is not installed"));
                    }
                }
                Ok(cargo())
            }
            Self::Miri => {
                // Builds the standard library for Miri, once.
                if !works(&mut cargo_of("nightly"), &["miri", "setup"]) {
                    return Err("Miri is not installed in the nightly toolchain".to_owned());
                }
                Ok(cargo_of("nightly"))
            }
        }
    }
}

/// Whether a command can be run and succeeds; what it prints is dropped.
fn works(command: &mut Command, args: &[&str]) -> bool {
    command.args(args).output().is_ok_and(|o| o.status.success())
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The cargo of another toolchain. The cargo in use is named by its path, so `+toolchain` is not
/// understood by it.
fn cargo_of(toolchain: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    command
}
