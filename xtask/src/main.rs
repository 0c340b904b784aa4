//! `cargo xtask test`: formatting, lints, tests, doc tests and docs, in that order, on any machine
//! with cargo.
#![allow(clippy::print_stderr, reason = "a command-line tool talks to its user")]

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(),
        _ => {
            eprintln!(
                "usage: cargo xtask test   add rustfmt and clippy if they are missing, then check everything"
            );
            ExitCode::from(2)
        }
    }
}

/// One call of cargo.
struct Step {
    name: &'static str,
    args: &'static [&'static str],
    /// Environment variables to set.
    envs: &'static [(&'static str, &'static str)],
}

/// Everything CI runs, cheapest first.
const STEPS: &[Step] = &[
    Step { name: "formatting", args: &["fmt", "--all", "--check"], envs: &[] },
    Step {
        name: "lints",
        args: &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        envs: &[],
    },
    Step {
        name: "the library without file formats",
        args: &[
            "clippy",
            "-p",
            "impinge",
            "--no-default-features",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        envs: &[],
    },
    Step {
        name: "tests",
        // What is in `impinge-loom` runs under its model checker only, which is the next step.
        args: &[
            "test",
            "--workspace",
            "--exclude",
            "impinge-loom",
            "--all-features",
            "--lib",
            "--bins",
            "--tests",
        ],
        envs: &[],
    },
    Step {
        name: "interleavings of threads",
        args: &["test", "-p", "impinge-loom", "--tests"],
        envs: &[],
    },
    Step {
        name: "doc tests",
        args: &["test", "--workspace", "--exclude", "impinge-loom", "--all-features", "--doc"],
        envs: &[],
    },
    Step {
        name: "documentation of the library without file formats",
        args: &["doc", "-p", "impinge", "--no-default-features", "--no-deps"],
        envs: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    // Last, so that what is left in target/doc is the documentation of everything.
    Step {
        name: "documentation",
        args: &["doc", "--workspace", "--all-features", "--no-deps"],
        envs: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

/// Set for every step: a run from scratch gains nothing from what incremental builds keep, which
/// takes more room on the disk than everything else together.
const LEAN: &[(&str, &str)] = &[("CARGO_INCREMENTAL", "0")];

/// Runs every step; stops at the first failure.
fn test() -> ExitCode {
    if !have_components() {
        return ExitCode::FAILURE;
    }
    let all = Instant::now();
    for Step { name, args, envs } in STEPS {
        let start = Instant::now();
        eprintln!("== {name}: cargo {}", args.join(" "));
        let status = cargo().args(*args).envs(LEAN.iter().chain(*envs).copied()).status();
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
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/meshes");
    if !models.exists() {
        eprintln!(
            "== skipped: what the tests `mesh_real`, `assemblies` and `shared_meshes` ask of real models, for want of \
             ../shared/meshes beside the checkout"
        );
    }
    eprintln!("== everything passed in {:.1} s", all.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// rustfmt and clippy are components of the toolchain that a minimal install lacks; ask rustup for
/// what is missing.
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
