//! The functions that are fuzzed. Each takes arbitrary bytes and panics if a check fails.
//!
//! - [`readers`]: every reader of a file format.
//! - [`scenes`]: scenes built from loaded documents, scene files that name other files, and their
//!   motions.
//! - [`trees`]: stored trees, with a valid and an invalid checksum.
//! - [`snapshots`]: serialised worlds, meshes, hulls, reports, poses and boxes.
//! - [`triangles`], [`convex`]: verdicts against their oracles, on inputs decoded by [`decode`].
//!
//! The targets below `fuzz/` pass the bytes of libFuzzer to these functions. The test `short`
//! passes them a few thousand inputs made by [`mutate`] from the seeds of [`TARGETS`]; the
//! environment variable `IMPINGE_FUZZ_ITERATIONS` multiplies their number.
//!
//! Files that inputs may name are in [`folder`].

#![allow(missing_docs, missing_debug_implementations, reason = "not published")]
#![allow(clippy::unwrap_used, clippy::must_use_candidate, reason = "a target fails by panicking")]

pub mod convex;
pub mod decode;
pub mod folder;
pub mod mutate;
pub mod readers;
pub mod scenes;
pub mod snapshots;
pub mod trees;
pub mod triangles;

/// A function of arbitrary bytes, and inputs to start from.
pub struct Target {
    /// The name of its binary below `fuzz/`.
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The number of mutations of each seed in the short run.
    pub mutations: usize,
}

/// All fuzz targets.
pub const TARGETS: &[Target] = &[
    Target { name: "obj", run: readers::obj, seeds: readers::seeds::obj, mutations: 10_000 },
    Target { name: "stl", run: readers::stl, seeds: readers::seeds::stl, mutations: 10_000 },
    Target { name: "ply", run: readers::ply, seeds: readers::seeds::ply, mutations: 10_000 },
    Target { name: "off", run: readers::off, seeds: readers::seeds::off, mutations: 10_000 },
    Target { name: "gltf", run: readers::gltf, seeds: readers::seeds::gltf, mutations: 10_000 },
    Target { name: "glb", run: readers::glb, seeds: readers::seeds::glb, mutations: 10_000 },
    Target {
        name: "gltf_files",
        run: readers::gltf_files,
        seeds: readers::seeds::gltf_files,
        mutations: 3000,
    },
    Target { name: "any_format", run: readers::any, seeds: readers::seeds::all, mutations: 10_000 },
    Target { name: "scene_toml", run: scenes::toml, seeds: scenes::seeds::toml, mutations: 2000 },
    Target { name: "scene_json", run: scenes::json, seeds: scenes::seeds::json, mutations: 2000 },
    Target { name: "scene_load", run: scenes::load, seeds: readers::seeds::all, mutations: 1000 },
    Target {
        name: "scene_motion",
        run: scenes::motion,
        seeds: scenes::seeds::motion,
        mutations: 1000,
    },
    Target { name: "tree_read", run: trees::read, seeds: trees::seeds, mutations: 3000 },
    Target {
        name: "snapshot",
        run: snapshots::read,
        seeds: snapshots::seeds::all,
        mutations: 5000,
    },
    Target { name: "triangles", run: triangles::run, seeds: triangles::seeds, mutations: 20_000 },
    Target { name: "convex", run: convex::run, seeds: convex::seeds, mutations: 2000 },
];

/// Runs the target of this name.
///
/// # Panics
/// If there is no such target, or if a check of the target fails.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|t| t.name == name);
    let target = target
        .unwrap_or_else(|| panic!("unknown fuzz target `{name}`; see TARGETS in impinge-fuzz"));
    (target.run)(bytes);
}
