//! Patches: how the triangles are divided among the deepest balls.
//!
//! Every triangle is cut in two as often as needed. A cut joins the middle of an edge with the
//! opposite corner, and the same again for both halves. The cuts of all triangles are one list of
//! numbers, triangle after triangle, in preorder: `e` in 0..3 cuts the edge from
//! corner `e` to corner `e + 1`; the half with corner `e` follows, then the half with corner
//! `e + 1`. Any other number `3 + i` is a piece that belongs to ball `i` of the deepest level.
//!
//! Every list that can be read to its end therefore divides every triangle without gaps and without
//! overlaps, whatever its numbers are. The corners of a piece are sums of the triangle's corners
//! with weights that are multiples of 2^-48: exact numbers, which need no rounding.

/// The largest number of cuts one inside the other: weights are multiples of `2^-MAX_CUTS`.
pub(super) const MAX_CUTS: u32 = 48;

/// The weight of a corner of the triangle itself, as the numerator of `2^-MAX_CUTS`.
pub(super) const WHOLE: u64 = 1 << MAX_CUTS;

/// Numbers below this are cuts; this and above are owners.
pub(super) const FIRST_OWNER: u32 = 3;

/// The corners of a piece: for each, the weights of the three corners of the triangle.
pub(super) type Weights = [[u64; 3]; 3];

/// The corners of an uncut triangle.
pub(super) const UNCUT: Weights = [[WHOLE, 0, 0], [0, WHOLE, 0], [0, 0, WHOLE]];

/// A piece of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) triangle: u32,
    pub(super) corners: Weights,
    /// The ball of the deepest level that it belongs to.
    pub(super) owner: u32,
}

/// The halves of a piece whose edge `e` is cut.
pub(super) fn halves(corners: &Weights, e: usize) -> [Weights; 2] {
    let f = (e + 1) % 3;
    let middle = [0, 1, 2].map(|i| (corners[e][i] + corners[f][i]) / 2);
    let (mut first, mut second) = (*corners, *corners);
    first[f] = middle;
    second[e] = middle;
    [first, second]
}

/// Calls `each` with every piece of a list of cuts that is known to be complete.
pub(super) fn for_each_piece(cuts: &[u32], mut each: impl FnMut(Piece)) {
    let mut open: Vec<Weights> = Vec::new();
    let mut triangle = 0;
    for cut in cuts {
        let corners = open.pop().unwrap_or(UNCUT);
        if *cut < FIRST_OWNER {
            let [first, second] = halves(&corners, *cut as usize);
            open.extend([second, first]);
            continue;
        }
        each(Piece { triangle, corners, owner: *cut - FIRST_OWNER });
        triangle += u32::from(open.is_empty());
    }
}
