//! Sides of polygons, grouped by their smaller vertex: whether a mesh is closed and balanced, and
//! its shells. This takes a fraction of the time of the half-edges, which also know the order of
//! edges and the neighbours of every side.

use super::components::Components;
use super::connectivity::{Connectivity, NONE, index};
use super::union_find::UnionFind;

/// A side between two different vertices.
#[derive(Clone, Copy, Default)]
struct Side {
    larger: u32,
    polygon: u32,
}

/// The sides of all polygons between different vertices, those with the same smaller vertex
/// together.
struct Sides {
    sides: Vec<Side>,
    /// For each vertex, the end of the sides that start there and lead to a larger vertex, and that
    /// of the sides that arrive from a larger vertex, which follow.
    ends: Vec<[u32; 2]>,
}

impl Sides {
    fn of(c: &Connectivity) -> Self {
        // The numbers of sides, then where the next of them is put, then the ends.
        let mut ends = vec![[0_u32; 2]; c.vertex_count];
        c.for_each_side(|from, to, _| {
            ends[from.min(to) as usize][usize::from(to < from)] += 1;
        });
        let mut count = 0;
        for [leaving, arriving] in &mut ends {
            let first = count;
            count += *leaving + *arriving;
            (*leaving, *arriving) = (first, first + *leaving);
        }
        let mut sides = vec![Side::default(); count as usize];
        c.for_each_side(|from, to, polygon| {
            let place = &mut ends[from.min(to) as usize][usize::from(to < from)];
            sides[*place as usize] = Side { larger: from.max(to), polygon };
            *place += 1;
        });
        Self { sides, ends }
    }

    /// For each vertex, its sides to larger vertices, and how many of them start there: these are
    /// the first.
    fn at_vertices(&self) -> impl Iterator<Item = (&[Side], usize)> {
        let mut first = 0;
        self.ends.iter().map(move |[middle, end]| {
            let start = std::mem::replace(&mut first, *end as usize);
            (&self.sides[start..first], *middle as usize - start)
        })
    }
}

impl Connectivity {
    /// Whether every edge has an even number of sides, and whether it has as many in one direction
    /// as in the other. Sides from a vertex to itself do not count. Computed once.
    pub(super) fn closed_and_balanced(&self) -> [bool; 2] {
        *self.closed_and_balanced.get_or_init(|| {
            // For every larger vertex, the difference of the directions, modulo 2^32. Its lowest
            // bit tells whether the number of sides is even.
            let mut difference = vec![0_u32; self.vertex_count];
            let mut all = 0;
            for (sides, starting) in Sides::of(self).at_vertices() {
                for side in &sides[..starting] {
                    let at = &mut difference[side.larger as usize];
                    *at = at.wrapping_add(1);
                }
                for side in &sides[starting..] {
                    let at = &mut difference[side.larger as usize];
                    *at = at.wrapping_sub(1);
                }
                for side in sides {
                    all |= std::mem::take(&mut difference[side.larger as usize]);
                }
            }
            [all & 1 == 0, all == 0]
        })
    }

    /// The components connected through edges between different vertices. Computed once.
    pub(super) fn shells(&self) -> &Components {
        self.shells.get_or_init(|| {
            let mut sets = UnionFind::new(self.polygon_count());
            // For every larger vertex, the last smaller one with a side to it, and the polygon.
            let mut last = vec![[NONE; 2]; self.vertex_count];
            for (vertex, (sides, _)) in Sides::of(self).at_vertices().enumerate() {
                for side in sides {
                    let [other, polygon] = &mut last[side.larger as usize];
                    if *other == index(vertex) {
                        sets.unite(*polygon, side.polygon);
                    }
                    [*other, *polygon] = [index(vertex), side.polygon];
                }
            }
            Components::from_sets(sets, self.polygon_count())
        })
    }

    /// Calls `visit` with the two ends and the polygon of every side between different vertices.
    fn for_each_side(&self, mut visit: impl FnMut(u32, u32, u32)) {
        let mut side = |from: u32, to: u32, polygon: usize| {
            if from != to {
                visit(from, to, index(polygon));
            }
        };
        if self.polygons.is_none() {
            for (triangle, [a, b, c]) in self.triangles.iter().enumerate() {
                side(*a, *b, triangle);
                side(*b, *c, triangle);
                side(*c, *a, triangle);
            }
            return;
        }
        for polygon in 0..self.polygon_count() {
            let corners = self.polygon(polygon);
            let next = corners.iter().cycle().skip(1);
            corners.iter().zip(next).for_each(|(from, to)| side(*from, *to, polygon));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::math::{Random, Vec3};
    use crate::mesh::Mesh;

    /// Compares with the half-edges: sides from a vertex to itself, edges of any number of sides
    /// in any direction, polygons that follow an edge twice, several shells.
    #[test]
    fn sides_and_half_edges_agree() {
        let mut random = Random::new(17);
        let mut seen = [0; 4];
        for round in 0..3000 {
            let vertices = 2 + random.index(9);
            let corner = |random: &mut Random| random.index(vertices) as u32;
            let mut polygons: Vec<Vec<u32>> = (0..random.index(6))
                .map(|_| (0..3 + random.index(3)).map(|_| corner(&mut random)).collect())
                .collect();
            if round % 3 > 0 {
                // Closed by copies, in the same direction or reversed.
                let copies: Vec<Vec<u32>> = polygons
                    .iter()
                    .map(|p| match round % 3 == 1 || random.index(3) > 0 {
                        true => p.iter().rev().copied().collect(),
                        false => p.clone(),
                    })
                    .collect();
                polygons.extend(copies);
            }
            let points = (0..vertices).map(|v| Vec3::splat(v as f64)).collect();
            let mesh = Mesh::from_polygons(points, &polygons).unwrap();
            let t = mesh.topology();
            let sides = |e: u32| t.half_edges(e);
            let is_even = |e: u32| sides(e).len() % 2 == 0;
            let is_balanced = |e: u32| {
                let low = t.ends(e)[0];
                2 * sides(e).iter().filter(|h| t.origin(**h) == low).count() == sides(e).len()
            };
            let closed = t.proper_edges().all(is_even);
            let balanced = t.proper_edges().all(is_balanced);
            assert_eq!([t.is_closed(), t.is_balanced()], [closed, balanced], "{polygons:?}");
            seen[usize::from(closed) + usize::from(balanced)] += 1;
            // Polygons of one edge have one shell, and each shell is connected.
            for e in t.proper_edges() {
                let shell = |h: &u32| mesh.shells().of_polygon(t.polygon(*h) as usize);
                assert!(sides(e).windows(2).all(|two| shell(&two[0]) == shell(&two[1])));
            }
            let mut reached: Vec<u32> = (0..polygons.len() as u32).collect();
            for _ in 0..polygons.len() {
                for e in t.proper_edges() {
                    let least = sides(e).iter().map(|h| reached[t.polygon(*h) as usize]).min();
                    for h in sides(e) {
                        reached[t.polygon(*h) as usize] = least.unwrap();
                    }
                }
            }
            let firsts = mesh.shells().first_polygons();
            let own: Vec<u32> =
                (0..polygons.len()).map(|p| firsts[mesh.shells().of_polygon(p) as usize]).collect();
            assert_eq!(own, reached, "{polygons:?}");
            seen[3] += usize::from(mesh.shells().count() > 1);
        }
        assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    }
}
