//! The part of a mesh that does not depend on coordinates: polygons, their triangles, and the data
//! derived from these alone.

use std::ops::Range;
use std::sync::OnceLock;

use super::components::Components;
use super::edges::Edges;
use super::topology::HalfEdgeTables;
use crate::arrays::{MapEach, MapToVec};
use crate::error::{Error, ErrorKind};

/// The polygons of a mesh that are not all triangles, as ranges of one list of corners.
///
/// `starts` has one entry more than there are polygons; polygon `i` owns
/// `corners[starts[i]..starts[i + 1]]`. A polygon of `n` corners has exactly `n - 2` triangles, so
/// the triangles of polygon `i` start at `starts[i] - 2 * i`.
#[derive(Clone, Debug)]
pub(super) struct PolygonList {
    pub(super) starts: Vec<u32>,
    pub(super) corners: Vec<u32>,
    pub(super) polygon_of: Vec<u32>,
}

/// The data of a mesh that does not change when vertices move.
#[derive(Clone, Debug, Default)]
pub(super) struct Connectivity {
    pub(super) vertex_count: usize,
    pub(super) triangles: Vec<[u32; 3]>,
    /// `None` when every polygon is a triangle: polygon `i` is then triangle `i`.
    pub(super) polygons: Option<PolygonList>,
    /// Polygons with forced ears or with loops of both orientations (see [`super::triangulate`]):
    /// their triangles may overlap. Ascending.
    pub(super) forced_polygons: Vec<u32>,
    pub(super) used: OnceLock<Vec<u32>>,
    pub(super) half_edge_tables: OnceLock<HalfEdgeTables>,
    /// Whether every edge has an even number of sides, and whether it has as many in one direction
    /// as in the other.
    pub(super) closed_and_balanced: OnceLock<[bool; 2]>,
    pub(super) triangle_edges: OnceLock<Edges>,
    pub(super) shells: OnceLock<Components>,
    pub(super) clusters: OnceLock<Components>,
}

impl Connectivity {
    pub(super) fn of_triangles(vertex_count: usize, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertex_count, triangles, ..Self::default() }
    }

    pub(super) fn polygon_count(&self) -> usize {
        self.polygons.as_ref().map_or(self.triangles.len(), |p| p.starts.len() - 1)
    }

    pub(super) fn corner_count(&self) -> usize {
        self.polygons.as_ref().map_or(3 * self.triangles.len(), |p| p.corners.len())
    }

    pub(super) fn corners(&self) -> &[u32] {
        self.polygons.as_ref().map_or(self.triangles.as_flattened(), |p| &p.corners)
    }

    pub(super) fn corner_range(&self, polygon: usize) -> Range<usize> {
        match &self.polygons {
            None => 3 * polygon..3 * polygon + 3,
            Some(p) => p.starts[polygon] as usize..p.starts[polygon + 1] as usize,
        }
    }

    pub(super) fn polygon(&self, polygon: usize) -> &[u32] {
        &self.corners()[self.corner_range(polygon)]
    }

    pub(super) fn triangles_of(&self, polygon: usize) -> Range<usize> {
        let corners = self.corner_range(polygon);
        match self.polygons {
            None => polygon..polygon + 1,
            Some(_) => corners.start - 2 * polygon..corners.end - 2 * (polygon + 1),
        }
    }

    pub(super) fn polygon_of(&self, triangle: usize) -> u32 {
        assert!(
            triangle < self.triangles.len(),
            "there is no triangle {triangle}; the mesh has {}",
            self.triangles.len()
        );
        match &self.polygons {
            None => index(triangle),
            Some(p) => p.polygon_of[triangle],
        }
    }

    /// The vertices that are corners of polygons, ascending.
    pub(super) fn used(&self) -> &[u32] {
        self.used.get_or_init(|| {
            let mut used = vec![false; self.vertex_count];
            for v in self.corners() {
                used[*v as usize] = true;
            }
            (0..index(self.vertex_count)).filter(|v| used[*v as usize]).collect()
        })
    }

    /// The same polygons and triangles with every vertex index replaced.
    pub(super) fn renumbered(&self, vertex_count: usize, number: impl Fn(u32) -> u32) -> Self {
        Self {
            vertex_count,
            triangles: self.triangles.iter().map(|t| t.map_each(&number)).collect(),
            polygons: self.polygons.as_ref().map(|p| PolygonList {
                starts: p.starts.clone(),
                corners: p.corners.map_to_vec(|v| number(*v)),
                polygon_of: p.polygon_of.clone(),
            }),
            forced_polygons: self.forced_polygons.clone(),
            ..Self::default()
        }
    }

    /// All polygons and triangles reversed; each keeps its first corner.
    pub(super) fn flipped(&self) -> Self {
        let mut polygons = self.polygons.clone();
        if let Some(p) = &mut polygons {
            for i in 0..p.starts.len() - 1 {
                p.corners[p.starts[i] as usize + 1..p.starts[i + 1] as usize].reverse();
            }
        }
        Self {
            vertex_count: self.vertex_count,
            triangles: self.triangles.map_to_vec(|[a, b, c]| [*a, *c, *b]),
            polygons,
            forced_polygons: self.forced_polygons.clone(),
            ..Self::default()
        }
    }

    /// The concatenation of several connectivities, with vertices renumbered in order.
    pub(super) fn merged(parts: &[&Self]) -> Result<Self, Error> {
        check_count(parts.iter().map(|p| p.vertex_count).sum(), "vertices")?;
        check_count(parts.iter().map(|p| p.corner_count()).sum(), "polygon corners")?;
        let mut all = Self::default();
        let mut list = parts.iter().any(|p| p.polygons.is_some()).then(|| PolygonList {
            starts: vec![0],
            corners: Vec::new(),
            polygon_of: Vec::new(),
        });
        let mut polygons = 0;
        for part in parts {
            let shift = index(all.vertex_count);
            all.triangles.extend(part.triangles.iter().map(|t| t.map_each(|v| v + shift)));
            all.forced_polygons.extend(part.forced_polygons.iter().map(|p| p + polygons));
            if let Some(list) = &mut list {
                for p in 0..part.polygon_count() {
                    list.corners.extend(part.polygon(p).iter().map(|v| v + shift));
                    list.starts.push(index(list.corners.len()));
                    let triangles = part.triangles_of(p).len();
                    list.polygon_of.resize(list.polygon_of.len() + triangles, polygons + index(p));
                }
            }
            polygons += index(part.polygon_count());
            all.vertex_count += part.vertex_count;
        }
        all.polygons = list;
        Ok(all)
    }
}

/// `i` as a `u32` index. Construction has checked that every count fits.
#[inline]
pub(super) fn index(i: usize) -> u32 {
    debug_assert!(
        u32::try_from(i).is_ok(),
        "index {i} does not fit in u32; construction should have checked the count"
    );
    i as u32
}

/// Stands for a missing index.
pub(super) const NONE: u32 = u32::MAX;

/// Checks that `count` items can be numbered by `u32` without using [`NONE`].
pub(super) fn check_count(count: usize, what: &str) -> Result<(), Error> {
    if count >= NONE as usize {
        return Err(Error::new(
            ErrorKind::TooLarge,
            format!(
                "{count} {what} in one mesh; at most {} are possible; split the mesh",
                NONE - 1
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_u32_are_rejected() {
        assert!(check_count(u32::MAX as usize - 1, "vertices").is_ok());
        let error = check_count(u32::MAX as usize, "vertices").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
    }
}
