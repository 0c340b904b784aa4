//! Polygons of wrong orientation, decided by majority (Zachmann 1994, section 4.2.1).
//!
//! If two polygons run along their common edge in the same direction, one of them is wrong. In a
//! component connected through edges of exactly two sides, the orientation of one polygon
//! determines all others: the polygons fall into two groups, and the smaller group is taken to be
//! reversed. If following the edges around a closed path gives a contradiction (a Moebius strip),
//! the component is not orientable.

use super::connectivity::index;
use super::topology::Topology;

/// The outcome of the majority decision.
#[derive(Clone, Debug, Default)]
pub(super) struct Orientation {
    /// Whether the polygon is in the smaller group of its component; false in components that are
    /// not orientable.
    pub(super) reversed_polygons: Vec<bool>,
    /// The first polygon of every component that is not orientable.
    pub(super) non_orientable: Vec<u32>,
}

impl Orientation {
    pub(super) fn by_majority(t: &Topology<'_>, polygons: usize) -> Self {
        const UNASSIGNED: u8 = 2;
        // Group 0 has the orientation of the first polygon of its component, group 1 the opposite.
        let mut group = vec![UNASSIGNED; polygons];
        let mut found =
            Self { reversed_polygons: vec![false; polygons], non_orientable: Vec::new() };
        let mut component: Vec<u32> = Vec::new();
        for seed in 0..polygons {
            if group[seed] != UNASSIGNED {
                continue;
            }
            group[seed] = 0;
            component.clear();
            component.push(index(seed));
            let (mut at, mut consistent, mut reversed) = (0, true, 0);
            while let Some(&p) = component.get(at) {
                at += 1;
                for h in t.around_polygon(p) {
                    let e = t.edge_of(h);
                    let [a, b] = t.half_edges(e) else { continue };
                    if t.is_loop(e) {
                        continue;
                    }
                    let other = if *a == h { *b } else { *a };
                    let q = t.polygon(other) as usize;
                    let same_direction = u8::from(t.origin(h) == t.origin(other));
                    let expected = group[p as usize] ^ same_direction;
                    if group[q] == UNASSIGNED {
                        group[q] = expected;
                        reversed += usize::from(expected);
                        component.push(index(q));
                    } else {
                        consistent &= group[q] == expected;
                    }
                }
            }
            if !consistent {
                found.non_orientable.push(index(seed));
                continue;
            }
            let smaller_group = u8::from(2 * reversed <= component.len());
            for p in &component {
                found.reversed_polygons[*p as usize] = group[*p as usize] == smaller_group;
            }
        }
        found
    }
}
