//! Moving scenes: parts that fly, move at random, fall or follow keyframes, in a world that detects
//! their collisions.
//!
//! A [`MovingScene`] is a [`Scene`] with a [`Motion`] for each of its bodies, from a file
//! (`MovingScene::load`) or [generated](Sample). A [`Stage`] is such a scene in a
//! [`World`](impinge::world::World): each [step](Stage::advance) moves the bodies, and each
//! [update](Stage::update) reports the collisions that began and ended. Motions are prescribed, not
//! computed from forces: bodies pass through each other, except those on billiard paths, which
//! reverse their motion (Klosowski et al. 1998, section 5.2).
//!
//! ```
//! use impinge_samples::motion::{MovingScene, Sample, Stage};
//!
//! let scene = MovingScene::sample(Sample::Billiard, 12, 1)?;
//! let mut stage = Stage::new(&scene, &Default::default(), 1)?;
//! let mut met = 0;
//! for _ in 0..20 {
//!     met += stage.update().began().count();
//!     stage.advance(1.0 / 30.0)?;
//! }
//! println!("{met} collisions began");
//! # Ok::<(), impinge::Error>(())
//! ```

#[cfg(feature = "files")]
mod files;
mod keys;
mod kinds;
mod mover;
mod samples;
mod ship;
mod stage;

pub use kinds::{Keyframe, Motion, Repeat};
pub use mover::{Mover, Surroundings};
pub use samples::Sample;
pub use ship::{Control, Steering};
pub use stage::Stage;

use std::ops::Range;
use std::sync::Arc;

use impinge::Error;
use impinge::math::{Aabb, Pose};
use impinge::scene::Scene;

/// A scene whose bodies move.
#[derive(Clone, Debug, Default)]
pub struct MovingScene {
    /// The parts at their start poses, and the ignored pairs.
    pub scene: Scene,
    /// The bodies. Every part belongs to one body.
    pub bodies: Vec<MovingBody>,
    /// Bodies connected by at most this many parent links are not compared.
    pub ignore_links: u32,
}

/// Parts that move together.
#[derive(Clone, Debug)]
pub struct MovingBody {
    /// The user's name for the body.
    pub name: String,
    /// The indices of its parts in the scene.
    pub parts: Range<usize>,
    /// The parent, with which the body moves. It comes before the body in the list.
    pub parent: Option<usize>,
    /// The start pose of its own frame, in the frame of the parent or of the scene. Keyframes are
    /// poses of this frame.
    pub origin: Pose,
    /// Its motion, in the frame of its parent or of the scene.
    pub motion: Motion,
}

impl MovingScene {
    /// A scene in which every part is a body with the same motion.
    #[must_use]
    pub fn of_parts(scene: Scene, motion: &Motion) -> Self {
        let mut this = Self { scene, ..Self::default() };
        for (i, part) in this.scene.parts().iter().enumerate() {
            this.bodies.push(MovingBody {
                name: part.name.clone(),
                parts: i..i + 1,
                parent: None,
                origin: part.pose,
                motion: motion.clone(),
            });
        }
        this
    }

    /// Adds a body of one part, with a pose in the frame of its parent or of the scene, and returns
    /// its index.
    ///
    /// # Errors
    /// As [`Pose::compose`], if the start pose is beyond the range of coordinates.
    ///
    /// # Panics
    /// If there is no such parent.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        mesh: impl Into<Arc<impinge::Mesh>>,
        origin: Pose,
        parent: Option<usize>,
        motion: Motion,
    ) -> Result<usize, Error> {
        let name = name.into();
        let pose = match parent {
            None => Ok(origin),
            Some(parent) => self.pose_of(parent).and_then(|around| around.compose(&origin)),
        };
        let pose = pose.map_err(|e| e.within(format_args!("body {name}")))?;
        let part = self.scene.add(name.clone(), mesh, pose);
        self.bodies.push(MovingBody { name, parts: part..part + 1, parent, origin, motion });
        Ok(self.bodies.len() - 1)
    }

    /// The start pose of a body, in the frame of the scene.
    fn pose_of(&self, body: usize) -> Result<Pose, Error> {
        let mut pose = self.bodies[body].origin;
        let mut above = self.bodies[body].parent;
        while let Some(parent) = above {
            pose = self.bodies[parent].origin.compose(&pose)?;
            above = self.bodies[parent].parent;
        }
        Ok(pose)
    }

    /// A box around all parts at their start poses.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let boxes = (0..self.scene.parts().len()).map(|i| self.scene.bounds_of(i));
        boxes.fold(Aabb::EMPTY, |all, b| all.union(&b))
    }

    /// Generates a moving scene; see [`Sample`].
    ///
    /// # Errors
    /// [`BadParameter`](impinge::ErrorKind::BadParameter) if there are too few or too many bodies.
    pub fn sample(sample: Sample, bodies: usize, seed: u64) -> Result<Self, Error> {
        samples::make(sample, bodies, seed)
    }

    /// The scene of [`Sample::Spaceships`], with a given steering of the user's ship, which is the
    /// first body.
    ///
    /// # Errors
    /// As [`MovingScene::sample`].
    pub fn spaceships(bodies: usize, seed: u64, user: Steering) -> Result<Self, Error> {
        samples::spaceships(bodies, seed, user)
    }
}
