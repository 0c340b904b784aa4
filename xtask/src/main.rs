//! `cargo xtask test`: everything CI runs, on any machine with cargo.
//!
//! - [`steps`]: the list of steps, cheapest first.
//! - [`step`]: runs one step and checks its requirements.
//! - [`fuzz`]: longer runs of the fuzz targets.
//! - [`skipped`]: the list of skipped steps and tests, printed at the end.
#![allow(clippy::print_stderr, reason = "a command-line tool prints")]

mod fuzz;
mod skipped;
mod step;
mod steps;

use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

use skipped::Skipped;
use step::Outcome;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => run("everything", steps::TEST),
        ["lab"] => run("the laboratory", steps::LAB),
        ["fuzz", rest @ ..] if rest.len() <= 2 => fuzz::run(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask test   add rustfmt and clippy if they are missing, then check everything\n       \
                        cargo xtask lab    run every command of the laboratory, with --quick\n       \
                        cargo xtask fuzz [TARGET] [SECONDS]   run one fuzz target, or all, for a minute each by default"
            );
            ExitCode::from(2)
        }
    }
}

/// Runs all steps up to the first failure, and prints what was skipped.
fn run(what: &str, steps: &[step::Step]) -> ExitCode {
    if !have_components() {
        return ExitCode::FAILURE;
    }
    let mut skipped = Skipped::new();
    let start = Instant::now();
    for step in steps {
        match step.run(&skipped) {
            Outcome::Passed => {}
            Outcome::Failed => return ExitCode::FAILURE,
            Outcome::Skipped(reason) => skipped.add(step.name, &reason),
        }
    }
    if !skipped.print() {
        return ExitCode::FAILURE;
    }
    eprintln!("== {what} passed in {:.1} s", start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Installs rustfmt and clippy with rustup where they are missing: a minimal toolchain lacks them.
/// Returns whether both are present.
fn have_components() -> bool {
    for (sub, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let present =
            step::cargo().args([sub, "--version"]).output().is_ok_and(|o| o.status.success());
        if present {
            continue;
        }
        eprintln!("== installing {component}");
        let installed = Command::new("rustup")
            .args(["component", "add", component])
            .status()
            .is_ok_and(|s| s.success());
        if !installed {
            eprintln!(
                "== {component} is missing and rustup could not install it; on Debian: apt-get install {}",
                if component == "clippy" { "rust-clippy" } else { "rustfmt" }
            );
            return false;
        }
    }
    true
}
