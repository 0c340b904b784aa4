//! A step: one call of cargo and its requirements.

use std::env;
use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::skipped::Skipped;

/// The minimum supported Rust version of the workspace.
const MINIMUM_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// One call of cargo.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) needs: Need,
    pub(crate) args: &'static [&'static str],
    /// Environment variables to set.
    pub(crate) envs: &'static [(&'static str, &'static str)],
}

/// What a step needs in addition to the toolchain in use. The step is skipped if this is missing
/// and cannot be installed.
pub(crate) enum Need {
    Nothing,
    /// The toolchain of the minimum Rust version, which runs the step.
    MinimumRust,
    /// The standard library for these targets.
    Targets(&'static [&'static str]),
    /// The dependencies of a package outside of the workspace, which has this manifest.
    Download(&'static str),
    /// Miri with its own standard library, of the nightly toolchain, which runs the step.
    Miri,
}

/// The result of a step.
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// With the reason.
    Skipped(String),
}

/// Set for every step: a build from scratch does not profit from incremental compilation, whose
/// data takes more disk space than everything else together.
const NO_INCREMENTAL: (&str, &str) = ("CARGO_INCREMENTAL", "0");

impl Step {
    /// Runs the step and prints its result. Tests append what they skip to the file of `skipped`.
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
        command.args(*args).envs([NO_INCREMENTAL]).envs(self.envs.iter().copied());
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
    /// The cargo that runs the step, or the reason why it cannot run.
    fn command(&self) -> Result<Command, String> {
        match self {
            Self::Nothing => Ok(cargo()),
            Self::MinimumRust => {
                if is_minimum_rust(&text_of(&mut cargo(), &["--version"])) {
                    return Ok(cargo());
                }
                if !succeeds(&mut cargo_of(MINIMUM_RUST), &["--version"]) {
                    // Fails immediately on a machine without rustup or network.
                    let install = ["toolchain", "install", MINIMUM_RUST, "--profile", "minimal"];
                    if !succeeds(&mut Command::new("rustup"), &install) {
                        return Err(format!("Rust {MINIMUM_RUST} is not installed"));
                    }
                }
                Ok(cargo_of(MINIMUM_RUST))
            }
            Self::Targets(targets) => {
                for target in *targets {
                    let install = ["target", "add", target];
                    if !has_target(target) && !succeeds(&mut Command::new("rustup"), &install) {
                        return Err(format!("the target {target} is not installed"));
                    }
                }
                Ok(cargo())
            }
            Self::Download(manifest) => {
                let fetch = ["fetch", "--quiet", "--manifest-path", manifest];
                // The second attempt is for a machine without network that has everything.
                let is_there =
                    succeeds(&mut cargo(), &fetch) || succeeds(cargo().args(fetch), &["--offline"]);
                if !is_there {
                    return Err(format!("the dependencies of {manifest} cannot be downloaded"));
                }
                Ok(cargo())
            }
            Self::Miri => {
                // Builds the standard library for Miri, if that has not been done yet.
                if !succeeds(&mut cargo_of("nightly"), &["miri", "setup"]) {
                    return Err("Miri is not installed in the nightly toolchain".to_owned());
                }
                Ok(cargo_of("nightly"))
            }
        }
    }
}

/// Whether a command can be run and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: &mut Command, args: &[&str]) -> bool {
    command.args(args).output().is_ok_and(|o| o.status.success())
}

/// The standard output of a command; empty if it fails.
pub(crate) fn text_of(command: &mut Command, args: &[&str]) -> String {
    let output = command.args(args).output().ok().filter(|o| o.status.success());
    output.map_or_else(String::new, |o| String::from_utf8_lossy(&o.stdout).into_owned())
}

/// Whether `cargo --version` printed the minimum Rust version, with any patch number.
fn is_minimum_rust(version: &str) -> bool {
    let number = version.split(' ').nth(1).unwrap_or("").trim();
    number == MINIMUM_RUST || number.starts_with(&format!("{MINIMUM_RUST}."))
}

/// Whether the compiler in use has the standard library for a target. It need not come from rustup.
fn has_target(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let args = ["--print", "target-libdir", "--target", target];
    let folder = text_of(&mut Command::new(rustc), &args);
    let files = fs::read_dir(folder.trim_end()).into_iter().flatten().flatten();
    files.map(|f| f.file_name()).any(|name| name.to_string_lossy().starts_with("libstd-"))
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The cargo of another toolchain. The cargo in use is called by its path, so it does not
/// understand `+toolchain`, which is an argument of rustup's proxy.
pub(crate) fn cargo_of(toolchain: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_version_is_recognised_with_any_patch_number() {
        assert!(is_minimum_rust(&format!("cargo {MINIMUM_RUST}.1 (d73d2caf9 2024-12-31)\n")));
        assert!(is_minimum_rust(&format!("cargo {MINIMUM_RUST}\n")));
        assert!(!is_minimum_rust(&format!("cargo {MINIMUM_RUST}0.0 (d73d2caf9 2024-12-31)\n")));
        assert!(!is_minimum_rust("cargo 1.2.0") && !is_minimum_rust(""));
    }

    #[test]
    fn only_installed_targets_are_found() {
        let compiler = text_of(&mut Command::new("rustc"), &["-vV"]);
        let host = compiler.lines().find_map(|l| l.strip_prefix("host: ")).expect("a host");
        assert!(has_target(host));
        assert!(!has_target("no-such-target"));
    }
}
