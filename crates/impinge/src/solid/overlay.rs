//! The kinds of space at a contact: inside both solids, or inside one only.
//!
//! The two meshes intersect a small sphere about the contact point in arcs of great circles, which
//! divide the sphere into cells. Each cell is bounded by pieces of arcs, so testing both sides of
//! every piece covers every cell.

use crate::exact::Sign;
use crate::math::Vec3;

use super::directions::{Dir, Directions};
use super::fan::{Arc, ContactPoint, Fan, Neighbourhood};

/// The kinds of space found so far. Flags are only ever set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overlay {
    /// Some space is in both (for a mesh that is not closed: some of its surface is inside the
    /// other).
    pub(super) both: bool,
    /// Some space is in A only (for a mesh that is not closed: some of its surface is outside the
    /// other).
    pub(super) in_a_only: bool,
    /// The same for B.
    pub(super) in_b_only: bool,
}

impl Overlay {
    /// Whether all kinds were found.
    pub(super) fn is_full(&self) -> bool {
        self.both && self.in_a_only && self.in_b_only
    }

    /// Exchanges the roles of A and B.
    pub(super) fn swap(&mut self) {
        std::mem::swap(&mut self.in_a_only, &mut self.in_b_only);
    }

    fn add(&mut self, in_a: bool, in_b: bool) {
        self.both |= in_a && in_b;
        self.in_a_only |= in_a && !in_b;
        self.in_b_only |= in_b && !in_a;
    }
}

/// Two fans about one point. A mesh that is not closed is represented by its surface only.
#[derive(Debug)]
pub(super) struct LocalPair<'a> {
    pub(super) a: &'a Fan,
    pub(super) b: &'a Fan,
    pub(super) a_is_solid: bool,
    pub(super) b_is_solid: bool,
}

impl LocalPair<'_> {
    /// Adds the kinds of space about the point to `overlay`. `None` if no generic direction was
    /// found, see [`Fan::contains`].
    pub(super) async fn classify(
        &self,
        local: &mut Neighbourhood,
        overlay: &mut Overlay,
    ) -> Option<()> {
        let of_a = self.a.arcs.iter().map(|arc| (arc, true));
        let of_b = self.b.arcs.iter().map(|arc| (arc, false));
        for (arc, of_a) in of_a.chain(of_b) {
            // An arc can only be tested against a solid.
            if !(if of_a { self.b_is_solid } else { self.a_is_solid }) {
                continue;
            }
            for piece in self.cuts(&mut local.dirs, arc).await.windows(2) {
                if overlay.is_full() {
                    return Some(());
                }
                let (above, below) = both_sides(local, arc, piece[0], piece[1]).await?;
                if self.a_is_solid && self.b_is_solid {
                    for d in [above, below] {
                        let in_a = self.a.contains(local, d).await?;
                        let in_b = self.b.contains(local, d).await?;
                        overlay.add(in_a, in_b);
                    }
                } else {
                    let solid = if of_a { self.b } else { self.a };
                    let up = solid.contains(local, above).await?;
                    let down = solid.contains(local, below).await?;
                    if up == down {
                        // The piece is inside or outside the solid; where the sides differ, the
                        // surfaces coincide.
                        overlay.both |= up;
                        overlay.in_a_only |= of_a && !up;
                        overlay.in_b_only |= !of_a && !up;
                    }
                }
            }
        }
        Some(())
    }

    /// The arc's ends and the points where other arcs meet it, in order along it, without
    /// duplicates.
    async fn cuts(&self, dirs: &mut Directions, arc: &Arc) -> Vec<Dir> {
        let mut cuts = vec![arc.u];
        for other in self.a.arcs.iter().chain(&self.b.arcs) {
            if other.plane == arc.plane {
                for x in [other.u, other.v] {
                    if arc.contains_strictly(dirs, x).await {
                        insert(&mut cuts, x, dirs, arc).await;
                    }
                }
            } else if dirs.det(arc.u, arc.v, other.u).await != dirs.det(arc.u, arc.v, other.v).await
            {
                let x = dirs.cross(arc.normal, other.normal).await;
                let opposite = dirs.negated(x).await;
                for x in [x, opposite] {
                    if arc.contains_strictly(dirs, x).await && other.contains(dirs, x).await {
                        insert(&mut cuts, x, dirs, arc).await;
                    }
                }
            }
        }
        cuts.push(arc.v);
        cuts
    }
}

