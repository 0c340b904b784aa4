//! What a run left out, told in one list at its end.
//!
//! Steps are skipped where a toolchain or a target is missing that rustup cannot install. Tests are
//! skipped where real models are missing: each appends a line to the file named by
//! [`Skipped::VARIABLE`] (`impinge_oracles::common::skip`). Where the variable `CI` is set, only the
//! former is allowed.

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
    /// The variable that tells tests where to note what they skip.
    pub(crate) const VARIABLE: &str = "IMPINGE_SKIPPED";

    /// Nothing is skipped yet.
    pub(crate) fn new() -> Self {
        let file = env::temp_dir().join(format!("impinge-skipped-{}.txt", std::process::id()));
        let _ = fs::remove_file(&file);
        Self { file, steps: Vec::new() }
    }

    /// The file for tests.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Adds a step.
    pub(crate) fn add(&mut self, step: &str, reason: &str) {
        self.steps.push(format!("{step}: {reason}"));
    }

    /// Prints the list and gives whether the run may pass with it.
    pub(crate) fn tell(self) -> bool {
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
        if is_ci && !tests.is_empty() {
            eprintln!("== FAILED: with CI set, no test may be skipped");
            return false;
        }
        true
    }
}
