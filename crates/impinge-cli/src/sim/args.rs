//! The arguments of `impinge sim`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use impinge::broad::PhaseKind;
use impinge::world::MethodKind;
use impinge_papers::METHODS;
use impinge_papers::zachmann::broad::{BROAD_PHASES, phase_by_name};
use impinge_samples::motion::{Motion, Sample};

use crate::render::{Axis, Size, View};

pub(crate) const EXAMPLES: &str = "\
Examples:
  Without a file:
    impinge sim --sample billiard
    impinge sim --sample robot --frames 600 --animation robot.png
    impinge sim --sample spaceships --script flight.txt --plot cost.svg
    impinge sim --sample brownian --bodies 5000 --stats frames.csv --plot cost.svg
  A scene file defines a motion per part; in other files all parts have the same motion:
    impinge sim line.toml --events contacts.jsonl
    impinge sim gearbox.glb --motion brownian --picture worst.png
  Events as one JSON object per line, the summary on standard error:
    impinge sim --sample falling --events - | jq 'select(.kind == \"began\") | [.a, .b]'
  Why a pair is checked by its method:
    impinge sim --sample robot --explain \"arm 1 tool\" table

A scene file defines motions for all parts or single ones (relative to another: parent = NAME):
  [motion]
  kind = \"billiard\"           # or brownian, falling, keyframes, still
  speed = 2.5

Exit status: 0 no collision in any frame, 1 a collision, 2 an error.";

/// A pairwise method of the engine, or a published one.
fn method_by_name(name: &str) -> Result<MethodKind, impinge::Error> {
    let all: Vec<MethodKind> = MethodKind::ALL.iter().chain(METHODS).copied().collect();
    MethodKind::by_name(name, &all)
}

fn phase_help() -> String {
    format!("The broad phase: {}", alternatives(BROAD_PHASES.iter().map(|kind| kind.name())))
}

fn method_help() -> String {
    format!(
        "The method for the pairs to which it applies: {}, or a published one: {} [default: the method with the \
         lowest estimated cost]",
        joined(MethodKind::ALL.iter().map(|kind| kind.name())),
        alternatives(METHODS.iter().map(|kind| kind.name()))
    )
}

fn sample_help() -> String {
    format!("A generated scene: {}", alternatives(Sample::ALL.into_iter().map(Sample::name)))
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The names, with "or" before the last one.
fn alternatives<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all = joined(names);
    match all.rsplit_once(", ") {
        Some((first, last)) => format!("{first} or {last}"),
        None => all,
    }
}

/// `impinge sim`.
#[derive(Debug, Args)]
pub(crate) struct SimArgs {
    /// A scene, assembly or mesh file.
    #[arg(value_name = "SCENE", required_unless_present = "sample", conflicts_with = "sample")]
    pub(crate) file: Option<PathBuf>,

    /// The bodies and their motions.
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,

    /// The frames and the engine's settings.
    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// The output.
    #[command(flatten)]
    pub(crate) output: SimOutputArgs,
}

/// The bodies and their motions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct BodyArgs {
    #[arg(long, value_name = "NAME", help = sample_help(), value_parser = sample)]
    pub(crate) sample: Option<Sample>,

    /// Number of bodies of the generated scene.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) bodies: Option<usize>,

    /// The motion of parts without one in the file: still, billiard, brownian or falling.
    #[arg(long, value_name = "KIND", value_parser = motion, conflicts_with = "sample")]
    pub(crate) motion: Option<Motion>,

    /// The controls of the user's ship of --sample spaceships: lines with the time in seconds, the
    /// thrust, and the rotation about the ship's x, y and z in degrees per second.
    #[arg(long, value_name = "FILE", requires = "sample")]
    pub(crate) script: Option<PathBuf>,

    /// Seed of the random numbers; the same seed gives the same events.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The frames and the engine's settings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Number of frames.
    #[arg(long, value_name = "N", default_value = "300")]
    pub(crate) frames: NonZeroUsize,

    /// Time step from frame to frame in seconds [default: 1/60].
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0 / 60.0, hide_default_value = true, value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) dt: f64,

    #[arg(long, value_name = "NAME", help = phase_help(), default_value_t, hide_default_value = true, value_parser = phase_by_name)]
    pub(crate) phase: PhaseKind,

    #[arg(long, value_name = "NAME", help = method_help(), value_parser = method_by_name)]
    pub(crate) method: Option<MethodKind>,

    /// Number of threads [default: all processors].
    #[arg(long, value_name = "N", value_parser = crate::args::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SimOutputArgs {
    /// Writes the start and end of every collision, one JSON object per line; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,

    /// Also writes an event for every ongoing collision in every frame.
    #[arg(long, requires = "events")]
    pub(crate) persisting: bool,

    /// Writes times and counts of every frame as CSV.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) stats: Option<PathBuf>,

    /// Draws times and counts over the frames as SVG.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,

    /// Draws the frame with most collisions, as PNG or SVG by the extension.
    #[arg(long, value_name = "FILE.png|svg")]
    pub(crate) picture: Option<PathBuf>,

    /// Draws the run as an animated PNG of at most 120 frames.
    #[arg(long, value_name = "FILE.png")]
    pub(crate) animation: Option<PathBuf>,

    /// The size of the animation in pixels.
    #[arg(long, value_name = "WxH", default_value = "320x240", value_parser = Size::parse)]
    pub(crate) animation_size: Size,

    /// Explains how the pair of bodies A and B is checked.
    #[arg(long, value_names = ["A", "B"], num_args = 2)]
    pub(crate) explain: Option<Vec<String>>,

    /// The view: iso, front, top, side, or a viewing direction.
    #[arg(long, value_name = "iso|front|top|side|DX DY DZ", default_value = "iso", value_parser = View::parse, allow_hyphen_values = true)]
    pub(crate) view: View,

    /// The axis that points up in pictures.
    #[arg(long, value_enum, value_name = "AXIS", default_value_t)]
    pub(crate) up: Axis,

    /// The size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = Size::parse)]
    pub(crate) size: Size,

    /// Prints no progress bar and no notes, only the summary and errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn sample(text: &str) -> Result<Sample, String> {
    Sample::from_name(text).ok_or_else(|| {
        let known = joined(Sample::ALL.into_iter().map(Sample::name));
        format!("unknown sample; expected one of {known}")
    })
}

fn motion(text: &str) -> Result<Motion, String> {
    Motion::from_name(text).ok_or_else(|| {
        "expected still, billiard, brownian or falling; define keyframes in a scene file".to_owned()
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("expected a finite number of seconds above 0".to_owned()),
    }
}
