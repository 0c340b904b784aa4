//! The lists of steps, in order.

use crate::step::{Need, Step};

/// Warnings of rustdoc are errors.
const DOC_ENVS: &[(&str, &str)] = &[("RUSTDOCFLAGS", "-D warnings")];

/// Miri uses only the baseline instructions of the target, unless others are enabled.
const MIRI_ENVS: &[(&str, &str)] = &[("RUSTFLAGS", "-C target-feature=+avx2,+fma")];

/// `libfuzzer-sys` does not compile libFuzzer, which takes a C++ compiler, if it is told where the
/// library is. The binaries are only checked, not linked, so the file need not exist.
const FUZZ_ENVS: &[(&str, &str)] = &[("CUSTOM_LIBFUZZER_PATH", "target/libfuzzer.a")];

/// A step that needs only the toolchain in use.
const fn step(name: &'static str, args: &'static [&'static str]) -> Step {
    Step { name, needs: Need::Nothing, args, envs: &[] }
}

/// A step that needs more than the toolchain in use.
const fn step_with(name: &'static str, needs: Need, args: &'static [&'static str]) -> Step {
    Step { name, needs, args, envs: &[] }
}

/// `cargo xtask test`: everything CI runs, cheapest first.
pub(crate) const TEST: &[Step] = &[
    step("formatting", &["fmt", "--all", "--check"]),
    step(
        "lints",
        &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
    ),
    // Tests and the other crates enable `internals`; a user's build does not. `--lib` leaves out
    // the tests, and with them the features that their dependencies enable.
    step(
        "the library as users compile it",
        &["clippy", "-p", "impinge", "--lib", "--", "-D", "warnings"],
    ),
    step(
        "the library without file formats, as users compile it",
        &["clippy", "-p", "impinge", "--lib", "--no-default-features", "--", "-D", "warnings"],
    ),
    step(
        "the tests of the library without file formats",
        &[
            "clippy",
            "-p",
            "impinge",
            "--no-default-features",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    step(
        "the feature `mint` alone",
        &["check", "-p", "impinge", "--lib", "--no-default-features", "--features", "mint"],
    ),
    step(
        "the feature `nalgebra` alone",
        &["check", "-p", "impinge", "--lib", "--no-default-features", "--features", "nalgebra"],
    ),
    step(
        "the feature `serde` alone",
        &["check", "-p", "impinge", "--lib", "--no-default-features", "--features", "serde"],
    ),
    step(
        "the generated scenes without file formats",
        &["check", "-p", "impinge-samples", "--lib", "--no-default-features"],
    ),
    step_with(
        "the minimum Rust version",
        Need::MinimumRust,
        &[
            "check",
            "-p",
            "impinge",
            "-p",
            "impinge-io",
            "-p",
            "impinge-samples",
            "-p",
            "impinge-papers",
            "-p",
            "impinge-cli",
            "--lib",
            "--bins",
            "--all-features",
        ],
    ),
    step_with(
        "other targets",
        Need::Targets(&["wasm32-unknown-unknown", "aarch64-unknown-linux-gnu"]),
        &[
            "check",
            "-p",
            "impinge",
            "-p",
            "impinge-io",
            "-p",
            "impinge-samples",
            "-p",
            "impinge-papers",
            "--lib",
            "--all-features",
            "--target",
            "wasm32-unknown-unknown",
            "--target",
            "aarch64-unknown-linux-gnu",
        ],
    ),
    Step {
        name: "the binaries of the fuzz targets",
        needs: Need::Download("fuzz/Cargo.toml"),
        args: &["check", "--manifest-path", "fuzz/Cargo.toml"],
        envs: FUZZ_ENVS,
    },
    step(
        "tests",
        // `impinge-loom` runs only under its model checker, in the next step.
        &[
            "test",
            "--workspace",
            "--exclude",
            "impinge-loom",
            "--all-features",
            "--lib",
            "--bins",
            "--tests",
        ],
    ),
    step("interleavings of threads", &["test", "-p", "impinge-loom", "--tests"]),
    Step {
        name: "vector instructions under Miri",
        needs: Need::Miri,
        args: &["miri", "test", "-p", "impinge", "--lib", "wide::"],
        envs: MIRI_ENVS,
    },
    step(
        "doc tests",
        &["test", "--workspace", "--exclude", "impinge-loom", "--all-features", "--doc"],
    ),
    documentation(
        "documentation of the library without file formats",
        &["doc", "-p", "impinge", "--no-default-features", "--no-deps"],
    ),
    documentation("documentation of the library", &["doc", "-p", "impinge", "--no-deps"]),
    documentation("documentation with default features", &["doc", "--workspace", "--no-deps"]),
    // Last, so that target/doc contains the documentation of everything.
    documentation("documentation", &["doc", "--workspace", "--all-features", "--no-deps"]),
];

/// A step that builds documentation.
const fn documentation(name: &'static str, args: &'static [&'static str]) -> Step {
    Step { name, needs: Need::Nothing, args, envs: DOC_ENVS }
}

/// `cargo xtask lab`: every command of the laboratory, with `--quick`.
pub(crate) const LAB: &[Step] = &[step(
    "every command of the laboratory",
    &["test", "-p", "impinge-lab", "--test", "quick", "--test", "commands"],
)];
