//! Measurements of impinge, each a subcommand that prints a table in Markdown.

#![allow(clippy::print_stdout, reason = "the program prints tables")]

mod assemblies;
mod bodies;
mod box_tree;
mod boxes;
mod cage;
mod capacity;
mod closest_feature;
mod common;
mod convex_batch;
mod deform;
mod far;
mod flight;
mod frames;
mod growth;
mod hubbard_motion;
mod hubbard_spheres;
mod hulls;
mod klosowski;
mod leung;
mod locate;
mod methods;
mod overshoot;
mod peers;
mod plain;
mod pre_checks;
mod report;
mod scenes;
mod spheres;
mod support;
mod threads;
mod timing;
mod triangles;
mod world;
mod zachmann_convex;
mod zachmann_global;

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
    /// Zachmann's tables of section 3.2: the time that each pre-check saves.
    PreChecks(pre_checks::Arguments),
    /// Tables 1 to 7 and Figure 3 of Klosowski et al. 1998, with the paper's numbers.
    Klosowski(klosowski::Arguments),
    /// Deforming meshes: refitting and partial rebuilding against a new build, and trees from
    /// files.
    Deform(deform::Arguments),
    /// Zachmann's Figures 3.32 to 3.37 and the table of section 3.6.5: the box-tree.
    BoxTree(box_tree::Arguments),
    /// Figures 6.3 to 6.11 of Leung 1996: separating vectors compared with closest features.
    Leung(leung::Arguments),
    /// Figures 13 to 17 of Hubbard 1995: levels of sphere-trees compared with BSP trees.
    HubbardSpheres(hubbard_spheres::Arguments),
    /// Zachmann's tables and figures of section 3.4: convex bodies by clipping and by planes.
    #[command(name = "zachmann-3-4")]
    ZachmannConvex(zachmann_convex::Arguments),
    /// Figures 7, 11 and 12 of Hubbard 1995: space-time bounds.
    HubbardMotion(hubbard_motion::Arguments),
    /// All relations within whole assemblies, compared with FCL.
    Assemblies(assemblies::Arguments),
    /// Point in solid through the tree, compared with a query that visits every triangle.
    Locate(locate::Arguments),
    /// Levels of balls that cover a surface: certified reach, and the time to build.
    Spheres(spheres::Arguments),
    /// Time of queries from a thousand to a million triangles.
    Growth(growth::Arguments),
    /// Distances of meshes that are far apart, compared with their sizes.
    Far(far::Arguments),
    /// Queries within a budget: by how much they are late, and what a budget costs.
    Overshoot(overshoot::Arguments),
    /// Frames within a budget, under loads from a tenth to a hundred times what fits.
    Frames(frames::Arguments),
    /// All pairs of two large meshes, and building a tree, with one and more threads.
    Threads(threads::Arguments),
    /// Writes workloads for the peer commands: generated meshes, hulls and poses.
    Workloads(peers::workloads::Arguments),
    /// Pair queries on the workloads of the peer measurements, as rows for the report on them.
    Peers(peers::Arguments),
    /// Queries of two hulls on the workloads of the peer measurements, as rows for the report on
    /// them.
    PeersConvex(peers::Arguments),
    /// Moving boxes of the peer measurements, one row for each broad phase.
    PeersBroad(peers::broad::Arguments),
    /// Broad phases on other kinds of moving boxes; or writes these boxes to files for the peers.
    BroadScenes(boxes::table::Arguments),
    /// Time of each method for a pair check, and the constants of the world's cost model.
    Methods(methods::Arguments),
    /// Whole frames of many bodies, stage by stage, and Leung's pipeline.
    World(world::Arguments),
    /// Zachmann's tables and figures of sections 5.4, 5.5 and 6.6: octrees, grids, processors.
    #[command(name = "zachmann-5")]
    ZachmannGlobal(zachmann_global::Arguments),
    /// Time of a verdict on two moving hulls over their number of vertices.
    ConvexGrowth(leung::query_growth::Arguments),
    /// Many pairs of hulls: one by one, sorted, and in parallel.
    ConvexBatch(convex_batch::Arguments),
    /// Searches for the support vertex: time, memory and preparation.
    Support(support::Arguments),
    /// Building hulls, compared with other libraries.
    Hulls(hulls::Arguments),
    /// The table of hull queries of all peers, from the rows that each of them wrote.
    ConvexTable(peers::table::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().experiment {
        Experiment::Triangles(arguments) => triangles::run(arguments),
        Experiment::PreChecks(arguments) => pre_checks::run(arguments),
        Experiment::Klosowski(arguments) => klosowski::run(arguments),
        Experiment::Deform(arguments) => deform::run(arguments),
        Experiment::BoxTree(arguments) => box_tree::run(arguments),
        Experiment::Leung(arguments) => leung::run(arguments),
        Experiment::HubbardSpheres(arguments) => hubbard_spheres::run(arguments),
        Experiment::ZachmannConvex(arguments) => zachmann_convex::run(arguments),
        Experiment::HubbardMotion(arguments) => hubbard_motion::run(arguments),
        Experiment::Assemblies(arguments) => assemblies::run(arguments),
        Experiment::Locate(arguments) => locate::run(arguments),
        Experiment::Spheres(arguments) => spheres::run(&arguments),
        Experiment::Growth(arguments) => growth::run(arguments),
        Experiment::Far(arguments) => far::run(arguments),
        Experiment::Overshoot(arguments) => overshoot::run(arguments),
        Experiment::Frames(arguments) => frames::run(arguments),
        Experiment::Threads(arguments) => threads::run(arguments),
        Experiment::Workloads(arguments) => peers::workloads::run(arguments),
        Experiment::Peers(arguments) => peers::mesh::run(arguments),
        Experiment::PeersConvex(arguments) => peers::convex::run(arguments),
        Experiment::PeersBroad(arguments) => peers::broad::run(&arguments),
        Experiment::BroadScenes(arguments) => boxes::table::run(arguments),
        Experiment::Methods(arguments) => methods::run(arguments),
        Experiment::World(arguments) => world::run(arguments),
        Experiment::ZachmannGlobal(arguments) => zachmann_global::run(arguments),
        Experiment::ConvexGrowth(arguments) => leung::query_growth::run(arguments),
        Experiment::ConvexBatch(arguments) => convex_batch::run(arguments),
        Experiment::Support(arguments) => support::run(arguments),
        Experiment::Hulls(arguments) => hulls::run(arguments),
        Experiment::ConvexTable(arguments) => peers::table::run(&arguments),
    }
}
