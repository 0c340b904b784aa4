//! A short run of every fuzz target. `IMPINGE_FUZZ_ITERATIONS` multiplies its length.

#![allow(unsafe_code, reason = "an allocator that counts; see the note at the block")]
#![allow(clippy::print_stdout, reason = "a test reports what it measured")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use impinge_fuzz::{TARGETS, mutate::mutate};
use impinge_oracles::common::{Random, count_from};

/// Counts the bytes that a thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's promises are the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes a target may hold for an input: this much, and so many times its size.
const ALLOWED: (isize, isize) = (64 << 20, 1000);
/// An input that takes longer hangs, even on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(20);

/// Runs the target of this name on its seeds and on mutations of them.
fn run(name: &str) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target of this name");
    let mutations = target.mutations * count_from("IMPINGE_FUZZ_ITERATIONS", 1);
    let mut random = Random(1);
    let mut most = (0, Vec::new());
    for seed in (target.seeds)() {
        (target.run)(&seed);
        for _ in 0..mutations {
            let input = mutate(&seed, &mut random);
            let (start, held) = (Instant::now(), HELD.get());
            MOST.set(held);
            (target.run)(&input);
            let (time, held) = (start.elapsed(), MOST.get() - held);
            let limit = ALLOWED.0 + ALLOWED.1 * input.len() as isize;
            assert!(held < limit, "{name}: {held} bytes for {}", input.escape_ascii());
            assert!(time < LONGEST, "{name}: {time:?} for {}", input.escape_ascii());
            if held > most.0 {
                most = (held, input);
            }
        }
    }
    println!("{name}: at most {} bytes held, for {} bytes", most.0, most.1.len());
}

macro_rules! short_runs {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        #[test]
        fn every_target_has_a_short_run_and_a_binary() {
            let names = [$(stringify!($name)),*];
            assert_eq!(TARGETS.iter().map(|t| t.name).collect::<Vec<_>>(), names);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("fuzz/Cargo.toml");
            let manifest: toml::Table = manifest.parse().expect("a manifest");
            let binaries = manifest["bin"].as_array().expect("a list of binaries");
            let binaries = binaries.iter().map(|b| b["name"].as_str().expect("a name"));
            assert_eq!(binaries.collect::<Vec<_>>(), names);
            for name in names {
                let file = folder.join(format!("fuzz_targets/{name}.rs"));
                let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                assert!(text.contains(&format!("\"{name}\"")), "{}", file.display());
            }
        }
    };
}

short_runs! {
    obj stl ply off gltf glb any_format scene_toml scene_json scene_load tree_read triangles convex
}
