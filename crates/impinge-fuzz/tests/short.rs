//! A short run of every fuzz target. `IMPINGE_FUZZ_ITERATIONS` multiplies its length.

#![allow(unsafe_code, reason = "a counting allocator; see its SAFETY notes")]
#![allow(clippy::print_stdout, reason = "the test prints its measurements")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use impinge_fuzz::{TARGETS, mutate::mutate};
use impinge_oracles::common::{Random, count_from};

/// Counts the bytes that the allocations of each thread hold.
struct CountingAllocator;

thread_local! {
    static HELD_BYTES: Cell<isize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD_BYTES.get() + bytes;
    HELD_BYTES.set(held);
    PEAK_BYTES.set(PEAK_BYTES.get().max(held));
}

// SAFETY: every call is passed on to the system's allocator with unchanged arguments.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A target may hold `MAX_BYTES + MAX_BYTES_PER_INPUT_BYTE * size` bytes for an input of `size`
/// bytes.
const MAX_BYTES: isize = 64 << 20;
const MAX_BYTES_PER_INPUT_BYTE: isize = 1000;
/// A target that takes longer for one input counts as hanging, even on a busy machine.
const MAX_TIME_PER_INPUT: Duration = Duration::from_secs(20);

/// Runs the target of this name on its seeds and on mutations of them.
fn run(name: &str) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target of this name");
    let mutations = target.mutations * count_from("IMPINGE_FUZZ_ITERATIONS", 1);
    let mut random = Random::new(1);
    let mut largest = (0, Vec::new());
    for seed in (target.seeds)() {
        (target.run)(&seed);
        for _ in 0..mutations {
            let input = mutate(&seed, &mut random);
            let (start, held) = (Instant::now(), HELD_BYTES.get());
            PEAK_BYTES.set(held);
            (target.run)(&input);
            let (time, peak) = (start.elapsed(), PEAK_BYTES.get() - held);
            let limit = MAX_BYTES + MAX_BYTES_PER_INPUT_BYTE * input.len() as isize;
            assert!(
                peak < limit,
                "{name}: {peak} bytes held, {limit} allowed, for {}",
                input.escape_ascii()
            );
            assert!(time < MAX_TIME_PER_INPUT, "{name}: {time:?} for {}", input.escape_ascii());
            if peak > largest.0 {
                largest = (peak, input);
            }
        }
    }
    println!("{name}: at most {} bytes held, for {} input bytes", largest.0, largest.1.len());
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
    obj stl ply off gltf glb gltf_files any_format scene_toml scene_json scene_load scene_motion
    tree_read snapshot triangles convex
}
