//! The commands and their options, with help texts and examples.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::render::{Axis, Size, View};

const MAIN_EXAMPLES: &str = "\
Examples:
  impinge                                       check the built-in sample assembly
  impinge check gearbox.glb                     check every part of an assembly against every other
  impinge check arm.stl table.obj --pose \"0 0 0.12\"
  impinge check line.toml --clearance 2 --png clashes.png
  impinge sim --sample billiard                 simulate moving bodies and list their collisions
  impinge info scan.ply                         describe a mesh and list its defects

Files: OBJ, STL, PLY, OFF, glTF (.gltf, .glb) and scene files (.toml, .json).
Exit status: 0 no collision, 1 a collision, 2 an error.";

const CHECK_EXAMPLES: &str = "\
Examples:
  One assembly, every part against every other:
    impinge check gearbox.glb
  Two files, the second moved (x y z, then a quaternion qx qy qz qw):
    impinge check hand.stl mug.obj --pose \"0.1 0 0.25  0 0 0.7071 0.7071\"
  Exit status 1 if a distance is at most 2 units, for build scripts:
    impinge check line.toml --clearance 2 --fail-on near
  The distance of every pair:
    impinge check hand.stl mug.obj --distance
  Skip pairs that are meant to touch (* matches any text, ? any one character):
    impinge check gearbox.glb --ignore \"bolt*:housing\" --ignore \"shaft:bearing*\"
  Keep the trees of large meshes for the next run:
    impinge check plant.glb --cache ~/.cache/impinge
  JSON, CSV and a picture:
    impinge check gearbox.glb --json > clashes.json
    impinge check gearbox.glb --pairs triangles.csv --png clashes.png --view top

Relations, worst first:
  crossing   the surfaces pass through each other, or the solids overlap
  duplicate  both parts are the same set of points
  contained  one part lies inside the other, which is a closed solid
  touching   the surfaces have a common point, the interiors do not
  near       no common point, but a distance of at most --clearance
  clear      none of these; listed only with --all or --distance

Exit status: 0 nothing found, 1 something found (see --fail-on), 2 an error.";

