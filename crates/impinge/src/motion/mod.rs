//! Where bodies can be in the near future, and when two of them can meet first (Hubbard 1995,
//! sections IV to VI).
//!
//! A body cannot leave its place at once: its acceleration is limited. From its position, its
//! velocity and its [`Limits`], a [`Motion`] makes a [`SpaceTimeBound`], which contains it until
//! the limits expire. [`earliest_meeting`] is the earliest time at which two bounds have a common
//! point: before it the bodies do not touch, whatever they do, and no frame has to compare them.
//! A [`Scheduler`] keeps the bounds of many bodies and returns the pairs that may have met since it
//! was asked last; in most frames there are none, and it does nothing.
//!
//! Bounds are conservative in exact arithmetic: see `docs/notes/space-time.md`. They do not miss
//! contacts between two frames, such as a body that falls through a thin floor within one frame.
//!
//! ```
//! use impinge::Vec3;
//! use impinge::motion::{Limits, Motion, Recipe, earliest_meeting};
//!
//! // Two ships at a distance of 1000. Their engines push along their axes, by up to 30.
//! let ship = |x: f64, axis: Vec3| {
//!     let recipe = Recipe::thruster(30.0, axis, 0.2)?;
//!     let ship = Motion::at(Vec3::X * x).velocity(axis * 50.0).radius(10.0);
//!     ship.limits(recipe.limits).bound(0.0, 5.0)
//! };
//! let (left, right) = (ship(0.0, Vec3::X)?, ship(1000.0, Vec3::NEG_X)?);
//! let earliest = earliest_meeting(&left, &right).unwrap();
//! assert!(earliest > 3.9); // nothing to compare until then
//! // If one of them flies away, they cannot meet within these 5 units of time.
//! assert_eq!(earliest_meeting(&left, &ship(1000.0, Vec3::X)?), None);
//! # Ok::<(), impinge::Error>(())
//! ```

mod bound;
mod limits;
mod meeting;
pub(crate) mod products;
mod recipes;
mod round;
mod scheduler;

pub use bound::{CuttingPlane, Linear, SpaceTimeBound};
pub use limits::{Limits, Motion, Spin};
pub use meeting::earliest_meeting;
pub use recipes::Recipe;
pub use scheduler::{BodyNumber, Due, Scheduler, SchedulerStats};
