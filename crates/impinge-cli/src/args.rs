//! What can be typed: the commands, their options, and help that teaches by example.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::render::{Axis, Size, View};

const MAIN_EXAMPLES: &str = "\
Examples:
  impinge                                       check the built-in sample assembly
  impinge check gearbox.glb                     every part of an assembly against every other
  impinge check arm.stl table.obj --pose \"0 0 0.12\"
  impinge check line.toml --clearance 2 --png clashes.png
  impinge sim --sample billiard                 bodies that move, and what they meet
  impinge info scan.ply                         what a mesh is, and what is wrong with it

Files: OBJ, STL, PLY, OFF, glTF (.gltf, .glb) and scene files (.toml, .json).
Exit status: 0 nothing collides, 1 something does, 2 the question could not be answered.";

const CHECK_EXAMPLES: &str = "\
Examples:
  One assembly, every part against every other:
    impinge check gearbox.glb
  One body against another that is moved (x y z, then a quaternion qx qy qz qw):
    impinge check hand.stl mug.obj --pose \"0.1 0 0.25  0 0 0.7071 0.7071\"
  Parts that keep less than 2 units of distance, as a failure for a build script:
    impinge check line.toml --clearance 2 --fail-on near
  How far apart everything is:
    impinge check hand.stl mug.obj --distance
  Pairs that are meant to meet (* is any text, ? any one character):
    impinge check gearbox.glb --ignore \"bolt*:housing\" --ignore \"shaft:bearing*\"
  Again and again, with the trees of large meshes kept from run to run:
    impinge check plant.glb --cache ~/.cache/impinge
  For other programs, and for the eye:
    impinge check gearbox.glb --json > clashes.json
    impinge check gearbox.glb --pairs triangles.csv --png clashes.png --view top

Verdicts, worst first:
  crossing   surfaces pass through each other, or solids share space
  duplicate  both parts are the same set of points
  contained  one part lies inside the other, a closed solid
  touching   surfaces meet, insides do not
  near       no common point, but no further apart than --clearance
  clear      none of these; only counted, unless --all or --distance

Exit status: 0 nothing found, 1 something found (see --fail-on), 2 error.";

