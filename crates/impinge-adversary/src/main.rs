//! The adversary as a command: runs a given number of cases and writes a report.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use impinge_adversary::run::{Findings, run};
use impinge_adversary::sample::Sample;
use impinge_adversary::{digests, report};

/// Runs every public query on adversarial inputs and checks the answers in integers.
///
/// A case is one checked answer.
#[derive(Debug, Parser)]
struct Args {
    /// Stop after at least this many cases.
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// The seed of the samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The index of the first sample.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Run only rows whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// Stop after this many seconds, even with fewer cases.
    #[arg(long)]
    seconds: Option<u64>,
    /// The file for the report, as Markdown. By default it is printed.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Rewrite the digests that the test compares with, after an intended change of answers, and
    /// exit.
    #[arg(long)]
    write_digests: bool,
    /// Also print the time spent in each row.
    #[arg(long)]
    times: bool,
    /// Print the sample with this index and its wrong answers, and exit.
    #[arg(long)]
    sample: Option<u64>,
}

/// The number of samples between two progress lines.
const SAMPLES_PER_LINE: u64 = 2_000;

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    // Panics of the library are counted as wrong answers; their messages are in the report.
    std::panic::set_hook(Box::new(|_| {}));
    if args.write_digests {
        let findings = run(digests::SEED, 0..digests::SAMPLES, "");
        eprint!("{}", report::failures(&findings));
        digests::write(&findings).context("cannot write digests.txt")?;
        return Ok(exit_code(&findings));
    }
    if let Some(index) = args.sample {
        println!("{:#?}", Sample::new(args.seed, index));
        let findings = run(args.seed, index..index + 1, &args.only);
        print!("{}", report::failures(&findings));
        return Ok(exit_code(&findings));
    }
    if let Some(out) = &args.out {
        // Checked before the long run, not after it.
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
        findings.add(run(args.seed, next..next + SAMPLES_PER_LINE, &args.only));
        next += SAMPLES_PER_LINE;
        let seconds = start.elapsed().as_secs();
        eprintln!(
            "{seconds:>6} s  {:>12} cases  {:>10} samples  {} wrong",
            findings.cases(),
            findings.samples,
            findings.failed()
        );
        if args.seconds.is_some_and(|limit| seconds >= limit) {
            break;
        }
    }
    let text = report::page(&findings, args.seed, args.first, &args.only);
    match &args.out {
        Some(out) => {
            let temporary = out.with_extension("part");
            std::fs::write(&temporary, text)
                .and_then(|()| std::fs::rename(&temporary, out))
                .with_context(|| format!("cannot write {}", out.display()))?;
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
