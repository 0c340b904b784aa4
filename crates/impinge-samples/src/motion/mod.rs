//! Bodies on paths: scenes whose parts fly, tremble, fall or follow keyframes, and the world that
//! watches them.
//!
//! A [`MovingScene`] is a [`Scene`] with a [`Motion`] for each of its bodies, from a file
//! (`MovingScene::load`) or [generated](Sample). A [`Stage`] is such a scene in a
//! [`World`](impinge::world::World): each [step](Stage::advance) moves the bodies, each
//! [update](Stage::update) says what began and what ended to meet. Motions are prescribed, not
//! computed from forces: bodies pass through each other, but for those on billiard paths, which
//! turn back (Klosowski et al. 1998, section 5.2).
//!
//! ```
//! use impinge::motion::{MovingScene, Sample, Stage};
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
mod stage;

pub use kinds::{Keyframe, Motion, Repeat};
pub use mover::{Mover, Surroundings};
pub use samples::Sample;
pub use stage::Stage;

use std::ops::Range;
use std::sync::Arc;

use impinge::Error;
use impinge::math::{Aabb, Pose};
use impinge::scene::Scene;

/// A scene whose bodies move.
#[derive(Clone, Debug, Default)]
pub struct MovingScene {
    /// The parts where they start, and the pairs that nobody wants to hear about.
    pub scene: Scene,
    /// What moves as one. Every part belongs to one body.
    pub bodies: Vec<MovingBody>,
    /// Bodies that hang on each other by at most so many links are not compared.
    pub ignore_links: u32,
}

/// Parts that move as one.
#[derive(Clone, Debug)]
pub struct MovingBody {
    /// What the user calls it.
    pub name: String,
    /// Its parts in the scene.
    pub parts: Range<usize>,
    /// The body, before it in the list, with which it moves.
    pub parent: Option<usize>,
    /// The pose of its own frame at the start, in the frame of the parent or of the scene.
    /// Keyframes say where that frame goes.
    pub origin: Pose,
    /// How it moves, in the frame of its parent or of the scene.
    pub motion: Motion,
}

impl MovingScene {
    /// A scene in which every part is a body that moves alike.
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

    /// Adds a body of one part at a pose in the frame of its parent, or of the scene, and returns
    /// its index.
    ///
    /// # Errors
    /// As [`Pose::compose`], if the body starts beyond the range of coordinates.
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

    /// Where a body's origin is at first, in the frame of the scene.
    fn pose_of(&self, body: usize) -> Result<Pose, Error> {
        let mut pose = self.bodies[body].origin;
        let mut above = self.bodies[body].parent;
        while let Some(parent) = above {
            pose = self.bodies[parent].origin.compose(&pose)?;
            above = self.bodies[parent].parent;
        }
        Ok(pose)
    }

    /// A box around all parts where they start.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let boxes = (0..self.scene.parts().len()).map(|i| self.scene.bounds_of(i));
        boxes.fold(Aabb::EMPTY, |all, b| all.union(&b))
    }

    /// Bodies that move, in a generated scene; see [`Sample`].
    ///
    /// # Errors
    /// [`BadParameter`](impinge::ErrorKind::BadParameter) if there are too few or too many bodies.
    pub fn sample(sample: Sample, bodies: usize, seed: u64) -> Result<Self, Error> {
        samples::make(sample, bodies, seed)
    }
}
