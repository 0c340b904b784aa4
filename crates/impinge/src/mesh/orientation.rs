//! Which polygons are turned the wrong way, by majority (Zachmann 1994, section 4.2.1).
//!
//! Two polygons that run the same way along their common edge cannot both be right. Within a piece
//! that hangs together through edges of exactly two sides, fixing one polygon fixes all: the
//! smaller of the two parties is suspected. A piece in which walking around comes back turned (a
//! Moebius strip) has no orientation at all.

use super::connectivity::index;
use super::topology::Topology;

/// The outcome of the majority decision.
#[derive(Clone, Debug, Default)]
pub(super) struct Orientation {
    /// Whether the polygon is in the minority of its piece, which can be oriented.
    pub(super) suspect: Vec<bool>,
    /// The first polygon of every piece that cannot be oriented.
    pub(super) non_orientable: Vec<u32>,
}

impl Orientation {
    pub(super) fn decide(t: &Topology<'_>, polygons: usize) -> Self {
        const UNSEEN: u8 = 2;
        let mut party = vec![UNSEEN; polygons];
        let mut found = Self { suspect: vec![false; polygons], non_orientable: Vec::new() };
        let mut piece: Vec<u32> = Vec::new();
        for seed in 0..polygons {
            if party[seed] != UNSEEN {
                continue;
            }
            party[seed] = 0;
            piece.clear();
            piece.push(index(seed));
            let (mut at, mut consistent, mut turned) = (0, true, 0);
            while let Some(&p) = piece.get(at) {
                at += 1;
                for h in t.around_polygon(p) {
                    let e = t.edge_of(h);
                    let [a, b] = t.half_edges(e) else { continue };
                    if t.is_loop(e) {
                        continue;
                    }
                    let other = if *a == h { *b } else { *a };
                    let q = t.polygon(other) as usize;
                    let same_way = u8::from(t.origin(h) == t.origin(other));
                    let expected = party[p as usize] ^ same_way;
                    if party[q] == UNSEEN {
                        party[q] = expected;
                        turned += usize::from(expected);
                        piece.push(index(q));
                    } else {
                        consistent &= party[q] == expected;
                    }
                }
            }
            if !consistent {
                found.non_orientable.push(index(seed));
                continue;
            }
            let wrong = u8::from(2 * turned <= piece.len());
            for p in &piece {
                found.suspect[*p as usize] = party[*p as usize] == wrong;
            }
        }
        found
    }
}
