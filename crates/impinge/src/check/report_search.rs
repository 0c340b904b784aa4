//! The report about two parts from the pairs of triangles that meet, in parts.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::exact::{HitKind, triangle_triangle, units_of_exact_test};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{Hit, Posed};
use crate::solid::{Nesting, NestingSearch, Occupancy, RelateSearch};

use super::duplicate::SameSearch;
use super::known::{CheckStage, Relations};
use super::{PairReport, Relation};

/// Two parts, and the pose of the second in the frame of the first.
pub(super) type Parts<'m> = (&'m Mesh, &'m Mesh, &'m Pose);

/// A pair of triangles, and how they meet.
pub(super) type Strongest = ((u32, u32), HitKind);

/// Vertices that are moved in one unit.
const VERTICES_PER_UNIT: usize = 32;

/// The state of a search for the report without the distance. It does not recognise its query.
#[derive(Debug, Default)]
pub(super) struct ReportSearch {
    stage: Stage,
    /// The first pair of triangles that cross; if there is none, the first that overlap in a plane;
    /// if there is none, the first that touch.
    strongest: Option<Strongest>,
    /// The next pair of triangles, or the next vertex.
    next: usize,
    /// The vertices of B in the frame of A, and the box of its triangles there.
    moved: Vec<Vec3>,
    moved_box: Option<Aabb>,
    same: SameSearch,
    /// Whether the parts have the same triangles, if that was found before the search.
    is_same: Option<bool>,
    relate: RelateSearch,
    relation: Option<Relation>,
    nesting: NestingSearch,
    point: Option<Vec3>,
    hits: Vec<Hit>,
    payment: Paid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Kinds,
    Move,
    Same,
    Space,
    Point,
    Nested,
    Hits,
}

