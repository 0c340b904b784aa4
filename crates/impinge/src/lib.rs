//! Exact, certified collision detection for triangle meshes and solids.

pub mod check;
pub mod closest;
pub mod error;
pub mod exact;
pub mod math;
pub mod mesh;
pub mod pair;
pub mod scene;
pub mod shapes;
pub mod solid;
pub mod tree;

pub use error::{Error, ErrorKind};
pub use math::{Aabb, Pose, Vec3};
pub use mesh::Mesh;
pub use pair::{Hit, Separation, Verdict, all_pairs, distance, intersects};
pub use scene::Scene;
