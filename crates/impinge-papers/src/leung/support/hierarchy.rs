//! The hierarchy of Dobkin and Kirkpatrick: a supporting vertex in O(log n).
//!
//! D. Dobkin, D. Kirkpatrick 1985, "A linear algorithm for determining the separation of convex
//! polyhedra"; Leung 1996, sections 2.5 and 5.3. `P_1` is the hull. `P_(i+1)` is the hull of the
//! vertices of `P_i` without an independent set: no two removed vertices share an edge of `P_i`.
//! The last level has at most four vertices.
//!
//! **Correctness of the descent** (our form of Leung's lemma 9, for any dimension and for merged
//! faces). Let `v` be furthest among the vertices of `P_(i+1)`. If it is not furthest in `P_i`,
//! some neighbour `u` of `v` in `P_i` lies strictly further, because the edges at `v` span a cone
//! that contains `P_i`. So `u` is not in `P_(i+1)`: it was removed, and all its neighbours were
//! kept. None of them lies further than `v`, hence none further than `u`, and `u` is furthest in
//! `P_i` by the same cone at `u`. So at each level the removed neighbours of `v` are evaluated, and
//! the first that lies strictly further is the result of that level. Comparisons are exact, and so
//! is the result.
//!
//! **Number of levels.** Vertices are removed in the order of their degree, and only those with at
//! most eight neighbours. The edges of a convex body form a planar graph, so at least half of the
//! vertices qualify. Each removed vertex excludes at most eight others, so at least one vertex in
//! eighteen is removed (in practice one in three or four). This yields O(log n) levels and O(n)
//! memory. The number of removed neighbours of the result of a level is not bounded for a body with
//! a vertex of high degree: at the apex of a cone over n points, n vertices are evaluated in the
//! worst case. The paper makes the same assumption.
//!
//! Each level is built as the hull of the remaining vertices, so the construction takes O(n log n).
//! Filling the holes one by one would take O(n).

use super::{Certainty, VertexSearch};
use impinge::convex::Hull;
use impinge::exact::Sign;
use impinge::internals::exact::compare_along;
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// Maximum number of neighbours of a removed vertex.
const MAX_DEGREE: usize = 8;

/// A level with at most this many vertices is the last.
const MAX_LAST_LEVEL_VERTICES: usize = 4;

/// The levels of a hull, for [`HierarchySearch`].
///
/// Stores indices of vertices only. A search needs the hull that the hierarchy was built from.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    levels: usize,
    /// The vertices of the last level.
    last: Vec<u32>,
    /// The row of vertex `v` at level `i` is `rows[v] + i`.
    rows: Vec<u32>,
    /// The removed neighbours of row `r` are `removed[starts[r]..starts[r + 1]]`.
    starts: Vec<u32>,
    removed: Vec<u32>,
}