/// Inserts a point of an arc into a sorted list that starts with the arc's first end, unless the
/// list has the same point.
async fn insert(cuts: &mut Vec<Dir>, x: Dir, dirs: &mut Directions, arc: &Arc) {
    let (mut low, mut high) = (1, cuts.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        match dirs.det(arc.normal, cuts[middle], x).await {
            Sign::Positive => low = middle + 1,
            Sign::Zero => return,
            Sign::Negative => high = middle,
        }
    }
    cuts.insert(low, x);
}

impl Fan {
    /// Whether there is space outside the solid about the point, next to its own surface. `None` as
    /// in [`Fan::contains`].
    pub(super) async fn has_free_space(&self, local: &mut Neighbourhood) -> Option<bool> {
        let nothing = Fan::default();
        let alone = LocalPair { a: self, b: &nothing, a_is_solid: true, b_is_solid: true };
        for arc in &self.arcs {
            for piece in alone.cuts(&mut local.dirs, arc).await.windows(2) {
                let (above, below) = both_sides(local, arc, piece[0], piece[1]).await?;
                if !(self.contains(local, above).await? && self.contains(local, below).await?) {
                    return Some(true);
                }
            }
        }
        Some(false)
    }
}

/// Directions next to the middle of a piece of `arc`, on both sides of it, not in any plane.
async fn both_sides(
    local: &mut Neighbourhood,
    arc: &Arc,
    from: Dir,
    to: Dir,
) -> Option<(Dir, Dir)> {
    let inwards = local.dirs.negated(arc.normal).await;
    for weight in 0..64 {
        let middle = local.dirs.sum(from, to, weight).await;
        let above = local.direction_next_to(middle, arc.plane, arc.normal).await;
        let Some(above) = above else { continue };
        if let Some(below) = local.direction_next_to(middle, arc.plane, inwards).await {
            return Some((above, below));
        }
    }
    None
}

/// The triangles of a mesh near a contact point, and the crossings of the ray from it with all
/// others.
#[derive(Debug)]
pub(super) struct NearPoint {
    pub(super) triangles: Vec<[Vec3; 3]>,
    pub(super) crossings: i64,
    pub(super) by_parity: bool,
    pub(super) is_solid: bool,
}

impl NearPoint {
    async fn fan(&self, local: &mut Neighbourhood) -> Fan {
        Fan::of(local, &self.triangles, self.crossings, self.by_parity).await
    }
}

/// The kinds of space known before, and those at a contact point. Rays go along coordinate axis
/// `axis`. `None` as in [`LocalPair::classify`].
pub(super) async fn classify_contact(
    (point, axis): (ContactPoint, usize),
    a: NearPoint,
    b: NearPoint,
    mut known: Overlay,
) -> Option<Overlay> {
    let mut local = Neighbourhood::new(point, axis).await;
    let fans = (a.fan(&mut local).await, b.fan(&mut local).await);
    let pair = LocalPair { a: &fans.0, b: &fans.1, a_is_solid: a.is_solid, b_is_solid: b.is_solid };
    pair.classify(&mut local, &mut known).await?;
    Some(known)
}

