//! What can be typed after `impinge sim`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use impinge::broad::PhaseKind;
use impinge::world::MethodKind;
use impinge_papers::METHODS;
use impinge_papers::zachmann::broad::phase_by_name;
use impinge_samples::motion::{Motion, Sample};

use crate::render::{Axis, Size, View};

pub(crate) const EXAMPLES: &str = "\
Examples:
  Without any file:
    impinge sim --sample billiard
    impinge sim --sample robot --frames 600 --animation robot.png
    impinge sim --sample brownian --bodies 5000 --stats frames.csv --plot cost.svg
  A scene file says how its parts move; in other files all parts move alike:
    impinge sim line.toml --events contacts.jsonl
    impinge sim gearbox.glb --motion brownian --picture worst.png
  For other programs: one JSON object a line, and the summary on standard error:
    impinge sim --sample falling --events - | jq 'select(.kind == \"began\") | [.a, .b]'
  Why a pair is checked the way it is:
    impinge sim --sample robot --explain \"arm 1 tool\" table

A scene file gives motions to all parts, or to single ones (they may hang on others: parent = NAME):
  [motion]
  kind = \"billiard\"           # or brownian, falling, keyframes, still
  speed = 2.5

Exit status: 0 nothing ever met, 1 something did, 2 error.";

/// One of the engine's methods, or a published one.
fn method_by_name(name: &str) -> Result<MethodKind, impinge::Error> {
    let all: Vec<MethodKind> = MethodKind::ALL.iter().chain(METHODS).copied().collect();
    MethodKind::by_name(name, &all)
}

/// `impinge sim`.
#[derive(Debug, Args)]
pub(crate) struct SimArgs {
    /// A scene, assembly or mesh file.
    #[arg(value_name = "SCENE", required_unless_present = "sample", conflicts_with = "sample")]
    pub(crate) file: Option<PathBuf>,

    /// What moves.
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,

    /// How it is run.
    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// What is said about it.
    #[command(flatten)]
    pub(crate) output: SimOutputArgs,
}

/// What moves, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct BodyArgs {
    /// A generated scene: billiard, brownian, falling or robot.
    #[arg(long, value_name = "NAME", value_parser = sample)]
    pub(crate) sample: Option<Sample>,

    /// How many bodies the generated scene has.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) bodies: Option<usize>,

    /// How parts move about which the file says nothing: still, billiard, brownian or falling.
    #[arg(long, value_name = "KIND", value_parser = motion, conflicts_with = "sample")]
    pub(crate) motion: Option<Motion>,

    /// Where random numbers start; the same seed gives the same events.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How it is run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// How many frames.
    #[arg(long, value_name = "N", default_value = "300")]
    pub(crate) frames: NonZeroUsize,

    /// Seconds from frame to frame [default: 1/60].
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0 / 60.0, hide_default_value = true, value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) dt: f64,

    /// The broad phase: neighbours, auto, all-pairs, grid, octree, slabs, sweep, tree, or the first
    /// with -oriented.
    #[arg(long, value_name = "NAME", default_value_t, hide_default_value = true, value_parser = phase_by_name)]
    pub(crate) phase: PhaseKind,

    /// The method for pairs to which it applies: hulls, triangles, sweep, brute-force, or a published
    /// one, such as box-tree, 18-dop, clipping or separating-vector [default: what costs least].
    #[arg(long, value_name = "NAME", value_parser = method_by_name)]
    pub(crate) method: Option<MethodKind>,

    /// How many threads to use [default: all processors].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// What is printed and written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SimOutputArgs {
    /// Writes what began and ended to meet, a JSON object a line; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,

    /// Also writes an event for every pair that goes on meeting, in every frame.
    #[arg(long, requires = "events")]
    pub(crate) persisting: bool,

    /// Writes what every frame took, as CSV.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) stats: Option<PathBuf>,

    /// Draws the cost over time.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,

    /// Draws the frame with most contacts; the extension decides between PNG and SVG.
    #[arg(long, value_name = "FILE.png|svg")]
    pub(crate) picture: Option<PathBuf>,

    /// Draws the run as an animated PNG, of at most 120 pictures.
    #[arg(long, value_name = "FILE.png")]
    pub(crate) animation: Option<PathBuf>,

    /// Size of the animation in pixels.
    #[arg(long, value_name = "WxH", default_value = "320x240", value_parser = Size::parse)]
    pub(crate) animation_size: Size,

    /// Explains how the pair of these two bodies is checked.
    #[arg(long, value_names = ["A", "B"], num_args = 2)]
    pub(crate) explain: Option<Vec<String>>,

    /// Where to look from: iso, front, top, side, or the direction to look along.
    #[arg(long, value_name = "iso|front|top|side|DX DY DZ", default_value = "iso", value_parser = View::parse, allow_hyphen_values = true)]
    pub(crate) view: View,

    /// Which axis points up in pictures.
    #[arg(long, value_enum, value_name = "AXIS", default_value_t)]
    pub(crate) up: Axis,

    /// Size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = Size::parse)]
    pub(crate) size: Size,

    /// No progress bar and no notes; the summary, and errors, remain.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn sample(text: &str) -> Result<Sample, String> {
    Sample::from_name(text).ok_or_else(|| {
        let known = Sample::ALL.map(Sample::name).join(", ");
        format!("there is no such sample; there are {known}")
    })
}

fn motion(text: &str) -> Result<Motion, String> {
    Motion::from_name(text).ok_or_else(|| {
        "expected still, billiard, brownian or falling; keyframes belong into a scene file"
            .to_owned()
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("expected a finite number above 0, in seconds".to_owned()),
    }
}
