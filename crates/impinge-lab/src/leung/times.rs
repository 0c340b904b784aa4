//! Figures 6.6 to 6.11: time over translation, rotation and density, for bodies of 20 and of 500
//! vertices.

use anyhow::Result;

use super::Arguments;
use super::methods::{Method, Replay, Timed};
use super::world::{Setting, Shape, record};
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The parameter that a figure varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Velocity,
    Rotation,
    Density,
}

impl Parameter {
    pub(super) const ALL: [Self; 3] = [Self::Velocity, Self::Rotation, Self::Density];

    fn values(self) -> &'static [f64] {
        match self {
            Self::Velocity => &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0],
            Self::Rotation => &[5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0],
            Self::Density => &[2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0],
        }
    }

    fn axis(self) -> &'static str {
        match self {
            Self::Velocity => "translation, % of the radius a frame",
            Self::Rotation => "rotation, degrees a frame",
            Self::Density => "density, % of the room in bounding spheres",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Velocity => "translation",
            Self::Rotation => "rotation",
            Self::Density => "density",
        }
    }

    fn set(self, setting: &mut Setting, value: f64) {
        match self {
            Self::Velocity => setting.velocity = value / 100.0,
            Self::Rotation => setting.rotation = value,
            Self::Density => setting.density = value / 100.0,
        }
    }
}

/// The measurements of a figure.
pub(super) struct Sweep {
    parameter: Parameter,
    vertices: usize,
    rows: Vec<Row>,
}

struct Row {
    value: f64,
    requests: usize,
    hits: usize,
    timed: [Timed; 4],
}

impl Row {
    fn microseconds(&self, method: Method) -> f64 {
        Method::ALL.iter().position(|m| *m == method).map_or(f64::NAN, |i| self.timed[i].frame)
    }

    /// The speed-up over closest features.
    fn speedup(&self, method: Method) -> f64 {
        self.microseconds(Method::Features) / self.microseconds(method)
    }
}

/// The numbers of vertices of the bodies.
const SIZES: [usize; 2] = [20, 500];

/// Bodies of all three shapes together, as in the thesis.
const BODIES: usize = 100;

/// The number of progress steps.
pub(super) const STEPS: usize = SIZES.len() * Parameter::ALL.len();

pub(super) fn measure_all(arguments: &Arguments, progress: &mut Progress) -> Result<Vec<Sweep>> {
    let mut sweeps = Vec::new();
    for parameter in Parameter::ALL {
        for vertices in SIZES {
            progress.step(&format!("time: {}, n = {vertices}", parameter.name()));
            let mut rows = Vec::new();
            for value in parameter.values() {
                let mut setting = Setting::thesis(
                    &Shape::ALL,
                    vertices,
                    BODIES,
                    arguments.frames,
                    arguments.seed,
                );
                parameter.set(&mut setting, *value);
                let recording = record(&setting)?;
                let replay = Replay::new(&recording)?;
                let timed = Method::ALL.map(|method| replay.time(method, arguments.passes));
                rows.push(Row {
                    value: *value,
                    requests: recording.requests(),
                    hits: recording.hits,
                    timed,
                });
            }
            sweeps.push(Sweep { parameter, vertices, rows });
        }
    }
    Ok(sweeps)
}

