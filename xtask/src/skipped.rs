//! The list of skipped steps and tests, printed at the end of a run.
//!
//! A step is skipped if a toolchain or a target is missing that rustup cannot install. A test is
//! skipped if a real model is missing: it appends a line to the file named by
//! [`Skipped::VARIABLE`] (`impinge_oracles::common::skip`). If the variable `CI` is set, steps may
//! be skipped, and tests that need real models if there is no collection of models at all, but no
//! other tests.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The steps and tests that were skipped.
pub(crate) struct Skipped {
    file: PathBuf,
    steps: Vec<String>,
}

impl Skipped {
    /// The environment variable with the path of the file to which tests append what they skip.
    pub(crate) const VARIABLE: &str = "IMPINGE_SKIPPED";

    /// How the line of a test ends that was skipped because there is no collection of real models
    /// (`impinge_oracles::common::model`).
    const NO_MODELS: &str = ": the variable IMPINGE_MODELS is not set";

    /// An empty list.
    pub(crate) fn new() -> Self {
        let file = env::temp_dir().join(format!("impinge-skipped-{}.txt", std::process::id()));
        let _ = fs::remove_file(&file);
        Self { file, steps: Vec::new() }
    }

    /// The file to which tests append.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Adds a skipped step.
    pub(crate) fn add(&mut self, step: &str, reason: &str) {
        self.steps.push(format!("{step}: {reason}"));
    }

    /// Prints the list, and returns whether the run may pass with it.
    pub(crate) fn print(self) -> bool {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let _ = fs::remove_file(&self.file);
        let tests: BTreeSet<&str> = text.lines().collect();
        if !self.steps.is_empty() || !tests.is_empty() {
            eprintln!("== skipped:");
        }
        for line in self.steps.iter().map(String::as_str).chain(tests.iter().copied()) {
            eprintln!("   {line}");
        }
        let is_ci = env::var_os("CI").is_some_and(|v| !v.is_empty() && v != "false");
        if is_ci && !tests.iter().all(|line| may_be_skipped(line)) {
            eprintln!(
                "== FAILED: with CI set, only tests of real models may be skipped, and only if \
                 IMPINGE_MODELS is not set"
            );
            return false;
        }
        true
    }
}

/// Whether a test may be skipped in CI, by its line in the list.
fn may_be_skipped(line: &str) -> bool {
    line.ends_with(Skipped::NO_MODELS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_without_any_models_may_be_skipped() {
        assert!(may_be_skipped("test reading_speed: the variable IMPINGE_MODELS is not set"));
        assert!(!may_be_skipped("test reading_speed: there is no standard/bunny.off in models"));
        assert!(!may_be_skipped("test x: IMPINGE_MODELS is wrong"));
    }
}