const INFO_EXAMPLES: &str = "\
Examples:
  impinge info part.stl
  impinge info gearbox.glb --png gearbox.png --view \"1 1 -0.5\"
  impinge info scans/*.ply --json | jq '.files[].parts[] | select(.class.closed | not) | .name'

Columns: verts vertices, polys polygons, tris triangles; size is the box in the scene's frame.
Traits: c closed (no open edge), m manifold, o oriented (all polygons wound alike), p planar
polygons, v convex polygons, x convex. Volume is given for closed, oriented meshes only.";

const DECOMPOSE_EXAMPLES: &str = "\
Examples:
  impinge decompose bracket.stl -o pieces.glb
  impinge decompose bracket.stl -o pieces.obj --tolerance 0.5 --pieces 40 --png pieces.png
  impinge decompose letter.obj -o pieces.obj --exact

The pieces are convex and cover the solid; none reaches further out of it than the error that is
printed, a bound that holds. With --exact the solid is cut at the planes of its faces, and the pieces
are the solid, up to the rounding of new corners if \"not exact\" is printed.
Meshes must be closed. Coordinates in .glb files have single precision; .obj keeps every digit.";

const SAMPLE_EXAMPLES: &str = "\
Examples:
  impinge sample                     check it
  impinge sample --write demo        write it to demo/ as files to play with";

/// Exact clash checks of meshes and assemblies.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, after_help = MAIN_EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do; without it, the built-in sample assembly is checked.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Which parts collide, where, and by how many triangles.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArgs>),
    /// What meshes are: counts, size, topology, defects.
    #[command(after_help = INFO_EXAMPLES)]
    Info(InfoArgs),
    /// Cuts solids into convex pieces, with a bound of the error.
    #[command(after_help = DECOMPOSE_EXAMPLES)]
    Decompose(DecomposeArgs),
    /// Lets bodies move and says what they meet, frame by frame.
    #[command(after_help = crate::sim::EXAMPLES)]
    Sim(Box<crate::sim::SimArgs>),
    /// The built-in sample assembly: check it, or write it to files.
    #[command(after_help = SAMPLE_EXAMPLES)]
    Sample(SampleArgs),
}

/// `impinge check`.
#[derive(Debug, Default, Args)]
pub(crate) struct CheckArgs {
    /// One assembly or scene (its parts against each other), or several files (parts of different
    /// files against each other).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Which pairs to check and what to find out about them.
    #[command(flatten)]
    pub(crate) query: QueryArgs,

    /// What to say, and how.
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// A picture of the result.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// Which pairs to check, and what counts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Query")]
pub(crate) struct QueryArgs {
    /// Moves the second of two files: a translation, then optionally a quaternion.
    #[arg(long, value_name = "X Y Z [QX QY QZ QW]", group = "motion", allow_hyphen_values = true)]
    pub(crate) pose: Option<String>,

    /// Moves the second of two files: a row-major 3x4 matrix [R | t].
    #[arg(long, value_name = "12 NUMBERS", group = "motion", allow_hyphen_values = true)]
    pub(crate) pose_matrix: Option<String>,

    /// Moves the second of two files: 3, 7, 12 or 16 numbers from a text file.
    #[arg(long, value_name = "FILE", group = "motion")]
    pub(crate) pose_file: Option<PathBuf>,

    /// Parts no further apart than this are "near".
    #[arg(long, value_name = "D", value_parser = clearance, allow_hyphen_values = true)]
    pub(crate) clearance: Option<f64>,

    /// Measures the distance of every pair that does not meet, and lists it (no pair is pruned by
    /// its boxes then).
    #[arg(long)]
    pub(crate) distance: bool,

    /// Leaves out pairs of parts by their names, in either order; * is any text, ? any one
    /// character. May be repeated.
    #[arg(long, value_name = "A:B", value_parser = crate::ignore::Ignore::parse)]
    pub(crate) ignore: Vec<crate::ignore::Ignore>,

    /// The mildest verdict that makes the exit status 1.
    #[arg(long, value_enum, value_name = "VERDICT", default_value_t)]
    pub(crate) fail_on: FailOn,

    /// Keeps the trees of large meshes in this folder and reuses them in later runs; answers are
    /// the same.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// How many threads to use [default: all processors].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The mildest verdict that counts as found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Crossing, duplicate or contained parts; parts that merely touch are fine.
    Crossing,
    /// Any common point.
    #[default]
    Touching,
    /// Also parts within the clearance.
    Near,
}

/// What `impinge check` prints and writes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Lists clear pairs too, instead of only counting them.
    #[arg(long)]
    pub(crate) all: bool,

    /// Prints one JSON document instead of the table.
    #[arg(long)]
    pub(crate) json: bool,

    /// Writes every intersecting pair of triangles as CSV.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) pairs: Option<PathBuf>,

    /// No progress bar and no notes; the report, and errors, remain.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A picture of the scene.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Draws the scene, colliding parts coloured by their worst verdict, as a PNG file.
    #[arg(long, value_name = "FILE.png")]
    pub(crate) png: Option<PathBuf>,

    /// Draws the same as an SVG file, with labels that answer to the mouse.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,

    /// Where to look from: iso, front, top, side, or the direction to look along.
    #[arg(long, value_name = "iso|front|top|side|DX DY DZ", default_value = "iso", value_parser = View::parse, allow_hyphen_values = true)]
    pub(crate) view: View,

    /// Which axis points up in the picture.
    #[arg(long, value_enum, value_name = "AXIS", default_value_t)]
    pub(crate) up: Axis,

    /// Size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = Size::parse)]
    pub(crate) size: Size,
}

/// `impinge info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Meshes, assemblies or scenes.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Prints one JSON document with full detail instead of the table.
    #[arg(long)]
    pub(crate) json: bool,

    /// Keeps the trees of large meshes in this folder and reuses them in later runs.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// A picture of all files in one frame.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// `impinge decompose`.
#[derive(Debug, Args)]
pub(crate) struct DecomposeArgs {
    /// A mesh, assembly or scene; every part is cut.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Writes the pieces, one object each.
    #[arg(long, short, value_name = "FILE.glb|FILE.obj")]
    pub(crate) output: Option<PathBuf>,

    /// How far a piece may reach out of the solid, in the unit of the file [default: 1/50 of each
    /// part's diagonal].
    #[arg(long, value_name = "D", value_parser = tolerance, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,

    /// The most pieces a part is cut into.
    #[arg(long, value_name = "N", default_value = "64")]
    pub(crate) pieces: NonZeroUsize,

    /// Cuts at the planes of faces until the pieces are the solid; for bodies of up to some hundred
    /// faces.
    #[arg(long, conflicts_with = "tolerance")]
    pub(crate) exact: bool,

    /// How many threads to use [default: all processors].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// No progress bar and no notes; the report, and errors, remain.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// A picture of the pieces.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// `impinge sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Writes the sample into this folder instead of checking it.
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,

    /// A picture of the result.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

impl PictureArgs {
    /// Whether a picture was asked for.
    pub(crate) fn wanted(&self) -> bool {
        self.png.is_some() || self.svg.is_some()
    }
}

fn clearance(text: &str) -> Result<f64, String> {
    length(text, "clearance")
}

fn tolerance(text: &str) -> Result<f64, String> {
    length(text, "tolerance")
}

fn length(text: &str, what: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(d) if d.is_finite() && d >= 0.0 => Ok(d),
        Ok(d) => Err(format!("a {what} is a finite number of at least 0, not {d}")),
        Err(_) => Err(format!("a {what} is a number, in the unit of the coordinates")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn clearances_are_non_negative_numbers() {
        assert_eq!(clearance("0.5"), Ok(0.5));
        for bad in ["-1", "nan", "inf", "", "2mm"] {
            assert!(clearance(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn negative_numbers_are_values_not_flags() {
        let cli = Cli::try_parse_from(["impinge", "check", "a", "b", "--pose", "-1 -2 -3"]);
        assert!(cli.is_ok(), "{cli:?}");
        assert!(Cli::try_parse_from(["impinge", "check", "a", "--view", "-1 -1 -1"]).is_ok());
    }
}