impl ReportSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        (self.stage, self.strongest, self.next) = (Stage::Kinds, None, 0);
        self.moved.clear();
        self.moved_box = None;
        self.same.reset();
        self.is_same = None;
        self.relate.reset();
        (self.relation, self.point) = (None, None);
        self.nesting.reset();
        self.hits.clear();
        self.payment = Paid::default();
    }

    /// Before the search: these two triangles cross.
    pub(super) fn set_crossing(&mut self, pair: (u32, u32)) {
        self.strongest = Some((pair, HitKind::Crossing));
    }

    /// Before the search: whether the parts, which meet, have the same triangles; `None` if the
    /// budget is spent.
    pub(super) fn find_same(&mut self, parts: Parts<'_>, budget: &mut Budget<'_>) -> Option<bool> {
        let (a, b, pose) = parts;
        if a.triangles().len() != b.triangles().len() {
            return Some(false);
        }
        self.move_vertices(b, pose, budget)?;
        let (posed_a, posed_b) = posed(parts, &self.moved, self.moved_box.as_ref());
        let is_same = self.same.run(&posed_a, &posed_b, budget)?;
        (self.is_same, self.next) = (Some(is_same), 0);
        Some(is_same)
    }

    /// Continues the search: the report, once; `None` if the budget is spent. `pairs` are all pairs
    /// of triangles that meet, sorted, or at least one that crosses.
    pub(super) fn run(
        &mut self,
        parts: Parts<'_>,
        pairs: &[(u32, u32)],
        keep_hits: bool,
        budget: &mut Budget<'_>,
    ) -> Option<PairReport> {
        let (a, b, pose) = parts;
        let may_be_same = !pairs.is_empty() && a.triangles().len() == b.triangles().len();
        loop {
            match self.stage {
                Stage::Kinds => {
                    self.find_strongest(parts, pairs, budget)?;
                    self.next = 0;
                    self.stage = Stage::Move;
                    if self.crosses() && !may_be_same {
                        self.relation = Some(Relation::Crossing);
                        self.stage = Stage::Point;
                    }
                }
                Stage::Move => {
                    if self.is_same.is_none() {
                        self.move_vertices(b, pose, budget)?;
                    }
                    self.next = 0;
                    self.stage = if may_be_same { Stage::Same } else { Stage::Space };
                }
                Stage::Same => {
                    let (posed_a, posed_b) = posed(parts, &self.moved, self.moved_box.as_ref());
                    let is_same = match self.is_same {
                        Some(known) => known,
                        None => self.same.run(&posed_a, &posed_b, budget)?,
                    };
                    if is_same {
                        self.relation = Some(Relation::Duplicate);
                        self.stage = Stage::Point;
                    } else if self.crosses() {
                        self.relation = Some(Relation::Crossing);
                        self.stage = Stage::Point;
                    } else {
                        self.stage = Stage::Space;
                    }
                }
                Stage::Space => {
                    let (posed_a, posed_b) = posed(parts, &self.moved, self.moved_box.as_ref());
                    let found = self.relate.run(&posed_a, &posed_b, pairs, budget)?;
                    self.relation = Some(relation_of(found));
                    self.stage = Stage::Point;
                }
                Stage::Point => {
                    if let Some((pair, _)) = self.strongest {
                        self.point = self.hit(parts, pair, budget)?.map(|hit| hit.point);
                    }
                    self.stage = Stage::Nested;
                }
                Stage::Nested => {
                    if self.point.is_none() {
                        self.point = self.common_point(parts, budget)?;
                    }
                    self.stage = Stage::Hits;
                }
                Stage::Hits => {
                    while keep_hits && self.next < pairs.len() {
                        let hit = self.hit(parts, pairs[self.next], budget)?;
                        self.hits.extend(hit);
                        self.next += 1;
                    }
                    return Some(PairReport {
                        relation: self.relation?,
                        hit_count: pairs.len(),
                        hits: std::mem::take(&mut self.hits),
                        point: self.point,
                        distance: None,
                    });
                }
            }
        }
    }

    fn crosses(&self) -> bool {
        matches!(self.strongest, Some((_, HitKind::Crossing)))
    }

    fn find_strongest(
        &mut self,
        parts: Parts<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        while !self.crosses() && self.next < pairs.len() {
            let pair = pairs[self.next];
            let [of_a, of_b] = corners(parts, pair);
            if !self.payment.afford(units_of_pair(&of_a, &of_b), Quantum::Exact, budget) {
                return None;
            }
            self.next += 1;
            let Some(kind) = triangle_triangle(&of_a, &of_b) else { continue };
            match (kind, self.strongest) {
                (HitKind::Crossing, _)
                | (HitKind::Coplanar, Some((_, HitKind::Touching { .. })))
                | (_, None) => self.strongest = Some((pair, kind)),
                _ => {}
            }
        }
        Some(())
    }

    fn move_vertices(&mut self, b: &Mesh, pose: &Pose, budget: &mut Budget<'_>) -> Option<()> {
        if *pose == Pose::IDENTITY {
            self.moved_box = Some(b.bounds());
            return Some(());
        }
        let vertices = b.vertices();
        while self.moved.len() < vertices.len() {
            if !self.payment.afford(1, Quantum::Exact, budget) {
                return None;
            }
            let next = self.moved.len();
            let end = vertices.len().min(next + VERTICES_PER_UNIT);
            self.moved.extend(vertices[next..end].iter().map(|v| pose.transform_point(*v)));
        }
        let used = b.used_vertices();
        while self.next < used.len() {
            if !self.payment.afford(1, Quantum::Exact, budget) {
                return None;
            }
            let end = used.len().min(self.next + VERTICES_PER_UNIT);
            let points = used[self.next..end].iter().map(|v| self.moved[*v as usize]);
            let around = Aabb::from_points(points);
            self.moved_box = Some(self.moved_box.map_or(around, |known| known.union(&around)));
            self.next = end;
        }
        Some(())
    }

    /// The hit of a pair of triangles; the outer option is `None` if the budget is spent.
    fn hit(
        &mut self,
        parts: Parts<'_>,
        (i, j): (u32, u32),
        budget: &mut Budget<'_>,
    ) -> Option<Option<Hit>> {
        let [of_a, of_b] = corners(parts, (i, j));
        if !self.payment.afford(units_of_pair(&of_a, &of_b), Quantum::Exact, budget) {
            return None;
        }
        Some(Hit::between((i, &of_a), (j, &of_b)))
    }

    /// A common point of parts whose triangles do not meet.
    fn common_point(
        &mut self,
        (a, b, pose): Parts<'_>,
        budget: &mut Budget<'_>,
    ) -> Option<Option<Vec3>> {
        let first = |mesh: &Mesh| mesh.triangles().first().map(|t| mesh.vertices()[t[0] as usize]);
        Some(match self.relation? {
            Relation::Clear | Relation::Near => None,
            Relation::AInsideB => first(a),
            Relation::BInsideA => first(b).map(|p| pose.transform_point(p)),
            _ => {
                let of_a = ((a, &Pose::IDENTITY), a.is_solid());
                match self.nesting.run(of_a, ((b, pose), b.is_solid()), budget) {
                    Nesting::Inside(p) => Some(p),
                    Nesting::Apart => None,
                    Nesting::Open => return None,
                }
            }
        })
    }

    /// What is being computed.
    pub(super) fn stage(&self) -> CheckStage {
        match self.stage {
            Stage::Kinds => CheckStage::Kinds,
            Stage::Move | Stage::Same => CheckStage::Duplicate,
            Stage::Space => CheckStage::Space,
            Stage::Point | Stage::Nested | Stage::Hits => CheckStage::Points,
        }
    }

    /// Removes the relations that are excluded by now.
    pub(super) fn narrow(&self, relations: &mut Relations) {
        if self.crosses() {
            relations.retain(&|r| matches!(r, Relation::Crossing | Relation::Duplicate));
        }
        match (self.relation, self.stage) {
            (Some(Relation::Clear), _) => {
                relations.retain(&|r| matches!(r, Relation::Clear | Relation::Near));
            }
            (Some(relation), _) => relations.retain(&|r| r == relation),
            (None, Stage::Space) => {
                relations.retain(&|r| self.relate.may_be(occupancy_of(r)));
            }
            (None, _) => {}
        }
    }
}

