//! Scale, offset and rotation of a sample.

use impinge::{MAX_COORDINATE, Pose, Vec3};

use crate::Random;

/// Units of a body's coordinates, which are small integer multiples of the unit. They span the
/// range of `f64` and are dense where the arithmetic changes (denormal numbers, squares that
/// underflow, the range of `f32`).
pub const SCALES: &[f64] = &[
    5e-324, 1e-322, 1e-320, 1e-316, 1e-310, 2.3e-308, 1e-300, 1e-200, 1e-170, 1e-162, 1e-158,
    1e-155, 1e-150, 1e-100, 1e-60, 1e-45, 1e-38, 1e-30, 1e-10, 1e-3, 1.0, 1.0, 1.0, 1e4, 1e10,
    1e19, 1e30, 1e38, 1e39, 1e50, 1e58, 1e59,
];

/// Offsets, in units of the scale; limited to `MAX_OFFSET`.
pub const OFFSETS: &[f64] = &[
    1.0, 10.0, 1e3, 1e6, 1e7, 1e8, 1e10, 1e11, 1e12, 1e14, 1e15, 1e16, 1e17, 1e20, 1e30, 1e40,
    1e59, 1e100, 1e300,
];

/// The largest offset. Bodies near it stay below the largest coordinate.
const MAX_OFFSET: f64 = MAX_COORDINATE / 10.0;

/// Where the offset is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetTarget {
    /// Nowhere.
    None,
    /// To both bodies in their own frames.
    Both,
    /// To A in its own frame, and to B by its pose.
    AAndPose,
    /// To B in its own frame; the pose moves it back, which cancels most digits.
    BAndBack,
    /// Twice to A, once to B, once to the pose.
    All,
    /// To A only: the bodies are far apart.
    AAlone,
    /// To B only.
    BAlone,
    /// To the pose only.
    PoseAlone,
}

/// The offsets to draw from. Repeated entries are more frequent.
const OFFSET_TARGETS: &[OffsetTarget] = &[
    OffsetTarget::None,
    OffsetTarget::None,
    OffsetTarget::Both,
    OffsetTarget::AAndPose,
    OffsetTarget::AAndPose,
    OffsetTarget::BAndBack,
    OffsetTarget::All,
    OffsetTarget::AAlone,
    OffsetTarget::BAlone,
    OffsetTarget::PoseAlone,
];

/// How B is rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Not rotated.
    None,
    /// Axes are mapped to axes: exact.
    Quarter,
    /// Any rotation: every vertex is rounded.
    Any,
    /// An angle of about the last bit.
    Tiny,
    /// A matrix that is a rotation just within the tolerance.
    Barely,
}

/// The rotations to draw from. Repeated entries are more frequent.
const ROTATIONS: &[Rotation] = &[
    Rotation::None,
    Rotation::None,
    Rotation::None,
    Rotation::Quarter,
    Rotation::Any,
    Rotation::Any,
    Rotation::Tiny,
    Rotation::Barely,
];

/// Position, size and rotation of the bodies of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regime {
    /// The unit of A's coordinates.
    pub scale_a: f64,
    /// The unit of B's coordinates.
    pub scale_b: f64,
    /// Where the offset is applied.
    pub offset_target: OffsetTarget,
    /// The offset.
    pub offset: Vec3,
    /// How B is rotated.
    pub rotation: Rotation,
}

/// The largest power of two that is not above `x`.
fn power_of_two(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        // Denormal: only the highest bit remains.
        return f64::from_bits(1 << x.to_bits().ilog2());
    }
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

impl Regime {
    /// A random regime.
    #[must_use]
    pub fn draw(random: &mut Random) -> Self {
        // With powers of two, coordinates are rounded only for large offsets; with other scales,
        // always.
        let exact = random.below(4) != 0;
        let adjust = |x: f64| if exact { power_of_two(x) } else { x };
        let scale_a = adjust(SCALES[random.below(SCALES.len())]);
        let mixed = random.below(8) == 0;
        let scale_b = if mixed { adjust(SCALES[random.below(SCALES.len())]) } else { scale_a };
        let size = OFFSETS[random.below(OFFSETS.len())] * scale_a.max(scale_b);
        let size = adjust(size.min(MAX_OFFSET));
        let direction = loop {
            let d = random.grid_point(1);
            if d != Vec3::ZERO {
                break d;
            }
        };
        Self {
            scale_a,
            scale_b,
            offset_target: OFFSET_TARGETS[random.below(OFFSET_TARGETS.len())],
            offset: direction * size,
            rotation: ROTATIONS[random.below(ROTATIONS.len())],
        }
    }

    /// The translation of A's vertices in its own frame.
    #[must_use]
    pub fn offset_of_a(&self) -> Vec3 {
        match self.offset_target {
            OffsetTarget::Both | OffsetTarget::AAndPose | OffsetTarget::AAlone => self.offset,
            OffsetTarget::All => self.offset * 2.0,
            _ => Vec3::ZERO,
        }
    }

    /// The translation of B's vertices in its own frame.
    #[must_use]
    pub fn offset_of_b(&self) -> Vec3 {
        match self.offset_target {
            OffsetTarget::Both
            | OffsetTarget::BAndBack
            | OffsetTarget::All
            | OffsetTarget::BAlone => self.offset,
            _ => Vec3::ZERO,
        }
    }

    /// B's pose in A's frame, with an additional small translation.
    ///
    /// # Panics
    /// Never: the rotation is valid and the translation is in range.
    #[must_use]
    pub fn pose(&self, random: &mut Random) -> Pose {
        let small = random.grid_point(2) * self.scale_a.max(self.scale_b);
        let turned = self.random_rotation(random);
        let translation = match self.offset_target {
            OffsetTarget::AAndPose | OffsetTarget::All | OffsetTarget::PoseAlone => self.offset,
            OffsetTarget::BAndBack => -turned.transform_vector(self.offset),
            // B keeps its offset. Without the correction, the rotation would move B away from A.
            OffsetTarget::Both => self.offset - turned.transform_vector(self.offset),
            _ => Vec3::ZERO,
        };
        let [x, y, z] = turned.to_matrix();
        let t =
            (translation + small).clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        let row = |[a, b, c, _]: [f64; 4], t: f64| [a, b, c, t];
        Pose::from_matrix([row(x, t.x), row(y, t.y), row(z, t.z)]).expect("a rotation")
    }

    fn random_rotation(&self, random: &mut Random) -> Pose {
        let of = |q: [f64; 4]| Pose::from_quaternion(q, Vec3::ZERO).expect("not zero");
        match self.rotation {
            Rotation::None => Pose::IDENTITY,
            Rotation::Quarter => {
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
            Rotation::Any => {
                of([random.signed(), random.signed(), random.signed(), random.signed() + 2.0])
            }
            Rotation::Tiny => {
                let size = [1e-8, 1e-12, 1e-15, 1e-16, 1e-17, 1e-160][random.below(6)];
                of([random.signed() * size, random.signed() * size, random.signed() * size, 1.0])
            }
            Rotation::Barely => {
                // The error of each entry of R^T R is at most twice the largest change: 8e-10, with
                // 1e-9 allowed.
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
