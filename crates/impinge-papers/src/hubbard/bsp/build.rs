//! Building a tree: planes of faces, chosen for fewest cuts.

use std::ops::Range;

use impinge::exact::{Sign, orient3d};
use impinge::mesh::Mesh;
use impinge::{Aabb, Vec3};

use super::piece::{Extent, cut, margin, middle, values};
use super::plane::Plane;
use super::{BspOptions, BspStats, BspTree, Child, NO_NODE, Node, label};

/// A triangle or a part of it.
#[derive(Clone, Debug)]
struct Piece {
    triangle: u32,
    error: f64,
    corners: Vec<Vec3>,
}

/// A cell that is still to be divided.
struct Cell {
    pieces: Vec<Piece>,
    parent: u32,
    /// Which child of the parent it is.
    side: usize,
    depth: usize,
}

/// How many margins a piece may reach beyond a plane and still counts as lying in it.
const SLAB_MARGINS: f64 = 4.0;

pub(super) fn build(mesh: &Mesh, options: &BspOptions) -> BspTree {
    let mut builder = Builder {
        mesh,
        planes: (0..mesh.triangles().len()).map(|t| Plane::through(&mesh.triangle(t))).collect(),
        extent: extent(mesh.bounds()),
        candidates: options.candidates.max(1),
        pieces_left: options.max_pieces.saturating_mul(mesh.triangles().len()),
        work_left: options.max_work,
        samples: Vec::new(),
        values: Vec::new(),
        tree: BspTree {
            mesh: mesh.fingerprint(),
            nodes: Vec::new(),
            triangles: Vec::new(),
            root: Child::Unknown,
            stats: BspStats::default(),
        },
    };
    builder.run();
    let Builder { mut tree, samples, .. } = builder;
    label::leaves(&mut tree, mesh, &samples);
    let stats = &mut tree.stats;
    stats.nodes = tree.nodes.len();
    let leaves = tree.nodes.iter().flat_map(|node| &node.children).chain([&tree.root]);
    for leaf in leaves {
        match leaf {
            Child::Inside => stats.inside += 1,
            Child::Unknown => stats.unknown += 1,
            Child::Crowded(_) => stats.crowded += 1,
            Child::Node(_) | Child::Outside => {}
        }
    }
    tree
}

/// The sizes of a build. A mesh without triangles has an empty box.
fn extent(bounds: Aabb) -> Extent {
    if bounds.is_empty() {
        Extent::of(Vec3::ZERO, Vec3::ZERO)
    } else {
        Extent::of(bounds.min, bounds.max)
    }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    /// By triangle; `None` for slivers.
    planes: Vec<Option<Plane>>,
    extent: Extent,
    candidates: usize,
    /// How many more pieces may be cut.
    pieces_left: usize,
    /// How many more pieces may be compared with a plane.
    work_left: u64,
    /// A point of a face in the plane of each node.
    samples: Vec<Vec3>,
    values: Vec<f64>,
    tree: BspTree,
}

