//! `hulls-beside DIR [S]`: parry's convex hull of each `DIR/*.xyz`, the fastest of at least three times and `S` seconds; one line of JSON a set.

use std::fs;
use std::panic::catch_unwind;
use std::time::Instant;

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder of point sets");
    let budget: f64 = arguments.next().map_or(0.5, |s| s.parse().expect("seconds"));
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
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

fn measure(points: &[Vector], budget: f64) -> Result<(f64, usize, usize), String> {
    let start = Instant::now();
    let (mut ms, mut passes) = (f64::INFINITY, 0);
    loop {
        let clock = Instant::now();
        let hull = std::hint::black_box(try_convex_hull(points)).map_err(|e| format!("{e:?}"))?;
        ms = ms.min(clock.elapsed().as_secs_f64() * 1e3);
        passes += 1;
        // Sets that take minutes are built once.
        let spent = start.elapsed().as_secs_f64();
        if passes >= 3 && (passes >= 1000 || spent >= budget) || spent > 60.0 {
            return Ok((ms, hull.0.len(), hull.1.len()));
        }
    }
}
