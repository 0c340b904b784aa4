//! Measurements of impinge, each a subcommand that prints a table in Markdown.

#![allow(clippy::print_stdout, reason = "printing tables is what this program is for")]

mod peers;
mod plain;
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
    /// Pair queries on the workloads of the peer measurements, as rows for their report.
    Peers(peers::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().experiment {
        Experiment::Triangles(arguments) => triangles::run(&arguments),
        Experiment::Peers(arguments) => peers::run(&arguments),
    }
}
