//! One pair of parts.

use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{Distance, Hit, Posed, all_pairs, closest_pair};
use crate::solid::{Occupancy, occupancy, vertex_inside};

use super::Relation;
use super::duplicate::same_triangles;

/// What to find out about a pair beyond its relation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckOptions {
    /// Parts no further apart than this are [`Relation::Near`]. In the unit of the coordinates; a negative or NaN clearance is none.
    pub clearance: Option<f64>,
    /// Also measure the distance of parts that do not meet, however far apart.
    pub distance: bool,
    /// Keep every intersecting pair of triangles, not only their number.
    pub keep_hits: bool,
}

/// The verdict about one pair of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReport {
    /// How the parts stand to each other.
    pub relation: Relation,
    /// The number of intersecting pairs of triangles.
    pub hit_count: usize,
    /// The intersecting pairs, sorted, if [`CheckOptions::keep_hits`] was set.
    pub hits: Vec<Hit>,
    /// A common point, in A's frame, for every collision: of two triangles, preferably of two that cross, or of a part inside the other.
    pub witness: Option<Vec3>,
    /// The distance, where it was asked for and the parts do not meet. With a clearance but without
    /// [`CheckOptions::distance`], only of parts within the clearance.
    pub distance: Option<Distance>,
}

/// How `a` and `b` stand to each other, with `b` at `pose` in `a`'s frame. Exact, but for one thing: a distance is known between two
/// bounds, and parts are [`Relation::Near`] if the lower one does not exceed the clearance.
///
/// ```
/// use impinge::check::{CheckOptions, Relation, check_pair};
/// use impinge::{Pose, shapes};
///
/// let (room, ball) = (shapes::cuboid([4.0, 4.0, 4.0])?, shapes::icosphere(1.0, 2)?);
/// let report = check_pair(&room, &ball, &Pose::IDENTITY, &CheckOptions::default());
/// assert_eq!(report.relation, Relation::BInsideA);
/// assert_eq!(report.hit_count, 0); // no triangles meet
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn check_pair(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> PairReport {
    let hits = all_pairs(a, b, pose);
    let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
    let relation = if !hits.is_empty() && same_triangles(&a, &b) {
        Relation::Duplicate
    } else {
        match occupancy(&a, &b, &hits) {
            Occupancy::Disjoint => Relation::Clear,
            Occupancy::Touching => Relation::Touching,
            Occupancy::Overlapping => Relation::Crossing,
            Occupancy::AInB => Relation::AInsideB,
            Occupancy::BInA => Relation::BInsideA,
            Occupancy::Equal => Relation::Duplicate,
        }
    };
    let witness = match relation {
        Relation::Clear | Relation::Near => None,
        Relation::AInsideB if hits.is_empty() => first_corner(&a),
        Relation::BInsideA if hits.is_empty() => first_corner(&b),
        _ => best_witness(&hits).or_else(|| vertex_inside(&a, &b)),
    };
    let mut report = PairReport { relation, hit_count: hits.len(), hits, witness, distance: None };
    if !options.keep_hits {
        report.hits = Vec::new();
    }
    if report.relation == Relation::Clear {
        let clearance = options.clearance.filter(|c| *c >= 0.0);
        let limit = if options.distance { Some(f64::INFINITY) } else { clearance };
        report.distance = limit.and_then(|limit| closest_pair(a.mesh(), b.mesh(), pose, limit));
        let near = |d: &Distance| clearance.is_some_and(|c| d.lower <= c);
        if report.distance.as_ref().is_some_and(near) {
            report.relation = Relation::Near;
        }
    }
    report
}

/// A common point of the most telling hit: a crossing before a coplanar overlap before a touch.
fn best_witness(hits: &[Hit]) -> Option<Vec3> {
    use crate::exact::Contact;
    let rank = |h: &&Hit| match h.contact {
        Contact::Crossing => 0,
        Contact::Coplanar => 1,
        Contact::Touching { .. } => 2,
    };
    hits.iter().min_by_key(rank).map(|h| h.point)
}

fn first_corner(mesh: &Posed<'_>) -> Option<Vec3> {
    mesh.mesh().triangles().first().map(|t| mesh.vertices()[t[0] as usize])
}