pub(super) fn report(sweeps: &[Sweep], arguments: &Arguments, report: &mut Report) -> Result<()> {
    for (sweep, number) in sweeps.iter().zip(6..) {
        let title =
            format!("Figure 6.{number}: {}, n = {}", sweep.parameter.name(), sweep.vertices);
        report.heading(&title);
        let mut chart = Chart::new(title, Axis::linear(sweep.parameter.axis()), Axis::log("\u{3bc}s a frame")).caption(format!(
            "{BODIES} bodies, a third of each shape, {} frames, only the tests of pairs whose boxes overlap.",
            arguments.frames
        ));
        let mut headings = vec![sweep.parameter.axis().to_owned()];
        headings.extend(Method::ALL.map(|m| format!("{}, \u{3bc}s a frame", m.name())));
        headings.extend(
            [
                "features over vector",
                "features over combined",
                "vector, ns a test",
                "steps a test: features",
                "vector",
                "tests a frame",
                "of them hits",
                "walks at step limit",
            ]
            .map(str::to_owned),
        );
        let mut table = Table::new(&headings);
        for row in &sweep.rows {
            let mut cells = vec![short(row.value)];
            cells.extend(row.timed.iter().map(|t| short(t.frame)));
            cells.extend([
                short(row.speedup(Method::Vectors)),
                short(row.speedup(Method::Combined)),
            ]);
            cells.extend([row.timed[3].request, row.timed[0].steps, row.timed[3].steps].map(short));
            cells.push(short(row.requests as f64 / arguments.frames as f64));
            cells.push(format!("{:.1} %", 100.0 * row.hits as f64 / row.requests.max(1) as f64));
            cells.push(count(row.timed[0].fallbacks as u64));
            table.row(&cells);
        }
        for method in Method::ALL {
            let points =
                sweep.rows.iter().map(|row| (row.value, row.microseconds(method))).collect();
            chart = chart.series(method.name(), Mark::LineAndDots, points);
        }
        report.figure(
            &format!("figure-6-{number}"),
            &format!("Time over {}", sweep.parameter.name()),
            &chart,
        )?;
        report.table(&table);
        report.paragraph(&sentence(sweep));
    }
    Ok(())
}

/// The statement of the thesis and our results.
fn sentence(sweep: &Sweep) -> String {
    let (Some(first), Some(last)) = (sweep.rows.first(), sweep.rows.last()) else {
        return String::new();
    };
    let speedups = |method| sweep.rows.iter().map(move |row| row.speedup(method));
    let min = speedups(Method::Vectors).fold(f64::INFINITY, f64::min);
    let max = speedups(Method::Vectors).fold(0.0, f64::max);
    let combined = speedups(Method::Combined).fold(f64::INFINITY, f64::min);
    let gilbert = speedups(Method::Gilbert).filter(|g| *g > 1.0).count();
    // Per test, because the boxes of faster bodies overlap more often.
    let growth = |i: usize| last.timed[i].request / first.timed[i].request;
    let (vector, features) = (growth(3), growth(0));
    let ours = format!(
        "From the first row to the last a test by separating vectors becomes {} times as long, one by closest features {} times; separating vectors are {} to {} times as fast, the combined algorithm at least {} times, and Gilbert's alone is faster than closest features in {gilbert} of {} rows.",
        short(vector),
        short(features),
        short(min),
        short(max),
        short(combined),
        sweep.rows.len(),
    );
    let thesis = match (sweep.parameter, sweep.vertices) {
        (Parameter::Velocity, 500) => {
            "the separating-vector algorithm takes slightly longer with speed, closest features substantially longer; at 20 % of the radius the ratio is nearly 28, and the improved Gilbert algorithm alone is faster than closest features too."
        }
        (Parameter::Velocity, _) => {
            "the separating-vector algorithm takes slightly longer with speed, closest features substantially longer."
        }
        (Parameter::Rotation, _) => {
            "with rotation the separating-vector algorithm takes only a little longer, closest features substantially longer; the combined algorithm needs little more than separating vectors alone."
        }
        (Parameter::Density, _) => {
            "the combined algorithm is faster than closest features at every density."
        }
    };
    let is_order = features > vector && combined > 1.0;
    format!(
        "**Thesis:** {thesis} **Ours:** {ours} {}",
        if is_order {
            "The order and the direction are those of the thesis."
        } else if combined > 1.0 {
            "The order is that of the thesis; the growth is not."
        } else {
            "For bodies this small the combined algorithm is about as fast as closest features; otherwise the order is that of the thesis."
        },
    )
}
