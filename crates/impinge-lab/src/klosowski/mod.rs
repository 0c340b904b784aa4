//! The experiments of Klosowski, Held, Mitchell, Sowizral and Zikan 1998, section 5.2: Tables 1 to
//! 7 and Figure 3, on data sets of the same kind and size.
//!
//! The tables contain the paper's numbers next to ours. Additional tables cover the statements of
//! its text on tumbling (section 4.1), traversals (4.2) and thresholds (4.3). RAPID, which the
//! paper compares with, is represented by our tree of oriented boxes.

mod compare;
mod flight;
mod paper;
mod spheres;
mod tables;

use anyhow::{Result, ensure};
use impinge_papers::klosowski::bv_tree::{
    Measure, Order, SplitPoint, SplitRule, Threshold, TumbleOptions,
};

use crate::common::Common;
use crate::report::{Progress, Report};
use crate::scenes::{DataSet, Scene, Size};
use flight::{Kind, MeasureExtent, Measurements, Rules, measure_production};

/// Arguments of `impinge-lab klosowski`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Seconds after which a flight is not repeated; there are up to five passes.
    #[arg(long, default_value_t = 0.7, value_name = "S")]
    budget: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The four rules that choose an axis, in the order of the paper's tables.
const RULES: [(&str, SplitRule); 4] = [
    ("longest side", SplitRule::LongestSide),
    ("min sum", SplitRule::MinSum),
    ("min max", SplitRule::MinMax),
    ("splatter", SplitRule::Splatter),
];

/// The rules that the paper leaves to future work: all split points, a sample of them, and
/// bottom-up.
const OPEN_RULES: [(&str, SplitRule); 4] = [
    ("all split points, volume", SplitRule::AllPoints(Measure::Volume)),
    ("16 split points, volume", SplitRule::SampledPoints(16, Measure::Volume)),
    ("16 split points, surface", SplitRule::SampledPoints(16, Measure::Surface)),
    ("bottom-up", SplitRule::BottomUp),
];

/// Leaf sizes of the flying object.
const THRESHOLDS: [(&str, Threshold); 6] = [
    ("1", Threshold::Fixed(1)),
    ("5", Threshold::Fixed(5)),
    ("10", Threshold::Fixed(10)),
    ("40 (the paper's)", Threshold::Fixed(40)),
    ("100", Threshold::Fixed(100)),
    ("automatic", Threshold::Automatic),
];

/// The traversals.
const ORDERS: [(&str, Order); 3] = [
    ("Algorithm 1: environment first", Order::Environment),
    ("restarting at the environment's root", Order::Restart),
    ("the larger node first", Order::Larger),
];

/// Methods to move the k-DOPs of the flying object.
const TUMBLES: [(&str, Option<TumbleOptions>); 5] = [
    ("root by hill-climbing, others by vertices (the paper's)", Some(TumbleOptions::published())),
    ("all by vertices", Some(TumbleOptions::approximate())),
    (
        "four levels by hill-climbing, others by vertices",
        Some(TumbleOptions::published().hull_levels(4)),
    ),
    (
        "as the paper's, by corners where they are few",
        Some(TumbleOptions::published().few_corners(true)),
    ),
    ("all by their slabs", None),
];

/// All measurements on one data set.
struct Measured {
    name: &'static str,
    /// Triangles of environment and object, steps, contacts.
    sizes: [u64; 4],
    /// By [`Kind::FLYING`].
    kinds: Vec<Measurements>,
    production: Measurements,
    /// 18-DOPs by [`RULES`], at the mean.
    mean: Vec<Measurements>,
    /// 18-DOPs by [`RULES`], at the median.
    median: Vec<Measurements>,
    /// 18-DOPs by [`OPEN_RULES`].
    open: Vec<Measurements>,
    /// 18-DOPs by [`THRESHOLDS`].
    thresholds: Vec<Measurements>,
    /// 18-DOPs by [`ORDERS`].
    orders: Vec<Measurements>,
    /// 18-DOPs by [`TUMBLES`].
    tumbles: Vec<Measurements>,
}

