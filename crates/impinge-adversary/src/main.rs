//! The adversary by command: as many cases as you like, with a report.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to its user"
)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use impinge_adversary::run::{Findings, run};
use impinge_adversary::sample::Sample;
use impinge_adversary::{digests, report};

/// Asks every public query about inputs made to break it, and judges the answers in integers.
///
/// A case is one step of one sample asked through one row of the table of queries.
#[derive(Debug, Parser)]
struct Args {
    /// Go on until at least this many cases are judged.
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// Which stream of samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first sample of the stream.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Only rows whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Stop after this many seconds; the report says how far it came.
    #[arg(long)]
    seconds: Option<u64>,
    /// Where the report goes, as Markdown. Without it, it is printed.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write the digests that the test compares with, after answers changed on purpose, and stop.
    #[arg(long)]
    write_digests: bool,
    /// Also say which rows took the time.
    #[arg(long)]
    times: bool,
    /// Print this sample and what is wrong about it, and nothing else.
    #[arg(long)]
    sample: Option<u64>,
}

/// Samples between two lines of progress.
const CHUNK: u64 = 2_000;

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    // Panics of the library are findings; their messages are in the report.
    std::panic::set_hook(Box::new(|_| {}));
    if args.write_digests {
        let findings = run(digests::SEED, 0..digests::SAMPLES, "");
        eprint!("{}", report::failures(&findings));
        digests::write(&findings).context("the digests cannot be written")?;
        return Ok(exit_code(&findings));
    }
    if let Some(index) = args.sample {
        println!("{:#?}", Sample::new(args.seed, index));
        let findings = run(args.seed, index..index + 1, &args.only);
        print!("{}", report::failures(&findings));
        return Ok(exit_code(&findings));
    }
    if let Some(out) = &args.out {
        // Found out before the long run, not after it.
        let folder = out.parent().filter(|p| !p.as_os_str().is_empty());
        anyhow::ensure!(
            folder.is_none_or(std::path::Path::is_dir),
            "the folder of {} does not exist; create it first",
            out.display()
        );
    }
    let start = Instant::now();
    let mut findings = Findings::new();
    let mut next = args.first;
    while findings.cases() < args.cases {
        findings.add(run(args.seed, next..next + CHUNK, &args.only));
        next += CHUNK;
        let seconds = start.elapsed().as_secs();
        eprintln!(
            "{seconds:>6} s  {:>12} cases  {:>10} samples  {} wrong",
            findings.cases(),
            findings.samples,
            findings.failed()
        );
        if args.seconds.is_some_and(|most| seconds >= most) {
            break;
        }
    }
    let text = report::page(&findings, args.seed, args.first, &args.only);
    match &args.out {
        Some(out) => {
            let temporary = out.with_extension("part");
            std::fs::write(&temporary, text)
                .and_then(|()| std::fs::rename(&temporary, out))
                .with_context(|| format!("{} cannot be written", out.display()))?;
        }
        None => print!("{text}"),
    }
    if args.times {
        eprint!("{}", report::times(&findings));
    }
    eprint!("{}", report::failures(&findings));
    Ok(exit_code(&findings))
}

fn exit_code(findings: &Findings) -> ExitCode {
    if findings.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
