//! `hulls-parry DIR [S]`: builds parry's convex hull of each `DIR/*.xyz` and prints a line of JSON
//! for each, with the fastest of at least three batches within `S` seconds (0.5 by default).

use std::fs;
use std::panic::catch_unwind;
use std::time::Instant;

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("missing argument: the folder of point sets");
    let budget: f64 = arguments.next().map_or(0.5, |s| s.parse().expect("the second argument is the time per set in seconds"));
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of point sets can be read")
        .map(|entry| entry.expect("an entry of the folder can be read").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "xyz"));
    files.sort();
    std::panic::set_hook(Box::new(|_| {}));
    for file in files {
        let set = file.file_stem().expect("a point set has a file name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a point set is UTF-8 text");
        let numbers: Vec<f64> =
            text.split_ascii_whitespace().map(|word| word.parse().expect("a point set contains only numbers")).collect();
        let points: Vec<Vector> =
            numbers.chunks_exact(3).map(|p| Vector::new(p[0], p[1], p[2])).collect();
        let result = catch_unwind(|| measure(&points, budget));
        match result {
            Ok(Ok((ms, vertices, faces))) => println!(
                r#"{{"peer":"parry-f64","set":"{set}","ms":{ms:.4},"vertices":{vertices},"faces":{faces}}}"#
            ),
            Ok(Err(reason)) => println!(r#"{{"peer":"parry-f64","set":"{set}","failed":"{reason}"}}"#),
            Err(_) => println!(r#"{{"peer":"parry-f64","set":"{set}","failed":"panics"}}"#),
        }
    }
}

/// Milliseconds of processor time, in batches of about 50 ms, and the numbers of vertices and
/// faces. `impinge-lab hulls` measures in the same way.
fn measure(points: &[Vector], budget: f64) -> Result<(f64, usize, usize), String> {
    let build = || std::hint::black_box(try_convex_hull(points)).map_err(|e| format!("{e:?}"));
    let start = Instant::now();
    let hull = build()?;
    let first = start.elapsed().as_secs_f64();
    let count = (0.05 / first.max(1e-7)).ceil().clamp(1.0, 1e5);
    let start = Instant::now();
    let (mut best, mut batches) = (f64::INFINITY, 0);
    while batches < 3 || (batches < 100 && start.elapsed().as_secs_f64() < budget) {
        let (clock, cpu) = (Instant::now(), thread_cpu_nanoseconds());
        for _ in 0..count as usize {
            build()?;
        }
        let wall = clock.elapsed().as_secs_f64();
        let seconds = match (cpu, thread_cpu_nanoseconds()) {
            (Some(from), Some(to)) if wall > 0.02 => wall.min((to - from) as f64 * 1e-9),
            _ => wall,
        };
        best = best.min(seconds / count);
        batches += 1;
        // One batch is enough for a set that takes more than 5 s.
        if first > 5.0 {
            break;
        }
    }
    Ok((best * 1e3, hull.0.len(), hull.1.len()))
}

/// The processor time of this thread in nanoseconds, on Linux.
fn thread_cpu_nanoseconds() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
