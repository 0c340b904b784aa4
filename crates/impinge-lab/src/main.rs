//! Measurements of impinge, each a subcommand that prints a table in Markdown.

#![allow(clippy::print_stdout, reason = "printing tables is what this program is for")]

mod cage;
#[allow(dead_code, reason = "shared by experiments that draw")]
mod chart;
mod peers;
mod plain;
mod pre_checks;
mod random;
#[allow(dead_code, reason = "shared by experiments that write files")]
mod report;
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
    /// Pair queries on the workloads of the peer measurements, as rows for their report.
    Peers(peers::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().experiment {
        Experiment::Triangles(arguments) => triangles::run(&arguments),
        Experiment::PreChecks(arguments) => pre_checks::run(&arguments),
        Experiment::Peers(arguments) => peers::run(&arguments),
    }
}