fn posed<'m>(
    (a, b, pose): Parts<'m>,
    moved: &'m [Vec3],
    moved_box: Option<&Aabb>,
) -> (Posed<'m>, Posed<'m>) {
    let posed_b = match moved_box {
        Some(bounds) if *pose != Pose::IDENTITY => Posed::from_moved(b, pose, moved, *bounds),
        _ => Posed::new(b, pose),
    };
    (Posed::new(a, &Pose::IDENTITY), posed_b)
}

/// The corners of two triangles, in the frame of A.
fn corners((a, b, pose): Parts<'_>, (i, j): (u32, u32)) -> [[Vec3; 3]; 2] {
    [a.triangle(i as usize), b.triangle(j as usize).map_each(|v| pose.transform_point(v))]
}

/// Units of an exact test of two triangles.
fn units_of_pair(of_a: &[Vec3; 3], of_b: &[Vec3; 3]) -> u64 {
    units_of_exact_test(&[of_a[0], of_a[1], of_a[2], of_b[0], of_b[1], of_b[2]])
}

fn relation_of(found: Occupancy) -> Relation {
    match found {
        Occupancy::Disjoint => Relation::Clear,
        Occupancy::Touching => Relation::Touching,
        Occupancy::Overlapping => Relation::Crossing,
        Occupancy::AInB => Relation::AInsideB,
        Occupancy::BInA => Relation::BInsideA,
        Occupancy::Equal => Relation::Duplicate,
    }
}

fn occupancy_of(relation: Relation) -> Occupancy {
    match relation {
        Relation::Clear | Relation::Near => Occupancy::Disjoint,
        Relation::Touching => Occupancy::Touching,
        Relation::Crossing => Occupancy::Overlapping,
        Relation::AInsideB => Occupancy::AInB,
        Relation::BInsideA => Occupancy::BInA,
        Relation::Duplicate => Occupancy::Equal,
    }
}