impl Hierarchy {
    /// Builds the levels of `hull`.
    #[must_use]
    pub fn new(hull: &Hull) -> Self {
        let n = hull.vertices().len();
        // The vertices of the current level, and for each vertex of the hull its removed neighbours
        // by level.
        let mut remaining: Vec<u32> = (0..n as u32).collect();
        let mut lists: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n];
        // For each vertex, the number of levels after the first that contain it.
        let mut survived = vec![0_u32; n];
        let mut level = 0;
        let mut current = hull.clone();
        while current.vertices().len() > MAX_LAST_LEVEL_VERTICES {
            let removed = independent_set(&current);
            debug_assert!(
                removed.iter().any(|r| *r),
                "every planar graph has a vertex of degree five or less"
            );
            let mut kept = Vec::with_capacity(remaining.len());
            let mut points = Vec::with_capacity(remaining.len());
            for (v, name) in remaining.iter().enumerate() {
                if removed[v] {
                    continue;
                }
                survived[*name as usize] += 1;
                let removed_neighbors =
                    current.neighbors(v as u32).iter().filter(|u| removed[**u as usize]);
                lists[*name as usize]
                    .extend(removed_neighbors.map(|u| (level, remaining[*u as usize])));
                kept.push(*name);
                points.push(current.vertices()[v]);
            }
            // No error is expected, because a superset of the points was accepted. Stopping early
            // would still be correct.
            let Ok(next) = Hull::new(&points) else {
                break;
            };
            remaining = next.sources().iter().map(|s| kept[*s as usize]).collect();
            current = next;
            level += 1;
        }
        Self::pack(level as usize, remaining, &lists, &survived)
    }

    fn pack(levels: usize, last: Vec<u32>, lists: &[Vec<(u32, u32)>], survived: &[u32]) -> Self {
        let row_count: u32 = survived.iter().sum();
        let mut rows = Vec::with_capacity(lists.len());
        let mut starts = Vec::with_capacity(row_count as usize + 1);
        let mut removed = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for (list, survived) in lists.iter().zip(survived) {
            rows.push(starts.len() as u32);
            let mut list = list.iter().peekable();
            for level in 0..*survived {
                starts.push(removed.len() as u32);
                while let Some((_, u)) = list.next_if(|(l, _)| *l == level) {
                    removed.push(*u);
                }
            }
        }
        starts.push(removed.len() as u32);
        Self { levels, last, rows, starts, removed }
    }

    /// The number of levels, the hull itself included.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels + 1
    }

    /// The bytes on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        [&self.last, &self.rows, &self.starts, &self.removed]
            .into_iter()
            .map(|v| size_of_val(v.as_slice()))
            .sum()
    }

    /// A search in `hull`, from which this hierarchy was built.
    ///
    /// # Panics
    /// If the number of vertices of `hull` differs from that of the hull it was built from.
    #[must_use]
    pub fn search_in<'h>(&'h self, hull: &'h Hull) -> HierarchySearch<'h> {
        assert_eq!(
            self.rows.len(),
            hull.vertices().len(),
            "the hierarchy was built from another hull"
        );
        HierarchySearch { hull, hierarchy: self }
    }

    /// The neighbours of `vertex` in the polytope of `level` that are not in the next level. The
    /// vertex itself is in the next level.
    fn removed_around(&self, vertex: u32, level: usize) -> &[u32] {
        let row = self.rows[vertex as usize] as usize + level;
        &self.removed[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The vertices to remove: none has more than [`MAX_DEGREE`] neighbours, and no two are neighbours.
/// Vertices with few neighbours are selected first.
fn independent_set(hull: &Hull) -> Vec<bool> {
    let n = hull.vertices().len() as u32;
    let mut removed = vec![false; n as usize];
    let mut excluded = vec![false; n as usize];
    for degree in 0..=MAX_DEGREE {
        for v in 0..n {
            let around = hull.neighbors(v);
            if around.len() == degree && !excluded[v as usize] {
                removed[v as usize] = true;
                for u in around {
                    excluded[*u as usize] = true;
                }
            }
        }
    }
    removed
}

/// The search that descends a [`Hierarchy`]. It needs no start vertex.
#[derive(Clone, Copy, Debug)]
pub struct HierarchySearch<'h> {
    hull: &'h Hull,
    hierarchy: &'h Hierarchy,
}

impl VertexSearch for HierarchySearch<'_> {
    fn hull(&self) -> &Hull {
        self.hull
    }

    fn start(&self, _direction: Vec3) -> u32 {
        0
    }

    fn search(&self, direction: Vec3, _start: u32, climb: &mut Climb) -> u32 {
        let vertices = self.hull.vertices();
        let further = |v: u32, u: u32| {
            let (p, q) = (vertices[v as usize], vertices[u as usize]);
            compare_along(direction, p, q) == Sign::Positive
        };
        let mut best = self.hierarchy.last[0];
        let mut evaluated = self.hierarchy.last.len();
        for u in &self.hierarchy.last[1..] {
            if further(best, *u) {
                best = *u;
            }
        }
        for level in (0..self.hierarchy.levels).rev() {
            for u in self.hierarchy.removed_around(best, level) {
                evaluated += 1;
                if further(best, *u) {
                    best = *u;
                    break;
                }
            }
        }
        climb.count(evaluated);
        best
    }

    fn certainty(&self) -> Certainty {
        Certainty::Exact
    }

    fn extra_bytes(&self) -> usize {
        self.hierarchy.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;

    #[test]
    fn removed_vertices_are_independent_and_numerous() {
        let mut random = Random::new(2);
        for n in [5, 30, 400] {
            let points: Vec<_> = (0..n).map(|_| random.direction()).collect();
            let hull = Hull::new(&points).unwrap();
            let removed = independent_set(&hull);
            for v in (0..n).filter(|v| removed[*v]) {
                let around = hull.neighbors(v as u32);
                assert!(around.len() <= MAX_DEGREE);
                assert!(around.iter().all(|u| !removed[*u as usize]));
            }
            let count = removed.iter().filter(|r| **r).count();
            assert!(count * 18 >= n && count < n, "{count} of {n}");
        }
    }

    #[test]
    fn any_direction_has_a_result() {
        let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE]).unwrap();
        let hierarchy = Hierarchy::new(&hull);
        let search = hierarchy.search_in(&hull);
        let climb = &mut Climb::default();
        for bad in [Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), Vec3::ZERO] {
            assert!((search.search(bad, 0, climb) as usize) < 5);
        }
    }
}