const INFO_EXAMPLES: &str = "\
Examples:
  impinge info part.stl
  impinge info gearbox.glb --png gearbox.png --view \"1 1 -0.5\"
  impinge info scans/*.ply --json | jq '.files[].parts[] | select(.class.closed | not) | .name'

Columns: verts vertices, polys polygons, tris triangles, size the box in the scene's frame.
Traits: c closed (no open edge), m manifold, o oriented (consistent winding), p planar polygons,
v convex polygons, x convex. The volume is given for closed, oriented meshes only.";

const DECOMPOSE_EXAMPLES: &str = "\
Examples:
  impinge decompose bracket.stl -o pieces.glb
  impinge decompose bracket.stl -o pieces.obj --tolerance 0.5 --pieces 40 --png pieces.png
  impinge decompose letter.obj -o pieces.obj --exact

The pieces are convex and cover the solid. No piece extends further out of it than the printed
error, which is a proven bound. With --exact the solid is cut at the planes of its faces; the union
of the pieces is the solid, up to the rounding of new corners if \"not exact\" is printed.
Meshes must be closed. Coordinates in .glb files have single precision; .obj keeps every digit.";

const SPHERES_EXAMPLES: &str = "\
Examples:
  impinge spheres bracket.stl -o spheres.json --png spheres.png
  impinge spheres arm.glb -o arm.yaml --balls 32
  impinge spheres gearbox.glb --levels 2

Every level covers the surface, which is proven. The printed reach is how far the balls of a level
extend out of the solid, or to either side of an open surface: a certified bound. JSON has all
levels, with the parents of balls and the triangles of the deepest; YAML has the deepest level, as
robot planners read collision spheres. A picture is drawn for every level.";

const SAMPLE_EXAMPLES: &str = "\
Examples:
  impinge sample                     check the sample
  impinge sample --write demo        write its files to the folder demo/";

/// Exact clash checks of meshes and assemblies.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, after_help = MAIN_EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// The command; without one, the built-in sample assembly is checked.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Finds colliding parts, with a common point of each pair.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Describes meshes: counts, size, topology, defects.
    #[command(after_help = INFO_EXAMPLES)]
    Info(InfoArgs),
    /// Cuts solids into convex pieces, with a bound on the error.
    #[command(after_help = DECOMPOSE_EXAMPLES)]
    Decompose(DecomposeArgs),
    /// Covers parts with levels of balls, with proofs and certified errors.
    #[command(after_help = SPHERES_EXAMPLES)]
    Spheres(SpheresArgs),
    /// Simulates moving bodies and reports their collisions frame by frame.
    #[command(after_help = crate::sim::EXAMPLES)]
    Sim(Box<crate::sim::SimArgs>),
    /// Checks the built-in sample assembly, or writes it to files.
    #[command(after_help = SAMPLE_EXAMPLES)]
    Sample(SampleArgs),
}

/// `impinge check`.
#[derive(Debug, Default, Args)]
pub(crate) struct CheckArgs {
    /// One file: its parts are checked against each other. Several files: parts of different files
    /// are checked against each other.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Which pairs to check, and which results to compute.
    #[command(flatten)]
    pub(crate) query: QueryArgs,

    /// What to print and write.
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// A picture of the result.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// Which pairs to check, and which results to compute.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Query")]
pub(crate) struct QueryArgs {
    /// Moves the second of two files by a translation, then optionally a quaternion.
    #[arg(long, value_name = "X Y Z [QX QY QZ QW]", group = "motion", allow_hyphen_values = true)]
    pub(crate) pose: Option<String>,

    /// Moves the second of two files by a row-major 3x4 matrix [R | t].
    #[arg(long, value_name = "12 NUMBERS", group = "motion", allow_hyphen_values = true)]
    pub(crate) pose_matrix: Option<String>,

    /// Moves the second of two files by a pose from a text file of 3, 7, 12 or 16 numbers.
    #[arg(long, value_name = "FILE", group = "motion")]
    pub(crate) pose_file: Option<PathBuf>,

    /// Pairs with a distance of at most D, in the unit of the files (glTF: metres), are "near".
    #[arg(long, value_name = "D", value_parser = clearance, allow_hyphen_values = true)]
    pub(crate) clearance: Option<f64>,

    /// Computes and lists the distance of every pair without a common point; no pair is then pruned
    /// by bounding boxes.
    #[arg(long)]
    pub(crate) distance: bool,

    /// Skips pairs of parts by name, in either order; * matches any text, ? any one character. May
    /// be repeated.
    #[arg(long, value_name = "A:B", value_parser = crate::ignore::IgnorePattern::parse)]
    pub(crate) ignore: Vec<crate::ignore::IgnorePattern>,

    /// The least severe relation that gives exit status 1.
    #[arg(long, value_enum, value_name = "RELATION", default_value_t)]
    pub(crate) fail_on: FailOn,

    /// Keeps the trees of large meshes in this folder for later runs; results do not change.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Number of threads [default: all processors].
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The least severe relation that gives [`Status::Found`](crate::Status::Found).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Crossing, duplicate or contained parts.
    Crossing,
    /// Also touching parts.
    #[default]
    Touching,
    /// Also parts within the clearance.
    Near,
}

/// What `impinge check` prints and writes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Lists clear pairs as well.
    #[arg(long)]
    pub(crate) all: bool,

    /// Prints one JSON document instead of the table.
    #[arg(long)]
    pub(crate) json: bool,

    /// Counts the intersecting pairs of triangles of every pair of parts. Takes longer where parts
    /// touch or cross; relations do not depend on it.
    #[arg(long)]
    pub(crate) count_triangles: bool,

    /// Writes every intersecting triangle pair as CSV.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) pairs: Option<PathBuf>,

    /// Prints no progress bar and no notes, only the report and errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A picture of the scene.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Draws the scene as PNG, each part in the colour of its worst relation.
    #[arg(long, value_name = "FILE.png")]
    pub(crate) png: Option<PathBuf>,

    /// Draws the scene as SVG, with tooltips.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,

    /// The view: iso, front, top, side, or a viewing direction.
    #[arg(long, value_name = "iso|front|top|side|DX DY DZ", default_value = "iso", value_parser = View::parse, allow_hyphen_values = true)]
    pub(crate) view: View,

    /// The axis that points up in the picture.
    #[arg(long, value_enum, value_name = "AXIS", default_value_t)]
    pub(crate) up: Axis,

    /// The size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = Size::parse)]
    pub(crate) size: Size,
}

/// `impinge info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Mesh, assembly or scene files.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Prints one JSON document with all details instead of the table.
    #[arg(long)]
    pub(crate) json: bool,

    /// Keeps the trees of large meshes in this folder for later runs.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// A picture of all files in one frame.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// `impinge decompose`.
#[derive(Debug, Args)]
pub(crate) struct DecomposeArgs {
    /// A mesh, assembly or scene file; every part is cut.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Writes the pieces, one object each.
    #[arg(long, short, value_name = "FILE.glb|FILE.obj")]
    pub(crate) output: Option<PathBuf>,

    /// How far a piece may extend out of the solid, in the unit of the file [default: 1/50 of each
    /// part's diagonal].
    #[arg(long, value_name = "D", value_parser = tolerance, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,

    /// The maximum number of pieces per part.
    #[arg(long, value_name = "N", default_value = "64")]
    pub(crate) pieces: NonZeroUsize,

    /// Cuts at the planes of faces until the union of the pieces is the solid; for bodies of up to
    /// a few hundred faces.
    #[arg(long, conflicts_with = "tolerance")]
    pub(crate) exact: bool,

    /// Number of threads [default: all processors].
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Prints no progress bar and no notes, only the report and errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// A picture of the pieces.
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// `impinge spheres`.
#[derive(Debug, Args)]
pub(crate) struct SpheresArgs {
    /// A mesh, assembly or scene file; every part is covered.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Writes the balls, in the frame of each part.
    #[arg(long, short, value_name = "FILE.json|FILE.yaml")]
    pub(crate) output: Option<PathBuf>,

    /// The layout of that file [default: impinge for JSON, curobo for YAML].
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<crate::sphere_formats::SphereFormat>,

    /// The number of levels below the first ball: at most 8 balls, 64, 512, and so on.
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(crate) levels: u32,

    /// The largest number of balls of each level instead, ascending, such as 10,100.
    #[arg(long, value_name = "N,...", value_delimiter = ',', conflicts_with = "levels")]
    pub(crate) balls: Vec<usize>,

    /// Number of threads [default: all processors].
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Prints no progress bar and no notes, only the report and errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Pictures of the balls, one for each level: the file name is extended by the level.
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
    /// Whether a picture is to be written.
    pub(crate) fn requested(&self) -> bool {
        self.png.is_some() || self.svg.is_some()
    }
}

fn clearance(text: &str) -> Result<f64, String> {
    length(text, "clearance")
}

/// More threads than any machine has processors would only take memory and time to start.
const MAX_THREADS: usize = 1024;

/// The number of threads of an option.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.trim().parse().ok().and_then(NonZeroUsize::new);
    let number = number.filter(|number| number.get() <= MAX_THREADS);
    number.ok_or_else(|| format!("the number of threads must be from 1 to {MAX_THREADS}"))
}

fn tolerance(text: &str) -> Result<f64, String> {
    length(text, "tolerance")
}

fn length(text: &str, what: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(d) if d.is_finite() && d >= 0.0 => Ok(d),
        Ok(d) => Err(format!("the {what} must be finite and at least 0, not {d}")),
        Err(_) => Err(format!("the {what} must be a number, in the unit of the coordinates")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn argument_definitions_are_consistent() {
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
    fn numbers_of_threads_are_limited() {
        assert_eq!(threads("2").map(NonZeroUsize::get), Ok(2));
        for bad in ["0", "-1", "1025", "100000", "two", ""] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn negative_numbers_are_parsed_as_values() {
        let cli = Cli::try_parse_from(["impinge", "check", "a", "b", "--pose", "-1 -2 -3"]);
        assert!(cli.is_ok(), "{cli:?}");
        assert!(Cli::try_parse_from(["impinge", "check", "a", "--view", "-1 -1 -1"]).is_ok());
    }
}
