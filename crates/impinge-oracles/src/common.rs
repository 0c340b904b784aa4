//! Utilities shared by test files: seeded random numbers, numbers of cases, and paths of real
//! models.
#![allow(clippy::print_stdout, reason = "a test reports what it skipped")]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use glam::DVec3 as Vec3;
use impinge::internals;

/// The environment variable with the folder of a collection of real models.
pub const MODELS: &str = "IMPINGE_MODELS";

/// The path of a file or folder of the collection of real models. Reports that the running test is
/// skipped and returns `None` if there is no collection, or no such file in it.
pub fn model(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(MODELS).filter(|folder| !folder.is_empty()) else {
        // `cargo xtask test` knows this text: without a collection, CI passes.
        skip(&format!("the variable {MODELS} is not set"));
        return None;
    };
    let folder = Path::new(&folder);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("there is no {name} in {}", folder.display()));
    None
}

/// Reports that the running test skips something, also in the list that `cargo xtask test` prints
/// at its end.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    let Some(file) = std::env::var_os("IMPINGE_SKIPPED") else { return };
    // The test harness names each thread after its test.
    let thread = std::thread::current();
    let line = format!("test {}: {reason}\n", thread.name().unwrap_or("without name"));
    let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
    // One write, so that lines of several processes do not mix.
    file.write_all(line.as_bytes()).unwrap();
}

/// The number of cases of a test: the environment variable `name`, or `default`.
pub fn count_from(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// The engine's generator, with the draws that tests use.
#[derive(Clone, Debug)]
pub struct Random(internals::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(internals::Random::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// In `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// In [-1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0.signed()
    }

    /// In the cube [0, 1)^3.
    pub fn unit_point(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// In the cube [-1, 1)^3.
    pub fn point(&mut self) -> Vec3 {
        self.0.in_cube()
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vec3 {
        self.0.direction()
    }

    /// An integer in `-n..=n` as a float.
    pub fn grid(&mut self, n: i32) -> f64 {
        f64::from(self.below(2 * n as usize + 1) as i32 - n)
    }

    pub fn grid_point(&mut self, n: i32) -> Vec3 {
        Vec3::new(self.grid(n), self.grid(n), self.grid(n))
    }
}
