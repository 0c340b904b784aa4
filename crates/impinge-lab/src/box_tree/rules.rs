//! Parameters that the thesis does not specify: the weight of crossing polygons, gamma, and the
//! largest share of the polygons in a half, lambda.

use anyhow::Result;
use impinge_papers::zachmann::box_tree::{BoxTree, Options, Scratch, Stats};
use impinge_samples::shapes::Model;

use super::bouncing_pair::bouncing_pair;
use super::{Arguments, Flight, Times, Traversal};
use crate::report::{Progress, Report, Table, short};

/// The values of lambda.
const SHARES: [f64; 7] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9];
/// The values of gamma.
const WEIGHTS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];

/// Results of one object, by share and weight.
pub(super) struct Rules {
    shape: Model,
    cells: Vec<Cell>,
}

struct Cell {
    share: f64,
    weight: f64,
    us: f64,
    stats: Stats,
}

pub(super) fn measure(
    shape: Model,
    arguments: &Arguments,
    progress: &mut Progress,
) -> Result<Rules> {
    progress.step(&format!("gamma and lambda: {}", shape.name()));
    let mesh = shape.generate(arguments.max.min(1000), arguments.seed)?;
    let poses = bouncing_pair(&mesh, arguments.depth_frames, 1.2, arguments.seed)?;
    let flight = Flight { mesh: &mesh, poses: &poses };
    let mut scratch = Scratch::default();
    let mut cells = Vec::new();
    for share in SHARES {
        for weight in WEIGHTS {
            let options = Options::DEEP.max_share(share).crossing_weight(weight);
            let tree = BoxTree::build(&mesh, &options)?;
            let mut times = Times::default();
            for _ in 0..arguments.passes.max(1) {
                flight.time_tree(&mut times, &tree, Traversal::THESIS, &mut scratch);
            }
            cells.push(Cell { share, weight, us: times.mean(), stats: tree.stats() });
        }
    }
    Ok(Rules { shape, cells })
}

pub(super) fn report(all: &[Rules], report: &mut Report) {
    report.heading("Parameters that the thesis does not specify: gamma and lambda");
    let Options { max_depth, min_polygons, max_share, crossing_weight, .. } = Options::DEEP;
    report.paragraph(&format!(
        "Objects of about 1000 polygons, maximum depth {max_depth}, at least {min_polygons} polygons a box. Microseconds a frame, and in brackets the depth and how many times the triangles of the mesh the leaves hold. Our defaults are \
         lambda = {max_share} and gamma = {crossing_weight}.",
    ));
    for rules in all {
        let mut headings = vec![format!("{}: lambda", rules.shape.name())];
        headings.extend(WEIGHTS.map(|w| format!("gamma = {w}")));
        let mut table = Table::new(&headings);
        for share in SHARES {
            let mut row = vec![share.to_string()];
            for weight in WEIGHTS {
                let cell = rules.cells.iter().find(|c| c.share == share && c.weight == weight);
                row.push(cell.map_or_else(String::new, |c| {
                    let Stats { depth, triangle_copies, .. } = c.stats;
                    format!("{} ({depth}, {})", short(c.us), short(triangle_copies))
                }));
            }
            table.row(&row);
        }
        report.table(&table);
    }
    report.paragraph(
        "Lambda is decisive: where halves may hold more than about two thirds of the whole, crossing polygons are copied into leaves smaller than themselves, and the same pairs are tested repeatedly. The thesis' estimate of the complexity assumes two \
         thirds, too. Gamma matters little, since the search along each axis ignores it.",
    );
}
