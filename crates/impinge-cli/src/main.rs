//! The `impinge` command: exact clash checks of meshes and assemblies. Parses, calls the library,
//! prints.

mod args;
mod cache;
mod check;
mod decompose;
mod facts;
mod ignore;
mod info;
mod job;
mod pose_arg;
mod progress;
mod render;
mod report;
mod sample;
mod sim;
mod survey;
mod trees;
mod verdict;

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use clap::Parser;

use args::{CheckArgs, Cli, Command, PictureArgs, QueryArgs, SampleArgs};
use job::Job;

/// What the exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing was found: 0.
    Clear,
    /// Something collides, or whatever else `--fail-on` asks for: 1.
    Found,
    /// The question could not be answered: 2.
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
        Some(Command::Sim(args)) => sim::run(args),
        Some(Command::Sample(args)) => run_sample(args),
        None => run_default(),
    };
    match result {
        Ok(status) => status.into(),
        // Whoever reads the output has seen enough: no error, and nobody left to tell.
        Err(error) if is_broken_pipe(&error) => Status::Clear.into(),
        Err(error) => {
            complain(&error);
            Status::Error.into()
        }
    }
}

/// `impinge` alone: its main job, on the sample.
fn run_default() -> Result<Status> {
    let job = Job::from_scene("sample assembly", sample::scene()?);
    let mut out = anstream::stdout();
    writeln!(
        out,
        "The built-in sample assembly, every part against every other, with a clearance of {} mm:\n",
        impinge_samples::shapes::SAMPLE_CLEARANCE
    )?;
    check::run_job(&job, &sample_check(PictureArgs::default()))?;
    writeln!(
        out,
        "\nYour own files:  impinge check gearbox.glb    impinge check arm.stl table.obj --clearance 2"
    )?;
    writeln!(out, "See it, and more: impinge sample --png sample.png    impinge --help")?;
    // A demonstration that found what it was made to show has succeeded.
    Ok(Status::Clear)
}

/// How the sample is checked.
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
                "check it: impinge check {} --clearance {}",
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
fn complain(error: &anyhow::Error) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut err = anstream::stderr().lock();
    // A failure to report a failure has nowhere left to go.
    let _ = writeln!(err, "{}error:{} {error}", red.render(), red.render_reset());
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // A wrapped error may have been said already.
        if !said.contains(&cause) {
            let _ = writeln!(err, "  because: {cause}");
            said = cause;
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

/// `result`, but success where the reader of the output has gone.
pub(crate) fn unless_pipe_closed(result: Result<()>) -> Result<()> {
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
