//! The experiments of Zachmann 1994, section 3.6.5: Figures 3.32 to 3.37 and the table of
//! speed-ups, and the statements of 3.6.3 on memory and building.

pub(crate) mod bouncing_pair;
mod compare;
mod depth;
mod rules;
mod size;

use std::time::Instant;

use anyhow::Result;
use impinge::pair::First;
use impinge::{Mesh, Pose};
use impinge_papers::zachmann::box_tree::{BoxTest, BoxTree, LeafTest, Query, Scratch, traverse};
use impinge_samples::shapes::Model;

use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab box-tree`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of a flight where the depth is varied; the thesis took 2000.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    depth_frames: usize,
    /// Frames of a flight where methods are compared; the thesis took 10,000.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    frames: usize,
    /// The maximum number of polygons of an object.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    max: usize,
    /// Passes over a flight; each frame keeps its fastest.
    #[arg(long, default_value_t = 3, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The thesis' three objects, in the order of its figures.
const OBJECTS: [Model; 3] = [Model::Sphere, Model::Torus, Model::TetraFlake];

/// Measures everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.depth_frames, 10),
        (&mut arguments.frames, 10),
        (&mut arguments.max, 100),
        (&mut arguments.passes, 1),
    ]);
    let arguments = &arguments;
    let mut progress = Progress::new(
        OBJECTS.len() * (1 + depth::steps(arguments) + compare::steps(arguments))
            + size::steps(arguments),
    );
    let rules: Vec<rules::Rules> = OBJECTS
        .into_iter()
        .map(|shape| rules::measure(shape, arguments, &mut progress))
        .collect::<Result<_>>()?;
    let sweeps: Vec<depth::Sweep> = OBJECTS
        .into_iter()
        .map(|shape| depth::sweep(shape, arguments, &mut progress))
        .collect::<Result<_>>()?;
    let best = depth::best_depth(&sweeps);
    let comparisons: Vec<compare::Comparison> = OBJECTS
        .into_iter()
        .map(|shape| compare::compare(shape, best, arguments, &mut progress))
        .collect::<Result<_>>()?;
    let sizes = size::measure(arguments, &mut progress)?;

    let mut report = Report::new(
        &arguments.common.out,
        "zachmann-3-6",
        "Zachmann 1994, section 3.6.5: the box-tree",
    );
    report.paragraph(
        "Two equal objects fly in a cage and bounce off each other and the walls. A frame is one query whether they intersect, which stops at the first witness. Objects are generated, of the same kind and number of \
         polygons, with a radius of about one; the cage is as wide as 1.2 (depth) or 1.0 (comparison) times both objects, which is how we read the thesis' `-e 1.2` and `-e 1.0`. Spheres and tori are made of quadrangles where the thesis' may be \
         of triangles; the tree works on their triangles. Times are means over the frames, each frame the fastest of several passes because the machine ran other processes, one thread. The thesis' times are from an Indigo (R4000, 50 MHz) and \
         an Onyx (R4400, 150 MHz); its figures are curves without numbers in our copy, so ours are compared with the numbers and statements of its text.",
    );
    depth::report(&sweeps, best, &mut report)?;
    rules::report(&rules, &mut report);
    compare::report(&comparisons, best, &mut report)?;
    size::report(&sizes, &mut report);
    println!("{}", report.finish()?.display());
    Ok(())
}

/// Two copies of a mesh in flight: the poses of the second in the frame of the first.
struct Flight<'a> {
    mesh: &'a Mesh,
    poses: &'a [Pose],
}

/// The times of a method's frames. Each is the fastest of all passes, which reduces the influence
/// of other processes.
#[derive(Clone, Debug, Default)]
struct Times {
    us: Vec<f64>,
    hits: usize,
}

impl Times {
    /// Microseconds a frame, on average.
    fn mean(&self) -> f64 {
        self.us.iter().sum::<f64>() / self.us.len().max(1) as f64
    }
}

impl Flight<'_> {
    /// One pass of a query that returns whether the objects intersect.
    fn time(&self, times: &mut Times, mut meet: impl FnMut(&Pose) -> bool) {
        times.us.resize(self.poses.len(), f64::INFINITY);
        times.hits = 0;
        for (pose, best) in self.poses.iter().zip(&mut times.us) {
            let start = Instant::now();
            times.hits += usize::from(meet(pose));
            *best = best.min(start.elapsed().as_secs_f64() * 1e6);
        }
    }

    /// As [`Flight::time`], for box-trees.
    fn time_tree(
        &self,
        times: &mut Times,
        tree: &BoxTree,
        traversal: Traversal,
        scratch: &mut Scratch,
    ) {
        let body = (self.mesh, tree);
        self.time(times, |pose| {
            let mut first = First::default();
            let Traversal { boxes, leaves, collect } = traversal;
            let query = Query::new(body, body, pose).expect("the tree is that of the mesh");
            let query = query.boxes(boxes).leaves(leaves).collect(collect);
            traverse(&query, scratch, &mut first);
            first.pair.is_some()
        });
    }
}

/// How a box-tree is traversed.
#[derive(Clone, Copy, Debug)]
struct Traversal {
    boxes: BoxTest,
    leaves: LeafTest,
    collect: bool,
}

impl Traversal {
    /// As in the thesis.
    const THESIS: Self = Self { boxes: BoxTest::Clipping, leaves: LeafTest::Edges, collect: true };
}
