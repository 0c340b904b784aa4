//! The kinds of motion.

use super::Steering;
use impinge::math::{Aabb, Pose, Vec3};

/// The motion of a body, in the frame of its parent or of the scene. Times are in seconds, lengths
/// in units of the scene.
///
/// Fields that are `None` are derived from the [surroundings](super::Surroundings): random
/// directions from the seed, speeds and cages from the size of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// The body does not move.
    #[default]
    Still,
    /// Straight motion with rotation about its middle, reflected by the walls of a cage (Klosowski
    /// et al. 1998, section 5.2).
    Billiard {
        /// Velocity in units per second. Default: a random direction, at `speed`.
        velocity: Option<Vec3>,
        /// Speed in units per second. Default: a fifth of the diagonal of the cage.
        speed: Option<f64>,
        /// The axis of rotation. Default: random.
        axis: Option<Vec3>,
        /// Angular speed in radians per second. Default: random, up to half a turn.
        spin: Option<f64>,
        /// The box that the bounding ball of the body does not leave. Default: the box of the scene
        /// at its start, enlarged by half. A body that is too large stays in the middle of the box.
        cage: Option<Aabb>,
        /// Whether the body reverses its motion when it [hits](super::Mover::hit) another body.
        bounce: bool,
        /// Seed of random choices. Default: the seed of the surroundings.
        seed: Option<u64>,
    },
    /// Random steps and rotations, of the same size for every time step.
    Brownian {
        /// Maximum translation per frame along each axis. Default: a fiftieth of the size of the
        /// body.
        step: Option<f64>,
        /// Maximum rotation per frame, in radians. Default: three degrees.
        turn: Option<f64>,
        /// The box that the bounding ball of the body does not leave, if there is one.
        cage: Option<Aabb>,
        /// Seed of random choices. Default: the seed of the surroundings.
        seed: Option<u64>,
    },
    /// Free fall until the lowest point reaches a floor, where the body bounces. It comes to rest
    /// when it no longer rises.
    Falling {
        /// Acceleration in units per second squared. Default: 9.81 along -z.
        gravity: Option<Vec3>,
        /// The height of the floor, measured opposite to gravity from the origin. Default: the
        /// lowest point of the scene.
        floor: Option<f64>,
        /// The share of its speed and angular speed that is left after a bounce, 0 to 1. Default: a
        /// half.
        restitution: Option<f64>,
        /// Initial velocity in units per second. Default: zero.
        velocity: Option<Vec3>,
        /// The axis of rotation. Default: random.
        axis: Option<Vec3>,
        /// Angular speed in radians per second. Default: zero.
        spin: Option<f64>,
        /// Seed of random choices. Default: the seed of the surroundings.
        seed: Option<u64>,
    },
    /// Interpolation between poses, linear and by the shortest rotation.
    Keyframes {
        /// At least one keyframe, with ascending times.
        keyframes: Vec<Keyframe>,
        /// The motion after the last keyframe. Before the first keyframe the body has its pose.
        repeat: Repeat,
    },
    /// A ship that thrusts along its own z axis and turns. When it [hits](super::Mover::hit)
    /// another body it jumps back to its start (Hubbard 1995, section IX).
    Ship {
        /// The source of its controls.
        steering: Steering,
        /// The share of its speed that it loses in a second, about. Default: 0.5.
        drag: Option<f64>,
        /// The box that the bounding ball of the body does not leave, if there is one.
        cage: Option<Aabb>,
        /// Seed of random choices. Default: the seed of the surroundings.
        seed: Option<u64>,
    },
}

impl Motion {
    /// The kind of motion with a given name, for kinds without required fields: `still`,
    /// `billiard`, `brownian` and `falling`.
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

/// A pose at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// The time in seconds.
    pub time: f64,
    /// The pose in the frame of the parent or of the scene.
    pub pose: Pose,
}

/// The motion after the last keyframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The body keeps the last pose.
    #[default]
    Once,
    /// The motion restarts at the first keyframe.
    Loop,
    /// The motion runs backwards and forwards alternately.
    BackAndForth,
}
