//! Lists the fuzz targets, writes their seeds, and runs them without libFuzzer. `cargo xtask fuzz`
//! calls it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use impinge_fuzz::mutate::mutate;
use impinge_fuzz::{TARGETS, Target};
use impinge_oracles::common::Random;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let target = |name: &str| TARGETS.iter().find(|t| t.name == name);
    match args.as_slice() {
        ["list"] => TARGETS.iter().for_each(|t| println!("{}", t.name)),
        ["seeds", name, folder] => {
            let Some(target) = target(name) else { return usage() };
            if let Err(error) = write_seeds(target, Path::new(folder)) {
                eprintln!("{folder}: {error}");
                return ExitCode::FAILURE;
            }
        }
        ["run", name, seconds] => {
            let (Some(target), Ok(seconds)) = (target(name), seconds.parse()) else {
                return usage();
            };
            run(target, Duration::from_secs(seconds));
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: impinge-fuzz list | seeds TARGET FOLDER | run TARGET SECONDS");
    ExitCode::from(2)
}

/// Writes each seed of a target to a file.
fn write_seeds(target: &Target, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (i, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(folder.join(i.to_string()), seed)?;
    }
    Ok(())
}

/// Prints the input that is run when a target panics.
struct Input<'a>(&'a [u8]);

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input is b\"{}\"", self.0.escape_ascii());
        }
    }
}

/// Runs a target on mutations of its seeds, other ones in each run.
fn run(target: &Target, time: Duration) {
    let start = Instant::now();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut random = Random::new(now.as_nanos() as u64);
    let seeds = (target.seeds)();
    let mut count = 0_u64;
    while start.elapsed() < time {
        let input = mutate(&seeds[random.below(seeds.len())], &mut random);
        let guard = Input(&input);
        (target.run)(&input);
        drop(guard);
        count += 1;
    }
    println!("{}: {count} inputs", target.name);
}
