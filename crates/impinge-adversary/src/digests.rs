//! Digests of the answers to a fixed set of samples, kept in a file.

use std::fmt::Write;
use std::io;
use std::path::Path;

use crate::run::Findings;

/// The stream of the samples of the test.
pub const SEED: u64 = 1;

/// How many samples the test asks about.
pub const SAMPLES: u64 = 5_000;

/// The file, in this crate's folder.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/digests.txt");

/// A line for each row: cases, digest, name.
#[must_use]
pub fn lines(findings: &Findings) -> String {
    let mut text = String::new();
    for (name, tally) in &findings.tallies {
        writeln!(text, "{:>9} {:016x} {name}", tally.cases, tally.digest)
            .expect("a string takes everything");
    }
    text
}

/// Keeps the digests of these findings.
///
/// # Errors
/// If the file cannot be written.
pub fn write(findings: &Findings) -> io::Result<()> {
    let temporary = Path::new(FILE).with_extension("part");
    std::fs::write(&temporary, lines(findings))?;
    std::fs::rename(&temporary, FILE)
}

/// The digests as they were kept.
///
/// # Errors
/// If the file cannot be read.
pub fn kept() -> io::Result<String> {
    std::fs::read_to_string(FILE)
}
