//! Exact predicates.

mod contact;
mod convex_polygon;
mod location;
mod orient;
mod polygon;
mod polyhedron;
mod sign;

pub use contact::{Contact, Feature};
pub use convex_polygon::{point_in_convex_polygon, point_in_convex_polygon_counted};
pub use location::Location;
pub use orient::{orient2d, orient3d};
pub use polygon::{OneShotCounts, point_in_polygon, point_in_polygon_counted};
pub use polyhedron::{locate_point, point_on_triangle, winding_number};
pub use sign::Sign;
