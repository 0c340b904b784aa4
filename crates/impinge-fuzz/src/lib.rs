//! What is fuzzed: functions of arbitrary bytes that panic if something is wrong.
//!
//! - [`readers`]: every reader of a file format.
//! - [`scenes`]: scenes made of what was read, and scene files that name other files.
//! - [`trees`]: stored trees, with and without a checksum that fits.
//! - [`triangles`], [`convex`]: verdicts against their oracles, on inputs decoded by [`decode`].
//!
//! The targets below `fuzz/` hand the bytes of libFuzzer to these functions. The test `short` hands
//! them a few thousand inputs made by [`mutate`] from the seeds of [`TARGETS`]; the variable
//! `IMPINGE_FUZZ_ITERATIONS` multiplies that.

#![allow(missing_docs, missing_debug_implementations, reason = "read by its users, not published")]
#![allow(clippy::unwrap_used, clippy::must_use_candidate, reason = "a target fails by panicking")]

pub mod convex;
pub mod decode;
pub mod mutate;
pub mod readers;
pub mod scenes;
pub mod trees;
pub mod triangles;

/// A function of arbitrary bytes, and inputs to start from.
pub struct Target {
    /// The name of its binary below `fuzz/`.
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Mutations of each seed in the short run.
    pub mutations: usize,
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "obj", run: readers::obj, seeds: readers::seeds::obj, mutations: 10_000 },
    Target { name: "stl", run: readers::stl, seeds: readers::seeds::stl, mutations: 10_000 },
    Target { name: "ply", run: readers::ply, seeds: readers::seeds::ply, mutations: 10_000 },
    Target { name: "off", run: readers::off, seeds: readers::seeds::off, mutations: 10_000 },
    Target { name: "gltf", run: readers::gltf, seeds: readers::seeds::gltf, mutations: 10_000 },
    Target { name: "glb", run: readers::glb, seeds: readers::seeds::glb, mutations: 10_000 },
    Target { name: "any_format", run: readers::any, seeds: readers::seeds::all, mutations: 10_000 },
    Target { name: "scene_toml", run: scenes::toml, seeds: scenes::seeds::toml, mutations: 2000 },
    Target { name: "scene_json", run: scenes::json, seeds: scenes::seeds::json, mutations: 2000 },
    Target { name: "scene_load", run: scenes::load, seeds: readers::seeds::all, mutations: 1000 },
    Target { name: "tree_read", run: trees::read, seeds: trees::seeds, mutations: 3000 },
    Target { name: "triangles", run: triangles::run, seeds: triangles::seeds, mutations: 20_000 },
    Target { name: "convex", run: convex::run, seeds: convex::seeds, mutations: 2000 },
];

/// Runs the target of this name.
///
/// # Panics
/// If there is no such target, and if the target finds something wrong.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|t| t.name == name);
    let target = target.unwrap_or_else(|| panic!("there is no target `{name}`"));
    (target.run)(bytes);
}
