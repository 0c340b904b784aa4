//! `hulls-beside DIR [S]`: parry's convex hull of each `DIR/*.xyz`, the fastest of at least three
//! rows within `S` seconds; one line of JSON a set.

use std::fs;
use std::panic::catch_unwind;
use std::time::Instant;

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder of point sets");
    let budget: f64 = arguments.next().map_or(0.5, |s| s.parse().expect("seconds"));
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "xyz"));
    files.sort();
    std::panic::set_hook(Box::new(|_| {}));
    for file in files {
        let set = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("text");
        let numbers: Vec<f64> =
            text.split_ascii_whitespace().map(|word| word.parse().expect("a number")).collect();
        let points: Vec<Vector> =
            numbers.chunks_exact(3).map(|p| Vector::new(p[0], p[1], p[2])).collect();
        let result = catch_unwind(|| measure(&points, budget));
        match result {
            Ok(Ok((ms, vertices, faces))) => println!(
                r#"{{"peer":"parry-f64","set":"{set}","ms":{ms:.4},"vertices":{vertices},"faces":{faces}}}"#
            ),
            Ok(Err(why)) => println!(r#"{{"peer":"parry-f64","set":"{set}","failed":"{why}"}}"#),
            Err(_) => println!(r#"{{"peer":"parry-f64","set":"{set}","failed":"panics"}}"#),
        }
    }
}

/// Milliseconds on the processor, in rows of about 50 ms, as `impinge-lab` measures its own.
fn measure(points: &[Vector], budget: f64) -> Result<(f64, usize, usize), String> {
    let build = || std::hint::black_box(try_convex_hull(points)).map_err(|e| format!("{e:?}"));
    let start = Instant::now();
    let hull = build()?;
    let first = start.elapsed().as_secs_f64();
    let count = (0.05 / first.max(1e-7)).ceil().clamp(1.0, 1e5);
    let start = Instant::now();
    let (mut best, mut rows) = (f64::INFINITY, 0);
    while rows < 3 || (rows < 100 && start.elapsed().as_secs_f64() < budget) {
        let (clock, cpu) = (Instant::now(), on_processor());
        for _ in 0..count as usize {
            build()?;
        }
        let wall = clock.elapsed().as_secs_f64();
        let seconds = match (cpu, on_processor()) {
            (Some(from), Some(to)) if wall > 0.02 => wall.min((to - from) as f64 * 1e-9),
            _ => wall,
        };
        best = best.min(seconds / count);
        rows += 1;
        // Sets that take seconds are not built so often.
        if first > 5.0 {
            break;
        }
    }
    Ok((best * 1e3, hull.0.len(), hull.1.len()))
}

/// Nanoseconds this thread has run, where Linux tells.
fn on_processor() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
