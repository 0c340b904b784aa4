//! Malformed files of every format: no panic, no endless loop, no memory out of proportion to the
//! file, and every loaded document is valid.
//!
//! `impinge-fuzz` tests mutations of the same files.

#![allow(clippy::unwrap_used, reason = "helpers of tests, not library code")]

use impinge_fuzz::readers::seeds::by_format;
use impinge_fuzz::readers::validate;
use impinge_io::{Format, load_bytes};
use impinge_oracles::common::Random;

#[test]
fn unchanged_samples_are_valid() {
    for (format, bytes) in by_format() {
        let document = load_bytes(&bytes, Some(format), "sample").unwrap();
        validate(&document, bytes.len());
        assert!(document.meshes.iter().all(|m| !m.faces.is_empty()), "{format}");
    }
}

#[test]
fn truncated_and_changed_files_do_not_panic() {
    for (format, bytes) in by_format() {
        for n in 0..bytes.len() {
            if let Ok(document) = load_bytes(&bytes[..n], Some(format), "cut") {
                validate(&document, n);
            }
        }
        let mut changed = bytes.clone();
        for i in 0..bytes.len() {
            for value in [0, b'9', b'-', b'\n', b'\\', 0x7f, 0xff] {
                changed[i] = value;
                if let Ok(document) = load_bytes(&changed, Some(format), "changed") {
                    validate(&document, changed.len());
                }
            }
            changed[i] = bytes[i];
        }
    }
}

#[test]
fn reading_any_file_as_any_format_does_not_panic() {
    let mut random = Random::new(7);
    let mut files: Vec<Vec<u8>> = by_format().into_iter().map(|(_, bytes)| bytes).collect();
    files.push(Vec::new());
    files.push(vec![0; 1000]);
    files.push(b"[".repeat(100_000));
    files.push(b"{\"a\":".repeat(100_000));
    files.push(b"\\\n".repeat(100_000));
    // Deep nesting of every kind in TOML.
    for (start, piece, end) in [
        ("", "a.", "b = 1"),
        ("[", "a.", "b]\nc = 1"),
        ("[[", "a.", "b]]\nc = 1"),
        ("a = ", "[", ""),
        ("a = ", "{a=", "1"),
        ("part = ", "[", "1"),
        ("[[part]]\nfile = \"a\"\npose.", "translation.", "x = 1"),
    ] {
        files.push(format!("{start}{}{end}", piece.repeat(20_000)).into_bytes());
    }
    files.push((0..100_000).map(|_| random.bits() as u8).collect());
    for bytes in files {
        for format in Format::ALL {
            if let Ok(document) = load_bytes(&bytes, Some(*format), "any") {
                validate(&document, bytes.len());
            }
        }
    }
}
