//! The kinds of motion.

use impinge::math::{Aabb, Pose, Vec3};

/// How a body moves, in the frame of its parent or of the scene. Times are in seconds, lengths in
/// units of the scene.
///
/// What is `None` follows from the [surroundings](super::Surroundings): random directions by the
/// seed, speeds and cages by the size of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// Not at all.
    #[default]
    Still,
    /// Straight on, reflected by the walls of a cage, turning about its middle (Klosowski et al.
    /// 1998, section 5.2).
    Billiard {
        /// Units a second; else a random direction, at `speed`.
        velocity: Option<Vec3>,
        /// Units a second; else a fifth of the diagonal of the cage.
        speed: Option<f64>,
        /// What it turns about; else random.
        axis: Option<Vec3>,
        /// Radians a second; else random, up to half a turn.
        spin: Option<f64>,
        /// What the ball around the body does not leave; else the box of the scene at its start,
        /// half as large again. A body that is too large for it stays in its middle.
        cage: Option<Aabb>,
        /// Whether it turns back when it [hits](super::Mover::hit) another body.
        bounce: bool,
        /// Where random choices start; else the seed of the surroundings.
        seed: Option<u64>,
    },
    /// Random steps and turns, the same for any time step.
    Brownian {
        /// The most that a frame moves it along each axis; else a fiftieth of its size.
        step: Option<f64>,
        /// The most that a frame turns it, in radians; else three degrees.
        turn: Option<f64>,
        /// What the ball around the body does not leave, if anything.
        cage: Option<Aabb>,
        /// Where random choices start; else the seed of the surroundings.
        seed: Option<u64>,
    },
    /// Down until its lowest point reaches a floor, which throws it back. It comes to rest when it
    /// does not rise any more.
    Falling {
        /// Units a second, every second; else 9.81 against z.
        gravity: Option<Vec3>,
        /// The height of the floor, measured against gravity from the origin; else the lowest point
        /// of the scene.
        floor: Option<f64>,
        /// How much of its speed and its turning is left after it met the floor, 0 to 1; else a
        /// half.
        restitution: Option<f64>,
        /// Units a second, at first; else none.
        velocity: Option<Vec3>,
        /// What it turns about; else random.
        axis: Option<Vec3>,
        /// Radians a second; else none.
        spin: Option<f64>,
        /// Where random choices start; else the seed of the surroundings.
        seed: Option<u64>,
    },
    /// From pose to pose, straight and by the shortest turn.
    Keyframes {
        /// One at least, times ascending.
        keyframes: Vec<Keyframe>,
        /// What comes after the last. Before the first there is the first.
        repeat: Repeat,
    },
}

impl Motion {
    /// The kinds that need nothing but a name, by it: `still`, `billiard`, `brownian` and
    /// `falling`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "still" => Self::Still,
            "billiard" => Self::Billiard {
                velocity: None,
                speed: None,
                axis: None,
                spin: None,
                cage: None,
                bounce: true,
                seed: None,
            },
            "brownian" => Self::Brownian { step: None, turn: None, cage: None, seed: None },
            "falling" => Self::Falling {
                gravity: None,
                floor: None,
                restitution: None,
                velocity: None,
                axis: None,
                spin: None,
                seed: None,
            },
            _ => return None,
        })
    }
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// In seconds.
    pub time: f64,
    /// In the frame of the parent, or of the scene.
    pub pose: Pose,
}

/// What comes after the last keyframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The body stays where it is.
    #[default]
    Once,
    /// The first again.
    Loop,
    /// All of them backwards, and so on.
    BackAndForth,
}
