//! Figures 13 to 17 of Hubbard 1995: stopping at a level of sphere-trees against BSP trees, on
//! pairs of spaceships shaped like lamps, with the engine's exact tree beside them.

mod cases;
mod frames;
mod graded;
mod paper;
mod space_time;
mod text;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use impinge::spheres::SphereTree;
use impinge::{Aabb, Mesh, Vec3};
use impinge_papers::hubbard::bsp::{BspOptions, BspTree};
use impinge_papers::hubbard::spheres::{self, SphereOptions};
use impinge_samples::motion::{MovingScene, Sample};

use crate::common::Common;
use crate::report::Progress;

/// Arguments of `impinge-lab hubbard-spheres`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Pairs of ships with overlapping bounding cubes that are compared; as many as in the paper
    /// unless set.
    #[arg(long, default_value_t = 50_042, value_name = "N")]
    cases: usize,
    /// Ships, with the user's.
    #[arg(long, default_value_t = 11, value_name = "N")]
    ships: usize,
    /// Points on the surface for the sphere-trees; 0 for the builders' default.
    #[arg(long, default_value_t = 0, value_name = "N")]
    samples: usize,
    /// The time of a frame that interrupted sphere-trees keep, in milliseconds.
    #[arg(long, default_value_t = 2.0, value_name = "MS")]
    target: f64,
    /// Frames of the run with this target.
    #[arg(long, default_value_t = 120, value_name = "N")]
    frames: usize,
    /// Near misses of each body at each distance.
    #[arg(long, default_value_t = 60, value_name = "N")]
    poses: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The numbers of levels of the paper's sphere-trees; the next one is exact.
const LEVELS: usize = 4;

/// What is compared.
struct Subjects {
    lamp: Mesh,
    /// The radius of the ball around the lamp's box.
    radius: f64,
    trees: Vec<Built>,
    bsp: BspTree,
    bsp_seconds: f64,
}

/// A sphere-tree by one of the builders.
struct Built {
    name: &'static str,
    tree: SphereTree,
    /// Upper bounds, by level and ball.
    reaches: Vec<Vec<f64>>,
    seconds: f64,
}

impl Subjects {
    /// The tree that the comparison uses, from the medial axis.
    fn medial(&self) -> &Built {
        &self.trees[self.trees.len() - 1]
    }
}

/// Measures and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.cases, 60),
        (&mut arguments.ships, 6),
        (&mut arguments.frames, 4),
    ]);
    ensure!(arguments.target > 0.0, "--target is {}: it must be above 0", arguments.target);
    ensure!(arguments.frames > 0, "--frames is 0: at least one is needed");
    if arguments.common.quick {
        arguments.samples = 300;
    }
    let mut progress = Progress::new(11);
    let moving = MovingScene::sample(Sample::Spaceships, arguments.ships, arguments.seed)?;
    let lamp = moving.scene.parts().first().context("the scene has ships")?.mesh.as_ref().clone();
    let subjects = prepare(lamp, &arguments, &mut progress)?;
    progress.step("flights");
    let poses = cases::poses(&moving, subjects.radius, &arguments)?;
    ensure!(!poses.is_empty(), "no two ships came close; ask for more cases or ships");
    progress.step(&format!("{} pairs", poses.len()));
    let measured = cases::measure(&subjects, &poses)?;
    progress.step("coherence");
    let coherence = cases::coherence(&subjects, &moving, &arguments)?;
    progress.step("whole frames");
    let runs = frames::runs(&subjects, &arguments)?;
    let graded = graded::measure(&arguments, &mut progress)?;
    let path = text::report(&arguments, &subjects, &measured, &coherence, &runs, &graded)?;
    println!("{}", path.display());
    Ok(())
}

fn prepare(lamp: Mesh, arguments: &Arguments, progress: &mut Progress) -> Result<Subjects> {
    let mut options = SphereOptions::default().levels(LEVELS).samples(arguments.samples);
    if arguments.common.quick {
        options = options.fan_out(3).steps(20);
    }
    type Build = fn(&Mesh, &SphereOptions) -> Result<SphereTree, impinge::Error>;
    let builders: [(&'static str, Build); 3] = [
        ("octree", spheres::octree),
        ("annealed", spheres::annealed),
        ("medial axis", spheres::medial),
    ];
    let mut trees = Vec::new();
    for (name, build) in builders {
        progress.step(&format!("sphere-tree: {name}"));
        let start = crate::report::CpuClock::start();
        let tree = build(&lamp, &options)?;
        let seconds = start.seconds();
        let reaches = spheres::reaches(&lamp, &tree);
        trees.push(Built { name, tree, reaches, seconds });
    }
    let start = Instant::now();
    let bsp = BspTree::build(&lamp, &BspOptions::fewest_cuts());
    let bsp_seconds = start.elapsed().as_secs_f64();
    let radius = bounding_radius(&lamp.bounds(), lamp.vertices());
    Ok(Subjects { lamp, radius, trees, bsp, bsp_seconds })
}

/// The radius of the ball around the middle of a box that contains the vertices.
fn bounding_radius(bounds: &Aabb, vertices: &[Vec3]) -> f64 {
    vertices.iter().map(|v| v.distance(bounds.center())).fold(0.0, f64::max)
}
