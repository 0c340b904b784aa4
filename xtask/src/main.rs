//! `cargo xtask test`: formatting, lints, tests, doc tests and docs, in that order, on any machine with cargo.
#![allow(clippy::print_stderr, reason = "a command-line tool talks to its user")]

use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(),
        _ => {
            eprintln!(
                "usage: cargo xtask test   install what the tests need, then check everything"
            );
            ExitCode::from(2)
        }
    }
}

/// Everything CI runs. Stops at the first failure.
fn test() -> ExitCode {
    let steps: &[(&str, &[&str], &[(&str, &str)])] = &[
        ("formatting", &["fmt", "--all", "--check"], &[]),
        (
            "lints",
            &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
            &[],
        ),
        (
            "the library without file formats",
            &["check", "-p", "impinge", "--no-default-features"],
            &[],
        ),
        ("tests", &["test", "--workspace", "--all-features", "--lib", "--bins", "--tests"], &[]),
        ("doc tests", &["test", "--workspace", "--all-features", "--doc"], &[]),
        (
            "documentation",
            &["doc", "--workspace", "--all-features", "--no-deps"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
    ];
    if !have_components() {
        return ExitCode::FAILURE;
    }
    for (name, args, envs) in steps {
        let start = Instant::now();
        eprintln!("== {name}: cargo {}", args.join(" "));
        let status = cargo().args(*args).envs(envs.iter().copied()).status();
        match status {
            Ok(s) if s.success() => {
                eprintln!("== {name}: passed in {:.1} s", start.elapsed().as_secs_f64());
            }
            Ok(s) => {
                eprintln!("== {name}: FAILED ({s})");
                return ExitCode::FAILURE;
            }
            Err(e) => {
                eprintln!("== {name}: cargo could not be started: {e}");
                return ExitCode::FAILURE;
            }
        }
    }
    eprintln!("== everything passed");
    ExitCode::SUCCESS
}

/// rustfmt and clippy are components of the toolchain that a minimal install lacks; ask rustup for what is missing.
fn have_components() -> bool {
    for (sub, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let present = cargo().args([sub, "--version"]).output().is_ok_and(|o| o.status.success());
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

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