impl Builder<'_> {
    fn run(&mut self) {
        let pieces: Vec<Piece> = (0..self.mesh.triangles().len())
            .map(|t| Piece {
                triangle: t as u32,
                error: 0.0,
                corners: self.mesh.triangle(t).to_vec(),
            })
            .collect();
        let mut cells = vec![Cell { pieces, parent: NO_NODE, side: 0, depth: 0 }];
        while let Some(mut cell) = cells.pop() {
            let child = match self.choose(&cell.pieces) {
                Some(chosen) if self.pieces_left >= cell.pieces.len() && self.work_left > 0 => {
                    let node = self.tree.nodes.len() as u32;
                    let depth = cell.depth + 1;
                    self.tree.stats.depth = self.tree.stats.depth.max(depth);
                    let sides = self.divide(chosen, std::mem::take(&mut cell.pieces), cell.parent);
                    for (side, pieces) in sides.into_iter().enumerate() {
                        cells.push(Cell { pieces, parent: node, side, depth });
                    }
                    Child::Node(node)
                }
                _ if cell.pieces.is_empty() => Child::Unknown,
                _ => Child::Crowded(
                    self.store(cell.pieces.iter().map(|piece| piece.triangle).collect()),
                ),
            };
            match cell.parent {
                NO_NODE => self.tree.root = child,
                parent => self.tree.nodes[parent as usize].children[cell.side] = child,
            }
        }
    }

    /// Appends triangles without repetition.
    fn store(&mut self, mut own: Vec<u32>) -> Range<u32> {
        let start = self.tree.triangles.len();
        own.sort_unstable();
        own.dedup();
        self.tree.triangles.extend(own);
        start as u32..self.tree.triangles.len() as u32
    }

    /// The number of the piece whose plane cuts the fewest pieces, and among those the one that
    /// leaves the smaller larger side.
    fn choose(&mut self, pieces: &[Piece]) -> Option<usize> {
        let dividing: Vec<usize> = (0..pieces.len())
            .filter(|i| self.planes[pieces[*i].triangle as usize].is_some())
            .collect();
        let tried = if self.work_left == 0 { 0 } else { self.candidates.min(dividing.len()) };
        let mut best: Option<((usize, usize), usize)> = None;
        for k in 0..tried {
            // Spread over the list, which has the order of the mesh.
            let candidate = dividing[k * dividing.len() / tried];
            let limit = best.map_or((usize::MAX, 0), |(score, _)| score);
            if let Some(score) = self.score(pieces, candidate, limit) {
                if best.is_none() || score < limit {
                    best = Some((score, candidate));
                }
            }
        }
        best.map(|(_, candidate)| candidate)
    }

    /// The number of cuts and the size of the larger side, or `None` if there are more cuts than
    /// `limit` has.
    fn score(
        &mut self,
        pieces: &[Piece],
        candidate: usize,
        limit: (usize, usize),
    ) -> Option<(usize, usize)> {
        let plane = self.planes[pieces[candidate].triangle as usize]?;
        let (mut cuts, mut front, mut back) = (0, 0, 0);
        self.work_left = self.work_left.saturating_sub(pieces.len() as u64);
        for piece in pieces {
            let slab = SLAB_MARGINS * margin(piece.error, plane.error_within(self.extent.reach));
            let (low, high) = values(&plane, &piece.corners, &mut self.values);
            let sides = (high > slab, low < -slab);
            front += usize::from(sides.0);
            back += usize::from(sides.1);
            cuts += usize::from(sides.0 && sides.1);
            if cuts > limit.0 {
                return None;
            }
        }
        Some((cuts, front.max(back)))
    }

    /// Adds a node and returns the pieces in front of its plane and behind it.
    fn divide(&mut self, chosen: usize, pieces: Vec<Piece>, parent: u32) -> [Vec<Piece>; 2] {
        let chosen = &pieces[chosen];
        let plane = self.planes[chosen.triangle as usize].expect("a dividing piece has a plane");
        let corners = self.mesh.triangle(chosen.triangle as usize);
        self.samples.push(middle(&chosen.corners));
        let (mut own, mut slab) = (Vec::new(), 0.0_f64);
        let mut sides = [Vec::new(), Vec::new()];
        for piece in pieces {
            let margin = margin(piece.error, plane.error_within(self.extent.reach));
            let (low, high) = values(&plane, &piece.corners, &mut self.values);
            let beyond = [high, -low];
            match beyond.map(|far| far > SLAB_MARGINS * margin) {
                [true, true] => {
                    self.tree.stats.cuts += 1;
                    self.pieces_left = self.pieces_left.saturating_sub(1);
                    for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                        let mut corners = Vec::with_capacity(piece.corners.len() + 1);
                        cut(&piece.corners, &self.values, sign, margin, &mut corners);
                        let error = piece.error + self.extent.error_of_cut;
                        sides[side].push(Piece { triangle: piece.triangle, error, corners });
                    }
                }
                [false, false] => {
                    own.push(piece.triangle);
                    slab = slab.max(high.abs().max(low.abs()) + margin);
                }
                [front, _] => {
                    // The part that hardly reaches the other side belongs to the node.
                    let (side, other) = if front { (0, 1) } else { (1, 0) };
                    if beyond[other] >= -margin && self.is_beyond(piece.triangle, &corners, other) {
                        own.push(piece.triangle);
                        slab = slab.max(beyond[other].max(0.0) + margin);
                    }
                    sides[side].push(piece);
                }
            }
        }
        let own = self.store(own);
        let children = [Child::Unknown, Child::Unknown];
        self.tree.nodes.push(Node { plane, slab, own, children, parent });
        sides
    }

    /// Whether a triangle has a point exactly beyond a plane, on one of its sides.
    fn is_beyond(&self, triangle: u32, [a, b, c]: &[Vec3; 3], side: usize) -> bool {
        let beyond = [Sign::Positive, Sign::Negative][side];
        self.mesh.triangle(triangle as usize).iter().any(|p| orient3d(*a, *b, *c, *p) == beyond)
    }
}
