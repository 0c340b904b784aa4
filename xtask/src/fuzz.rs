//! `cargo xtask fuzz [TARGET] [SECONDS]`: a longer run of one fuzz target, or of each.
//!
//! With cargo-fuzz and a nightly toolchain, libFuzzer searches by coverage, from the seeds of the
//! target and from the inputs it found in earlier runs (`fuzz/corpus`). Without them, random
//! mutations of the seeds are run.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::step::{cargo, cargo_of, succeeds, text_of};

/// The time for each target, if the command names none.
const DEFAULT_SECONDS: &str = "60";

/// Runs the target named by the arguments, or all, and stops at the first failure.
pub(crate) fn run(args: &[&str]) -> ExitCode {
    let list = text_of(&mut helper(), &["list"]);
    let mut targets: Vec<&str> = list.lines().collect();
    if targets.is_empty() {
        eprintln!("== the list of fuzz targets is empty: impinge-fuzz cannot be built");
        return ExitCode::FAILURE;
    }
    if let Some(name) = args.first() {
        if !targets.contains(name) {
            eprintln!("== unknown fuzz target `{name}`; there are {}", targets.join(", "));
            return ExitCode::from(2);
        }
        targets = vec![name];
    }
    let seconds = args.get(1).copied().unwrap_or(DEFAULT_SECONDS);
    if seconds.parse::<u32>().is_err() {
        eprintln!("== `{seconds}` is not a number of seconds");
        return ExitCode::from(2);
    }
    let by_coverage = succeeds(&mut cargo_of("nightly"), &["fuzz", "--version"]);
    if !by_coverage {
        eprintln!(
            "== without coverage: install a nightly toolchain (rustup toolchain install nightly) \
             and cargo-fuzz (cargo install cargo-fuzz) to search by coverage"
        );
    }
    for target in targets {
        eprintln!("== {target}: {seconds} s");
        let mut command = if by_coverage {
            let Some(command) = search_by_coverage(target, seconds) else {
                eprintln!("== {target}: its seeds cannot be written to fuzz/seeds");
                return ExitCode::FAILURE;
            };
            command
        } else {
            let mut command = helper();
            command.args(["run", target, seconds]);
            command
        };
        if !command.status().is_ok_and(|s| s.success()) {
            eprintln!("== {target}: FAILED");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The program of `impinge-fuzz`, optimised but with the checks of a debug build.
fn helper() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--profile", "test", "-p", "impinge-fuzz", "--"]);
    command
}

/// The call of cargo-fuzz, after the seeds were written.
fn search_by_coverage(target: &str, seconds: &str) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let [seeds, corpus] = ["seeds", "corpus"].map(|f| root.join("fuzz").join(f).join(target));
    fs::create_dir_all(&corpus).ok()?;
    if !succeeds(helper().args(["seeds", target]), &[seeds.to_str()?]) {
        return None;
    }
    let mut command = cargo_of("nightly");
    command.current_dir(root).args(["fuzz", "run", target]).args([&corpus, &seeds]);
    command.args(["--", &format!("-max_total_time={seconds}")]);
    Some(command)
}