/// Runs everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit_seconds(&mut arguments.budget, 0.01);
    let arguments = &arguments;
    let size =
        if arguments.common.quick { Size { triangles: 0.005, steps: 0.01 } } else { Size::FULL };
    let extent = MeasureExtent {
        passes: if arguments.common.quick { 1 } else { 5 },
        budget: arguments.budget,
        also_first_contact: false,
    };
    let flights =
        Kind::ALL.len() + 2 * RULES.len() + OPEN_RULES.len() + THRESHOLDS.len() + ORDERS.len() + 2;
    let mut progress = Progress::new(flights * DataSet::ALL.len() + 2);
    let mut measured = Vec::new();
    for set in DataSet::ALL {
        progress.step(&format!("{}: making the scene", set.name()));
        let scene = set.scene(&size, arguments.seed)?;
        measured.push(measure(&scene, &extent, &mut progress)?);
    }
    let mut nested = Vec::new();
    for (number, triangles) in [(6, 2000), (7, 20_000)] {
        let triangles = if arguments.common.quick { triangles / 20 } else { triangles };
        progress.step(&format!("nested spheres of {triangles} triangles"));
        nested.push(spheres::measure(number, triangles)?);
    }

    let mut report = Report::new(
        &arguments.common.out,
        "klosowski",
        "Klosowski et al. 1998, section 5.2: trees of k-DOPs",
    );
    tables::write(&mut report, &measured)?;
    for nested in &nested {
        spheres::write(&mut report, nested)?;
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

fn measure(scene: &Scene, extent: &MeasureExtent, progress: &mut Progress) -> Result<Measured> {
    let mut step = |what: &str| progress.step(&format!("{}: {what}", scene.name));
    let with_first_contact = MeasureExtent { also_first_contact: true, ..*extent };
    step("production tree");
    let production = measure_production(scene, extent);
    let mut run =
        |what: &str, kind: Kind, rules: &Rules, extent: &MeasureExtent| -> Result<Measurements> {
            step(what);
            let measurements = flight::measure(kind, scene, rules, extent)?;
            ensure!(
                measurements.contacts == production.contacts,
                "{}, {what}: {} contacts, the production tree finds {}",
                scene.name,
                measurements.contacts,
                production.contacts
            );
            Ok(measurements)
        };
    let paper = Rules::paper();
    let split = |split: SplitRule, at: SplitPoint| Rules {
        environment: paper.environment.split(split).at(at),
        flying: paper.flying.split(split).at(at),
        ..paper
    };
    let mut kinds = Vec::new();
    for kind in Kind::FLYING {
        kinds.push(run(kind.name(), kind, &Rules::of(kind), &with_first_contact)?);
    }
    let mut by_rule = |rules: &[(&str, SplitRule)], at: SplitPoint| -> Result<Vec<Measurements>> {
        let mut measurements = Vec::new();
        for (name, rule) in rules {
            measurements.push(run(name, Kind::Dop18, &split(*rule, at), extent)?);
        }
        Ok(measurements)
    };
    let mean = by_rule(&RULES, SplitPoint::Mean)?;
    let median = by_rule(&RULES, SplitPoint::Median)?;
    let open = by_rule(&OPEN_RULES, SplitPoint::Mean)?;
    let mut thresholds = Vec::new();
    for (name, threshold) in THRESHOLDS {
        let rules = Rules { flying: paper.flying.threshold(threshold), ..paper };
        thresholds.push(run(&format!("threshold {name}"), Kind::Dop18, &rules, extent)?);
    }
    let mut orders = Vec::new();
    for (name, order) in ORDERS {
        orders.push(run(name, Kind::Dop18, &Rules { order, ..paper }, extent)?);
    }
    let mut tumbles = Vec::new();
    for (name, tumble) in TUMBLES {
        let what = format!("tumbling {name}");
        tumbles.push(run(&what, Kind::Dop18, &Rules { tumble, ..paper }, extent)?);
    }
    let sizes = [
        scene.environment.triangles().len() as u64,
        scene.body.triangles().len() as u64,
        scene.poses.len() as u64,
        production.contacts,
    ];
    Ok(Measured {
        name: scene.name,
        sizes,
        kinds,
        production,
        mean,
        median,
        open,
        thresholds,
        orders,
        tumbles,
    })
}
