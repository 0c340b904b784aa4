//! Sphere-trees by the published methods (section VIII).
//!
//! Three builders of [`SphereTree`]s, all with `fan_out^j` balls at level j, by default 8 to 4096
//! on four levels:
//!
//! - [`octree`]: the circumscribed spheres of the octants that the surface passes;
//! - [`annealed`]: the same, tightened by simulated annealing;
//! - [`medial`]: spheres on the medial axis, from the Voronoi vertices of points on the surface,
//!   where points are added until the spheres approximate the solid; adjacent spheres are merged,
//!   at the least cost first.
//!
//! All computations of these builders are rounded, and the spheres may leave holes, as in the
//! paper. The last step of all three, [`SphereTree::from_levels`], enlarges spheres next to holes,
//! as published, and proves that every level covers the surface.
//!
//! ```
//! use impinge::shapes;
//! use impinge_papers::hubbard::spheres::{self, SphereOptions};
//!
//! let bone = shapes::star_prism(5, 1.0, 0.6, 2.0)?;
//! let options = SphereOptions::default().levels(2);
//! let loose = spheres::octree(&bone, &options)?;
//! let tight = spheres::medial(&bone, &options)?;
//! let largest = |tree: &impinge::spheres::SphereTree| {
//!     tree.level(1).iter().map(|node| node.ball.radius).fold(0.0, f64::max)
//! };
//! assert!(largest(&tight) > 0.0 && largest(&loose) > 0.0);
//! # Ok::<(), impinge::Error>(())
//! ```

mod anneal;
mod medial;
mod merge;
mod octree;
mod reach;
mod surface;

pub use anneal::annealed;
pub use medial::medial;
pub use octree::octree;
pub use reach::reaches;

use impinge::mesh::Mesh;
use impinge::spheres::{CoverOptions, Node, SphereTree};
use impinge::{Error, ErrorKind};

/// How a sphere-tree is built.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SphereOptions {
    /// The number of levels, from 1 to 6. Default: 4.
    pub levels: usize,
    /// The number of balls of a level divided by that of the level above, from 2 to 8; the octree
    /// has 8 always. Default: 8.
    pub fan_out: usize,
    /// The approximate number of points on the surface for the medial axis and for annealing.
    /// Default: one and a half times the number of balls of the deepest level, at least 1000.
    pub samples: usize,
    /// Seed of random choices. Default: 1.
    pub seed: u64,
    /// Proposed changes for each ball when a tree is annealed. Default: 400.
    pub steps: usize,
    /// How the proven cover is made.
    pub cover: CoverOptions,
}

impl Default for SphereOptions {
    fn default() -> Self {
        Self {
            levels: 4,
            fan_out: 8,
            samples: 0,
            seed: 1,
            steps: 400,
            cover: CoverOptions::default(),
        }
    }
}

impl SphereOptions {
    /// With this number of levels.
    #[must_use]
    pub fn levels(self, levels: usize) -> Self {
        Self { levels, ..self }
    }

    /// With this number of children of a ball.
    #[must_use]
    pub fn fan_out(self, fan_out: usize) -> Self {
        Self { fan_out, ..self }
    }

    /// With this number of points on the surface.
    #[must_use]
    pub fn samples(self, samples: usize) -> Self {
        Self { samples, ..self }
    }

    /// With this seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// With this number of proposed changes.
    #[must_use]
    pub fn steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }

    /// With this cover.
    #[must_use]
    pub fn cover(self, cover: CoverOptions) -> Self {
        Self { cover, ..self }
    }

    fn check(&self, mesh: &Mesh) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadParameter, message));
        if mesh.is_empty() {
            let message = "a mesh without triangles has no cover of balls".to_owned();
            return Err(Error::new(ErrorKind::Empty, message));
        }
        if !(1..=6).contains(&self.levels) {
            return refuse(format!("{} levels: there must be 1 to 6", self.levels));
        }
        if !(2..=8).contains(&self.fan_out) {
            return refuse(format!("{} children: a ball must have 2 to 8", self.fan_out));
        }
        if self.samples > MAX_SAMPLES {
            return refuse(format!("{} samples: at most {MAX_SAMPLES}", self.samples));
        }
        Ok(())
    }

    /// The number of balls of a level.
    fn balls(&self, level: usize) -> usize {
        self.fan_out.pow(level as u32 + 1)
    }

    fn sample_count(&self) -> usize {
        match self.samples {
            0 => (self.balls(self.levels - 1) * 3 / 2).clamp(1000, MAX_SAMPLES),
            samples => samples,
        }
    }
}

/// The largest number of points on the surface that can be asked for.
const MAX_SAMPLES: usize = 1 << 20;

/// The proven tree.
fn finish(mesh: &Mesh, levels: &[Vec<Node>], options: &SphereOptions) -> Result<SphereTree, Error> {
    SphereTree::from_levels(mesh, levels, &options.cover)
}
