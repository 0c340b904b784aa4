//! Digests of the answers to a fixed set of samples, stored in a file.

use std::fmt::Write;
use std::io;
use std::path::Path;

use crate::run::Findings;

/// The seed of the test's samples.
pub const SEED: u64 = 1;

/// The number of samples of the test.
pub const SAMPLES: u64 = 5_000;

/// The file, in this crate's folder.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/digests.txt");

/// One line per row of the table of queries: cases, digest, name.
#[must_use]
pub fn lines(findings: &Findings) -> String {
    let mut text = String::new();
    for (name, results) in &findings.results {
        writeln!(text, "{:>9} {:016x} {name}", results.cases, results.digest)
            .expect("writing to a string succeeds");
    }
    text
}

/// Stores the digests of these findings.
///
/// # Errors
/// If the file cannot be written.
pub fn write(findings: &Findings) -> io::Result<()> {
    let temporary = Path::new(FILE).with_extension("part");
    std::fs::write(&temporary, lines(findings))?;
    std::fs::rename(&temporary, FILE)
}

/// The stored digests.
///
/// # Errors
/// If the file cannot be read.
pub fn stored() -> io::Result<String> {
    std::fs::read_to_string(FILE)
}
