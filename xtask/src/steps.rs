//! The lists of steps, in order.

use crate::step::{Need, Step};

const NO_ENVS: &[(&str, &str)] = &[];

/// Warnings of rustdoc are errors.
const DOC_ENVS: &[(&str, &str)] = &[("RUSTDOCFLAGS", "-D warnings")];

/// Miri uses only the baseline instructions of the target, unless others are enabled.
const MIRI_ENVS: &[(&str, &str)] = &[("RUSTFLAGS", "-C target-feature=+avx2,+fma")];

/// `cargo xtask test`: everything CI runs, cheapest first.
pub(crate) const TEST: &[Step] = &[
    Step {
        name: "formatting",
        needs: Need::Nothing,
        args: &["fmt", "--all", "--check"],
        envs: NO_ENVS,
    },
    Step {
        name: "lints",
        needs: Need::Nothing,
        args: &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        envs: NO_ENVS,
    },
    Step {
        name: "the library without file formats",
        needs: Need::Nothing,
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
        envs: NO_ENVS,
    },
    Step {
        name: "the minimum Rust version",
        needs: Need::MinimumRust,
        args: &["check", "-p", "impinge-cli"],
        envs: NO_ENVS,
    },
    Step {
        name: "other targets",
        needs: Need::Targets(&["wasm32-unknown-unknown", "aarch64-unknown-linux-gnu"]),
        args: &[
            "check",
            "-p",
            "impinge-papers",
            "-p",
            "impinge-samples",
            "--target",
            "wasm32-unknown-unknown",
            "--target",
            "aarch64-unknown-linux-gnu",
        ],
        envs: NO_ENVS,
    },
    Step {
        name: "tests",
        needs: Need::Nothing,
        // `impinge-loom` runs only under its model checker, in the next step.
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
        envs: NO_ENVS,
    },
    Step {
        name: "interleavings of threads",
        needs: Need::Nothing,
        args: &["test", "-p", "impinge-loom", "--tests"],
        envs: NO_ENVS,
    },
    Step {
        name: "vector instructions under Miri",
        needs: Need::Miri,
        args: &["miri", "test", "-p", "impinge", "--lib", "wide::"],
        envs: MIRI_ENVS,
    },
    Step {
        name: "doc tests",
        needs: Need::Nothing,
        args: &["test", "--workspace", "--exclude", "impinge-loom", "--all-features", "--doc"],
        envs: NO_ENVS,
    },
    Step {
        name: "documentation of the library without file formats",
        needs: Need::Nothing,
        args: &["doc", "-p", "impinge", "--no-default-features", "--no-deps"],
        envs: DOC_ENVS,
    },
    // Last, so that target/doc contains the documentation of the whole workspace.
    Step {
        name: "documentation",
        needs: Need::Nothing,
        args: &["doc", "--workspace", "--all-features", "--no-deps"],
        envs: DOC_ENVS,
    },
];

/// `cargo xtask lab`: every command of the laboratory, with `--quick`.
pub(crate) const LAB: &[Step] = &[Step {
    name: "every command of the laboratory",
    needs: Need::Nothing,
    args: &["test", "-p", "impinge-lab", "--test", "quick", "--", "--include-ignored"],
    envs: NO_ENVS,
}];
