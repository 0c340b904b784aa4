//! Whole assemblies: all verdicts of `impinge check` on one thread, compared with FCL's
//! intersection tests.

mod fcl;
mod parts;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use impinge::check::{
    CheckOptions, PairReport, Relation, candidate_pairs, check_pair, first_equal_pairs,
};
use impinge::{Mesh, Pose, Scene};
use std::sync::Arc;

use crate::common::Common;
use crate::report::{CpuClock, Progress, Report, Table, count, short};
use fcl::Fcl;
use parts::{Assembly, assemblies};

/// Arguments of `impinge-lab assemblies`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The FCL runner, built from `crates/impinge-lab/peers/fcl_assembly.cpp`; without it the
    /// columns of FCL stay empty.
    #[arg(long, value_name = "PROGRAM")]
    fcl: Option<PathBuf>,
    /// A folder with `assemblies`, `bullet_differential`, `fcl_mechanisms` and `ifc`; without it
    /// only generated assemblies are measured.
    #[arg(long, value_name = "DIR")]
    meshes: Option<PathBuf>,
    /// Only assemblies with this in their name.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Rounds; each library runs once in every round and keeps its fastest.
    #[arg(long, default_value_t = 15, value_name = "N")]
    rounds: usize,
}

/// Seconds and results of a round.
#[derive(Clone, Debug)]
struct Round {
    build: f64,
    ask: f64,
    /// Pairs whose boxes overlap.
    asked: usize,
    /// Pairs of them that differ in a mesh or in the relative pose.
    different: usize,
    /// Pairs whose surfaces share a point.
    meet: usize,
    /// Pairs that only touch.
    touch: usize,
    /// Pairs whose surfaces share no point although the parts are not clear.
    inside: usize,
}

impl Round {
    fn total(&self) -> f64 {
        self.build + self.ask
    }

    fn faster(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.total() < self.total() => other,
            _ => self,
        }
    }
}

/// Measures every assembly and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.rounds, 1)]);
    let arguments = &arguments;
    let rounds = arguments.rounds.max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut assemblies = assemblies(arguments.meshes.as_deref())?;
    if let Some(only) = &arguments.only {
        assemblies.retain(|assembly| assembly.name.contains(only.as_str()));
        ensure!(!assemblies.is_empty(), "no assembly has {only:?} in its name");
    }
    let mut progress = Progress::new(assemblies.len());
    let mut table = Table::new([
        "assembly",
        "parts",
        "triangles",
        "pairs",
        "different",
        "crossing or inside",
        "touching",
        "impinge, ms: meshes",
        "all verdicts",
        "FCL, ms: models",
        "yes or no",
        "collide",
        "FCL / impinge",
    ]);
    for assembly in &assemblies {
        progress.step(&assembly.name);
        let mut fcl = match &arguments.fcl {
            Some(program) => Some(Fcl::start(program, &arguments.common.out, assembly)?),
            None => None,
        };
        let (mut own, mut other) = (None, None);
        for _ in 0..rounds {
            let round = pool.install(|| check(assembly))?;
            own = Some(round.faster(own));
            if let Some(fcl) = &mut fcl {
                other = Some(fcl.round()?.faster(other));
            }
        }
        let own = own.context("no rounds")?;
        let ms = |seconds: f64| short(seconds * 1e3);
        let mut cells = vec![
            assembly.name.clone(),
            count(assembly.parts.len() as u64),
            count(assembly.triangles() as u64),
            count(own.asked as u64),
            count(own.different as u64),
            count((own.meet + own.inside - own.touch) as u64),
            count(own.touch as u64),
            ms(own.build),
            ms(own.ask),
        ];
        cells.extend(other.map_or_else(
            || vec![String::new(); 4],
            |fcl| {
                let ratio = fcl.total() / own.total();
                vec![ms(fcl.build), ms(fcl.ask), count(fcl.meet as u64), format!("{ratio:.1}")]
            },
        ));
        table.row(cells);
    }
    let mut report =
        Report::new(&arguments.common.out, "assemblies", "Assemblies, compared with FCL");
    report.paragraph(
        "From arrays of vertices and triangles to answers about all pairs of parts, by one thread. \
         impinge: checked meshes, boxes, then the relations of `impinge check` of all pairs whose \
         boxes overlap (`check_pair`: crossing, touching, inside, duplicate or clear, exactly), \
         trees and topology included. As in the command, pairs of the same two meshes at the same \
         relative pose are checked once (`first_equal_pairs`); the column \"different\" counts the \
         others. FCL 0.7: one `BVHModel<OBBRSS>` a \
         mesh, its own dynamic tree of boxes, and `collide` for one contact a pair: yes or no, in \
         floating point. Both share the meshes of equal parts, except in rows with \"separate \
         meshes\": there every part has its own mesh, as in files without instances. Parsing is not \
         timed. CPU time. The two libraries alternate; each keeps its fastest round.",
    );
    report.table(&table);
    println!("{}", report.finish()?.display());
    Ok(())
}

/// One round: the verdicts of all pairs.
fn check(assembly: &Assembly) -> Result<Round> {
    let input = assembly.meshes.clone();
    let watch = CpuClock::start();
    let mut meshes = Vec::with_capacity(input.len());
    for (vertices, triangles) in input {
        meshes.push(Arc::new(Mesh::from_triangles(vertices, triangles)?));
    }
    let mut scene = Scene::new();
    for (mesh, pose) in &assembly.parts {
        scene.add(String::new(), meshes[*mesh].clone(), *pose);
    }
    let build = watch.seconds();
    let watch = CpuClock::start();
    let pairs = candidate_pairs(&scene, 0.0);
    let (mut meet, mut touch, mut inside) = (0, 0, 0);
    let options = CheckOptions::default().relation_only(true);
    let first = first_equal_pairs(&scene, &pairs);
    let mut reports: Vec<PairReport> = Vec::with_capacity(pairs.len());
    for (at, &(i, j)) in pairs.iter().enumerate() {
        let report = if first[at] < at {
            reports[first[at]].clone()
        } else {
            let (a, b) = (&scene.parts()[i], &scene.parts()[j]);
            let pose = Pose::relative(&a.pose, &b.pose);
            check_pair(&a.mesh, &b.mesh, &pose, &options)
        };
        meet += usize::from(report.hit_count > 0);
        touch += usize::from(report.relation == Relation::Touching);
        inside += usize::from(report.hit_count == 0 && report.relation != Relation::Clear);
        reports.push(report);
    }
    let ask = watch.seconds();
    let different = first.iter().enumerate().filter(|(at, first)| at == *first).count();
    Ok(Round { build, ask, asked: pairs.len(), different, meet, touch, inside })
}
