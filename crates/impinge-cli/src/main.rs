//! The `impinge` command: exact clash checks of meshes and assemblies. It parses arguments, calls
//! the library and prints results.

mod args;
mod cache;
mod check;
mod decompose;
mod facts;
mod ignore;
mod info;
mod job;
mod outputs;
mod pair_result;
mod pairs;
mod pose_arg;
mod progress;
mod render;
mod report;
mod sample;
mod sim;
mod sphere_formats;
mod spheres;
mod trees;

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use clap::Parser;

use args::{CheckArgs, Cli, Command, PictureArgs, QueryArgs, SampleArgs};
use job::Job;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: nothing was found.
    Clear,
    /// 1: some pair has a relation selected by `--fail-on`; by default, a collision.
    Found,
    /// 2: an error; there is no result.
    Error,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clear => 0,
            Status::Found => 1,
            Status::Error => 2,
        })
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Decompose(args)) => decompose::run(args),
        Some(Command::Spheres(args)) => spheres::run(args),
        Some(Command::Sim(args)) => sim::run(args),
        Some(Command::Sample(args)) => run_sample(args),
        None => run_default(),
    };
    match result {
        Ok(status) => status.into(),
        // The reader closed the pipe (`impinge info ... | head`): not an error.
        Err(error) if is_broken_pipe(&error) => Status::Clear.into(),
        Err(error) => {
            print_error(&error);
            Status::Error.into()
        }
    }
}

/// `impinge` without arguments: checks the sample assembly.
fn run_default() -> Result<Status> {
    let job = Job::from_scene("sample assembly", sample::scene()?);
    let mut out = anstream::stdout();
    writeln!(
        out,
        "Built-in sample assembly, every part against every other, clearance {} mm:\n",
        impinge_samples::shapes::SAMPLE_CLEARANCE
    )?;
    check::run_job(&job, &sample_check(PictureArgs::default()))?;
    writeln!(
        out,
        "\nYour own files:  impinge check gearbox.glb    impinge check arm.stl table.obj --clearance 2"
    )?;
    writeln!(out, "Picture and help: impinge sample --png sample.png    impinge --help")?;
    // The sample is made to collide, so collisions are not a failure here.
    Ok(Status::Clear)
}

/// The arguments of `impinge check` for the sample.
fn sample_check(picture: PictureArgs) -> CheckArgs {
    let query = QueryArgs {
        clearance: Some(impinge_samples::shapes::SAMPLE_CLEARANCE),
        ..QueryArgs::default()
    };
    CheckArgs { query, picture, ..CheckArgs::default() }
}

fn run_sample(args: &SampleArgs) -> Result<Status> {
    if let Some(folder) = &args.write {
        let files = sample::write(folder)?;
        let mut out = anstream::stdout();
        for file in &files {
            writeln!(out, "wrote {}", file.display())?;
        }
        if let Some(first) = files.first() {
            writeln!(
                out,
                "to check it: impinge check {} --clearance {}",
                first.display(),
                impinge_samples::shapes::SAMPLE_CLEARANCE
            )?;
        }
        return Ok(Status::Clear);
    }
    let job = Job::from_scene("sample assembly", sample::scene()?);
    check::run_job(&job, &sample_check(args.picture.clone()))
}

/// Prints an error and its causes to standard error.
fn print_error(error: &anyhow::Error) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut err = anstream::stderr().lock();
    // A failure to write to standard error cannot be reported anywhere.
    let _ = writeln!(err, "{}error:{} {error}", red.render(), red.render_reset());
    let mut printed = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Some errors repeat the message of their cause; it is printed once.
        if !printed.contains(&cause) {
            let _ = writeln!(err, "  cause: {cause}");
            printed = cause;
        }
    }
}

/// Prints a note to standard error.
pub(crate) fn note(text: &str) {
    let yellow = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let _ = writeln!(
        anstream::stderr().lock(),
        "{}note:{} {text}",
        yellow.render(),
        yellow.render_reset()
    );
}

/// `result`, except that a closed pipe counts as success.
pub(crate) fn ignore_broken_pipe(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        other => other,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json =
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