/// Whether there is space outside a solid next to its own surface at a point. `true` if that cannot
/// be decided.
pub(super) async fn has_free_space((point, axis): (ContactPoint, usize), solid: NearPoint) -> bool {
    let mut local = Neighbourhood::new(point, axis).await;
    let fan = solid.fan(&mut local).await;
    fan.has_free_space(&mut local).await.unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::super::pauses::to_the_end;
    use super::*;

    const CUBE: [[usize; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];

    fn cube(min: [f64; 3], max: [f64; 3]) -> Vec<[Vec3; 3]> {
        let corner = |i: usize| {
            Vec3::new(
                if i & 1 == 0 { min[0] } else { max[0] },
                if i & 2 == 0 { min[1] } else { max[1] },
                if i & 4 == 0 { min[2] } else { max[2] },
            )
        };
        CUBE.iter().map(|t| t.map(corner)).collect()
    }

    fn near(triangles: &[[Vec3; 3]]) -> NearPoint {
        let triangles = triangles.to_vec();
        NearPoint { triangles, crossings: 0, by_parity: false, is_solid: true }
    }

    fn classify(a: &[[Vec3; 3]], b: &[[Vec3; 3]], point: ContactPoint) -> Overlay {
        let known = Overlay::default();
        to_the_end(classify_contact((point, 0), near(a), near(b), known)).unwrap()
    }

    fn kinds(both: bool, in_a_only: bool, in_b_only: bool) -> Overlay {
        Overlay { both, in_a_only, in_b_only }
    }

    #[test]
    fn cubes_that_share_a_corner_an_edge_or_a_face_do_not_overlap() {
        let a = cube([0.0; 3], [1.0; 3]);
        let p = ContactPoint::Corner(Vec3::ONE);
        for b in [
            cube([1.0; 3], [2.0; 3]),
            cube([1.0, 1.0, 0.0], [2.0, 2.0, 1.0]),
            cube([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]),
            cube([1.0, 0.5, 0.25], [2.0, 3.0, 4.0]),
        ] {
            assert_eq!(classify(&a, &b, p), kinds(false, true, true));
            assert_eq!(classify(&b, &a, p), kinds(false, true, true));
        }
    }

    #[test]
    fn aligned_cubes_that_overlap_without_any_crossing_triangles() {
        let (a, b) = (cube([0.0; 3], [1.0; 3]), cube([0.5, 0.0, 0.0], [1.5, 1.0, 1.0]));
        // The corner of b lies on an edge of a.
        let p = ContactPoint::Corner(Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(classify(&a, &b, p), kinds(true, true, false));
        let q = ContactPoint::Corner(Vec3::new(1.0, 1.0, 1.0));
        assert_eq!(classify(&a, &b, q), kinds(true, false, true));
    }

    #[test]
    fn a_cube_inside_another_in_its_corner_and_a_cube_on_itself() {
        let (a, b) = (cube([0.0; 3], [1.0; 3]), cube([0.0; 3], [0.5; 3]));
        let p = ContactPoint::Corner(Vec3::ZERO);
        assert_eq!(classify(&a, &a, p), kinds(true, false, false));
        // Near this corner the cubes coincide.
        assert_eq!(classify(&a, &b, p), kinds(true, false, false));
        let q = ContactPoint::Corner(Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(classify(&a, &b, q), kinds(true, true, false));
    }

    #[test]
    fn crossing_edges_of_two_wedges() {
        let a = cube([-1.0, -1.0, -2.0], [1.0, 1.0, 0.0]);
        let roof: Vec<[Vec3; 3]> = {
            // A prism along y whose lower ridge lies on an edge of a, over its whole length.
            let [p, q] = [Vec3::new(1.0, -0.3, 0.0), Vec3::new(1.0, 0.7, 0.0)];
            let [r, s] = [Vec3::new(0.5, -0.3, 1.0), Vec3::new(0.5, 0.7, 1.0)];
            let [t, u] = [Vec3::new(2.5, -0.3, 1.0), Vec3::new(2.5, 0.7, 1.0)];
            vec![
                [p, r, s],
                [p, s, q],
                [p, q, u],
                [p, u, t],
                [r, t, u],
                [r, u, s],
                [p, t, r],
                [q, s, u],
            ]
        };
        let touching = classify(&a, &roof, ContactPoint::Corner(Vec3::new(1.0, -0.3, 0.0)));
        assert!(touching.in_a_only && touching.in_b_only);
        let crossing = ContactPoint::Crossing {
            e: [Vec3::new(1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0)],
            f: [Vec3::new(0.0, -0.2, 0.0), Vec3::new(3.0, 0.7, 0.0)],
        };
        let fan = to_the_end(async {
            let mut local = Neighbourhood::new(crossing, 0).await;
            near(&a).fan(&mut local).await
        });
        // The two half-planes at the edge, with two arcs each, as no diagonal ends at the point.
        assert_eq!(fan.arcs.len(), 4);
    }
}
