//! Measurements of impinge, each a subcommand that prints a table in Markdown.

#![allow(clippy::print_stdout, reason = "printing tables is what this program is for")]

mod cage;
mod deform;
mod peers;
mod plain;
mod pre_checks;
mod random;
mod triangles;

use clap::{Parser, Subcommand};

/// Measurements of impinge.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// The exact triangle test against the same test in plain floats.
    Triangles(triangles::Arguments),
    /// Zachmann's tables of section 3.2: what each pre-check saves.
    PreChecks(pre_checks::Arguments),
    /// Deforming meshes: refitting and rebuilding against building anew, and trees from files.
    Deform(deform::Arguments),
    /// Pair queries on the workloads of the peer measurements, as rows for their report.
    Peers(peers::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().experiment {
        Experiment::Triangles(arguments) => triangles::run(&arguments),
        Experiment::PreChecks(arguments) => pre_checks::run(&arguments),
        Experiment::Deform(arguments) => deform::run(&arguments),
        Experiment::Peers(arguments) => peers::run(&arguments),
    }
}
