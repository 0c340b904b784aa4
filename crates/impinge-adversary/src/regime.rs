//! Scale, offset and rotation of a sample.

use impinge::{MAX_COORDINATE, Pose, Vec3};

use crate::Random;

/// Units of a body's coordinates, which are small integers of them: all of what `f64` has, dense
/// where something changes (denormal numbers, squares that underflow, the range of `f32`).
pub const SCALES: &[f64] = &[
    5e-324, 1e-322, 1e-320, 1e-316, 1e-310, 2.3e-308, 1e-300, 1e-200, 1e-170, 1e-162, 1e-158,
    1e-155, 1e-150, 1e-100, 1e-60, 1e-45, 1e-38, 1e-30, 1e-10, 1e-3, 1.0, 1.0, 1.0, 1e4, 1e10,
    1e19, 1e30, 1e38, 1e39, 1e50, 1e58, 1e59,
];

/// Offsets, in units of the scale; cut off at 1e59.
pub const OFFSETS: &[f64] = &[
    1.0, 10.0, 1e3, 1e6, 1e7, 1e8, 1e10, 1e11, 1e12, 1e14, 1e15, 1e16, 1e17, 1e20, 1e30, 1e40,
    1e59, 1e100, 1e300,
];

/// The largest offset: bodies around it stay within the largest coordinate.
const MAX_OFFSET: f64 = MAX_COORDINATE / 10.0;

/// What lies away from the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// Nothing.
    None,
    /// Both bodies in their own frames.
    Both,
    /// A in its own frame, and B by its pose.
    AAndPose,
    /// B in its own frame; the pose brings it back, and cancels most digits.
    BAndBack,
    /// A by twice the offset, B by one, the pose by one.
    All,
    /// A alone: the bodies are far apart.
    AAlone,
    /// B alone.
    BAlone,
    /// The pose alone.
    PoseAlone,
}

const PLACES: &[Offset] = &[
    Offset::None,
    Offset::None,
    Offset::Both,
    Offset::AAndPose,
    Offset::AAndPose,
    Offset::BAndBack,
    Offset::All,
    Offset::AAlone,
    Offset::BAlone,
    Offset::PoseAlone,
];

/// How B is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Not at all.
    None,
    /// By axes onto axes: exact.
    Quarter,
    /// By any rotation: every vertex is rounded.
    Any,
    /// By about the last bit.
    Tiny,
    /// By a matrix that is a rotation only just.
    Barely,
}

const TURNS: &[Turn] = &[
    Turn::None,
    Turn::None,
    Turn::None,
    Turn::Quarter,
    Turn::Any,
    Turn::Any,
    Turn::Tiny,
    Turn::Barely,
];

/// Where and how large the bodies of a sample are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regime {
    /// The unit of A's coordinates.
    pub scale_a: f64,
    /// The unit of B's coordinates.
    pub scale_b: f64,
    /// What lies away from the origin.
    pub offset: Offset,
    /// How far.
    pub by: Vec3,
    /// How B is turned.
    pub turn: Turn,
}

/// The largest power of two that is not above `x`.
fn power_of_two(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        // Denormal: the highest bit alone.
        return f64::from_bits(1 << x.to_bits().ilog2());
    }
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

impl Regime {
    /// Draws one.
    #[must_use]
    pub fn draw(random: &mut Random) -> Self {
        // With powers of two nothing is rounded until an offset is large; with others everything
        // is.
        let exact = random.below(4) != 0;
        let tidy = |x: f64| if exact { power_of_two(x) } else { x };
        let scale_a = tidy(SCALES[random.below(SCALES.len())]);
        let mixed = random.below(8) == 0;
        let scale_b = if mixed { tidy(SCALES[random.below(SCALES.len())]) } else { scale_a };
        let size = OFFSETS[random.below(OFFSETS.len())] * scale_a.max(scale_b);
        let size = tidy(size.min(MAX_OFFSET));
        let direction = loop {
            let d = random.grid_point(1);
            if d != Vec3::ZERO {
                break d;
            }
        };
        Self {
            scale_a,
            scale_b,
            offset: PLACES[random.below(PLACES.len())],
            by: direction * size,
            turn: TURNS[random.below(TURNS.len())],
        }
    }

    /// How far A's vertices are moved in its own frame.
    #[must_use]
    pub fn of_a(&self) -> Vec3 {
        match self.offset {
            Offset::Both | Offset::AAndPose | Offset::AAlone => self.by,
            Offset::All => self.by * 2.0,
            _ => Vec3::ZERO,
        }
    }

    /// How far B's vertices are moved in its own frame.
    #[must_use]
    pub fn of_b(&self) -> Vec3 {
        match self.offset {
            Offset::Both | Offset::BAndBack | Offset::All | Offset::BAlone => self.by,
            _ => Vec3::ZERO,
        }
    }

    /// B's pose in A's frame, with a small translation of its own.
    ///
    /// # Panics
    /// Never: rotations are rotations and translations in range.
    #[must_use]
    pub fn pose(&self, random: &mut Random) -> Pose {
        let small = random.grid_point(2) * self.scale_a.max(self.scale_b);
        let turned = self.rotation(random);
        let translation = match self.offset {
            Offset::AAndPose | Offset::All | Offset::PoseAlone => self.by,
            Offset::BAndBack => -turned.transform_vector(self.by),
            // Where B keeps its offset, a rotation would carry it away from A.
            Offset::Both => self.by - turned.transform_vector(self.by),
            _ => Vec3::ZERO,
        };
        let [x, y, z] = turned.to_matrix();
        let t =
            (translation + small).clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        let row = |[a, b, c, _]: [f64; 4], t: f64| [a, b, c, t];
        Pose::from_matrix([row(x, t.x), row(y, t.y), row(z, t.z)]).expect("a rotation")
    }

    fn rotation(&self, random: &mut Random) -> Pose {
        let of = |q: [f64; 4]| Pose::from_quaternion(q, Vec3::ZERO).expect("not zero");
        match self.turn {
            Turn::None => Pose::IDENTITY,
            Turn::Quarter => {
                let turns = [
                    [1.0, 0.0, 0.0, 1.0],
                    [0.0, 1.0, 0.0, 1.0],
                    [0.0, 0.0, 1.0, -1.0],
                    [1.0, 1.0, 1.0, 1.0],
                    [1.0, 0.0, 0.0, 0.0],
                    [1.0, -1.0, 0.0, 0.0],
                ];
                of(turns[random.below(turns.len())])
            }
            Turn::Any => {
                of([random.signed(), random.signed(), random.signed(), random.signed() + 2.0])
            }
            Turn::Tiny => {
                let size = [1e-8, 1e-12, 1e-15, 1e-16, 1e-17, 1e-160][random.below(6)];
                of([random.signed() * size, random.signed() * size, random.signed() * size, 1.0])
            }
            Turn::Barely => {
                // Each entry of R^T R is off by at most twice the largest change: 8e-10 of the
                // allowed 1e-9.
                let start =
                    if random.below(2) == 0 { Pose::IDENTITY } else { of([0.5, -0.5, 0.5, 0.5]) };
                let [x, y, z] = start.to_matrix();
                let bend = |row: [f64; 4], random: &mut Random| {
                    row.map(|c| if c == 0.0 { 0.0 } else { c * (1.0 + 4e-10 * random.signed()) })
                };
                let rows = [bend(x, random), bend(y, random), bend(z, random)];
                Pose::from_matrix(rows).expect("within the tolerance")
            }
        }
    }
}
