//! An approximate contact of two bodies whose search for a hit is not finished.

use super::FirstSearch;
use crate::answer::Contact;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::contact_of_boxes;

impl FirstSearch {
    /// A contact for a response while it is not known whether the bodies meet, from the open pairs
    /// of parts (Hubbard 1995, section VII).
    ///
    /// The parts are the contents of two boxes of the trees. `direction` leads from A to B: out of
    /// A's patches and into B's. B moved along it by `-lower` has no open pair of parts that meet;
    /// `point_a` and `point_b` are the same point, in the middle of what the boxes have in common,
    /// on average. Point and direction approximate the contact of bodies that touch or nearly do;
    /// only
    /// `lower` is a certain bound.
    /// Of more than 256 open pairs, about 256 are compared, and `lower` is that of the whole
    /// meshes.
    ///
    /// `None` if the search is decided, or belongs to other meshes or to another pose. Searches
    /// without trees, or with sizes beyond `f32`, have a contact of the outermost boxes.
    ///
    /// ```
    /// use impinge::pair::{Budget, FirstSearch, first_hit_within};
    /// use impinge::{Pose, Vec3, shapes};
    ///
    /// let ball = shapes::icosphere(1.0, 16)?;
    /// ball.prepare();
    /// let way = Vec3::new(1.0, 1.0, 0.0).normalize();
    /// let beside = Pose::from_translation(way * 2.001)?;
    /// let mut search = FirstSearch::new();
    /// let part = first_hit_within(&ball, &ball, &beside, &mut Budget::steps(4), &mut search);
    /// assert!(part.is_undecided());
    /// let contact = search.contact(&ball, &ball, &beside).expect("pairs are open");
    /// assert!(contact.direction.dot(way) > 0.5 && contact.point_a.distance(way) < 0.9);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn contact(&self, a: &Mesh, b: &Mesh, pose: &Pose) -> Option<Contact> {
        self.open_contact(a, b, pose, || contact_of_boxes(&a.bounds(), &b.bounds_at(pose)))
    }
}
