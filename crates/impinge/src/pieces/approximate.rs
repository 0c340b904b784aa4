//! Pieces within a tolerance: the worst piece is cut until all are within it.

use std::ops::ControlFlow;

use super::choose::{self, Notch};
use super::excess::{self, Excess, Part, SearchLimits};
use super::index::SolidIndex;
use super::merge;
use super::region::Region;
use super::scale::Scale;
use super::soup::{Keep, Soup, append_outer_points};
use super::{Decomposition, Piece, bodies, check_closed, index};
use crate::arrays::MapEach;
use crate::convex::Hull;
use crate::error::{Error, ErrorKind};
use crate::exact::Location;
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;
use crate::workers;

/// Box limit of the first search for the error of a piece.
const FIRST_SEARCH_BOXES: usize = 3_000;

/// Smallest tolerance, relative to the largest coordinate: some hundred times the rounding error.
const MIN_TOLERANCE: f64 = 1e-12;

/// Largest tolerance, relative to the largest coordinate: more than the distance of any two points.
const MAX_TOLERANCE: f64 = 8.0;

/// Targets and limits of [`decompose`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DecomposeOptions {
    /// The largest distance from the solid that a point of a hull should have, in the unit of the
    /// mesh. Values below 1e-12 of the largest coordinate are raised to that; bodies made of boxes
    /// are decomposed exactly.
    pub tolerance: f64,
    /// The largest number of pieces, at least one. When it is reached, the error may exceed the
    /// tolerance. Bodies whose boxes do not overlap are never one piece, so there may be as many
    /// pieces as such bodies.
    pub max_pieces: usize,
    /// The largest number of boxes that the search for the error of one piece examines: more give
    /// tighter bounds.
    pub effort: usize,
}

impl DecomposeOptions {
    /// A tolerance, and at most `max_pieces`.
    #[must_use]
    pub fn new(tolerance: f64, max_pieces: usize) -> Self {
        Self { tolerance, max_pieces, effort: 200_000 }
    }

    /// With this [`effort`](Self#structfield.effort).
    #[must_use]
    pub fn effort(mut self, effort: usize) -> Self {
        self.effort = effort;
        self
    }
}

/// Covers a closed mesh with hulls that reach out of it by no more than a tolerance, if the number
/// of pieces allows.
///
/// The guarantees are those of [`pieces`](super). The error is an upper bound and may be larger
/// than the true one; once it is below the tolerance it is not tightened further. Cuts are made
/// across axes and along the planes of faces at notches; only the former can leave pieces that are
/// `exact`.
///
/// # Errors
/// [`ErrorKind::NotSolid`] if the mesh is not closed, [`ErrorKind::BadParameter`] for a tolerance
/// that is negative or NaN or a limit of no pieces, [`ErrorKind::OutOfRange`] if coordinates span
/// more than `f64` can.
///
/// ```
/// use impinge::pieces::{DecomposeOptions, decompose};
/// use impinge::shapes;
///
/// let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
/// let l_shape = shapes::prism(&outline, 1.0)?;
/// let found = decompose(&l_shape, &DecomposeOptions::new(0.01, 16))?;
/// assert_eq!((found.pieces.len(), found.exact), (2, true));
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn decompose(mesh: &Mesh, options: &DecomposeOptions) -> Result<Decomposition, Error> {
    decompose_watched(mesh, options, &mut |_, _| ControlFlow::Continue(()))
}

/// As [`decompose`], calling `watch` before each cut with the number of pieces within the tolerance
/// and the number still to be cut; [`ControlFlow::Break`] ends the cutting as the limit of pieces
/// does.
///
/// # Errors
/// As [`decompose`].
pub fn decompose_watched(
    mesh: &Mesh,
    options: &DecomposeOptions,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Decomposition, Error> {
    check_closed(mesh)?;
    if !(options.tolerance >= 0.0 && options.max_pieces > 0) {
        return Err(Error::new(
            ErrorKind::BadParameter,
            format!(
                "a tolerance of {} and at most {} pieces; the tolerance must not be negative and at least one piece must be allowed",
                options.tolerance, options.max_pieces
            ),
        ));
    }
    let (scale, vertices) = Scale::of(mesh.vertices())?;
    let context = Context {
        solid: SolidIndex::new(mesh, &vertices),
        notches: choose::notches(mesh, &vertices),
        tolerance: scale.length(options.tolerance).clamp(MIN_TOLERANCE, MAX_TOLERANCE),
        effort: options.effort,
    };
    let corners = |t: &[u32; 3]| t.map_each(|v| vertices[v as usize]);
    let whole = Soup::of(mesh.triangles().iter().map(corners));
    let mut waiting: Vec<Node> = bodies(mesh, &vertices)
        .into_iter()
        .filter_map(|body| {
            let soup = Soup::of(body.iter().map(|t| corners(&mesh.triangles()[*t as usize])));
            let region = Region::of(soup.bounds());
            context.node(soup, region)
        })
        .collect();
    let mut done: Vec<Node> = Vec::new();
    loop {
        let (good, rest): (Vec<Node>, Vec<Node>) =
            waiting.into_iter().partition(|n| n.excess.upper <= context.tolerance);
        done.extend(good);
        waiting = rest;
        let full = done.len() + waiting.len() >= options.max_pieces;
        if waiting.is_empty() || full || watch(done.len(), waiting.len()).is_break() {
            break;
        }
        let worst = (0..waiting.len()).max_by(|a, b| {
            let key = |i: usize| waiting[i].excess.lower;
            key(*a).total_cmp(&key(*b)).then(b.cmp(a))
        });
        let Some(worst) = worst else { break };
        let node = waiting.swap_remove(worst);
        match context.cut(&node) {
            Some(halves) => waiting.extend(halves),
            // Too small to be cut.
            None => done.push(node),
        }
    }
    done.extend(waiting);
    let done = merge::merge(done, &context, &whole);
    let pieces = done.into_iter().map(|node| context.finish(node, &scale));
    pieces.collect::<Result<Vec<Piece>, Error>>().map(Decomposition::of)
}

/// The inputs that all pieces share.
pub(super) struct Context {
    pub(super) solid: SolidIndex,
    notches: Vec<Notch>,
    /// In the unit of [`Scale`], as all lengths here.
    pub(super) tolerance: f64,
    pub(super) effort: usize,
}

/// The part of the solid in a region.
pub(super) struct Node {
    soup: Soup,
    region: Region,
    pub(super) hull: Hull,
    pub(super) excess: Excess,
}

impl Node {
    pub(super) fn new(soup: Soup, region: Region, hull: Hull) -> Self {
        Self { soup, region, hull, excess: Excess { lower: 0.0, upper: 0.0 } }
    }

    pub(super) fn part(&self) -> Part<'_> {
        Part { hull: &self.hull, soup: &self.soup, region: &self.region }
    }
}

impl Context {
    /// The part of the solid in `region`, whose surface there is `soup`; `None` if there is no such
    /// part.
    ///
    /// The extreme points of that part are vertices of the mesh, points where an edge of the mesh
    /// meets a face of the region or an edge of the region meets a triangle (all in the ideal
    /// polygons of the soup), and corners of the region that the inside of the solid reaches. This
    /// function computes the hull of all of them.
    fn node(&self, soup: Soup, region: Region) -> Option<Node> {
        let mut points = soup.outer_points();
        let corners = region.corners();
        let middle = corners.iter().map(|(p, _)| *p).sum::<Vec3>() / corners.len().max(1) as f64;
        for (corner, slack) in corners {
            let empty = match (self.solid.locate(corner), region.as_box()) {
                (Location::Outside, _) if slack == Vec3::ZERO => true,
                (Location::Boundary, Some(region)) => {
                    self.box_corner_is_empty(corner, &soup, region)
                }
                (_, Some(_)) => false,
                (at, None) => {
                    at == Location::Outside && self.is_far_from_solid(corner, slack)
                        || self.corner_is_empty(corner, slack, middle, &soup, &region)
                }
            };
            if !empty {
                append_outer_points(&[corner], &[slack], &mut points);
            }
        }
        // The coordinates are in range, so the only possible error is a part without points.
        let hull = Hull::new(&points).ok()?;
        let mut node = Node::new(soup, region, hull);
        node.excess = self.excess(&node);
        Some(node)
    }

    /// Whether a small box at a corner of the region is free of surface and outside, so that the
    /// interior of the solid within the region does not reach the corner, which is on the surface.
    /// `false` if that cannot be shown.
    fn box_corner_is_empty(&self, corner: Vec3, soup: &Soup, region: &Aabb) -> bool {
        let opposite = region.min + region.max - corner;
        let boxes: Vec<Aabb> = soup
            .polygons()
            .map(|(points, slacks)| {
                let of = |sign: f64| points.iter().zip(slacks).map(move |(p, s)| *p + *s * sign);
                Aabb::from_points(of(-1.5).chain(of(1.5)))
            })
            .collect();
        (2..40).any(|k| {
            let middle = corner + (opposite - corner) * 0.5_f64.powi(k);
            let cell = Aabb::from_corners(corner, middle + (middle - corner));
            let enters = |b: &Aabb| b.max.cmpgt(cell.min).all() && b.min.cmplt(cell.max).all();
            middle.cmpne(corner).all()
                && !boxes.iter().any(enters)
                && self.solid.locate(middle) == Location::Outside
        })
    }

    /// Whether every point within the slack of a point that is outside is outside too.
    fn is_far_from_solid(&self, corner: Vec3, slack: Vec3) -> bool {
        self.solid.distance(corner).0 > 2.0 * slack.length() + 2.0 * index::ROUNDING
    }

    /// Whether the interior of the solid within the region does not reach the corner: around it the
    /// region is free of surface, and a point there, towards the middle of the region, is outside.
    /// `false` if that cannot be shown.
    fn corner_is_empty(
        &self,
        corner: Vec3,
        slack: Vec3,
        middle: Vec3,
        soup: &Soup,
        region: &Region,
    ) -> bool {
        let free = soup.distance_from(corner).min(1.0) - 2.0 * slack.length() - index::ROUNDING;
        let direction = middle - corner;
        let t = (0.5 * free / direction.length()).min(0.5);
        let near = corner + direction * t;
        t > 0.0 && region.depth(near) > 0.0 && self.solid.locate(near) == Location::Outside
    }

    /// Bounds of the excess of a node's hull, as precise as the comparison with the tolerance
    /// needs.
    fn excess(&self, node: &Node) -> Excess {
        let quick = excess::quick_bound(&node.part(), &self.solid, self.tolerance);
        if quick <= self.tolerance {
            return Excess { lower: 0.0, upper: quick };
        }
        let first = SearchLimits {
            target: self.tolerance,
            max_boxes: FIRST_SEARCH_BOXES.min(self.effort),
            stop_above: false,
        };
        let mut found = excess::search(&node.hull, &self.solid, first);
        if found.upper > self.tolerance && found.lower <= self.tolerance {
            let second = SearchLimits { max_boxes: self.effort, stop_above: true, ..first };
            found = excess::search(&node.hull, &self.solid, second);
        }
        Excess { upper: found.upper.min(quick), ..found }
    }

    /// The two halves of a node.
    fn cut(&self, node: &Node) -> Option<Vec<Node>> {
        let cut = choose::best_cut(&node.part(), &self.notches, &self.solid)?;
        let half = |keep: Keep| self.node(cut.of(&node.soup, keep), node.region.half(&cut, keep));
        let (low, high) = workers::join(|| half(Keep::Low), || half(Keep::High));
        Some(low.into_iter().chain(high).collect())
    }

    /// The finished piece, with an error bound as precise as the effort allows.
    fn finish(&self, mut node: Node, scale: &Scale) -> Result<Piece, Error> {
        if node.excess.upper > self.tolerance {
            let thorough =
                SearchLimits { target: self.tolerance, max_boxes: self.effort, stop_above: false };
            let found = excess::search(&node.hull, &self.solid, thorough);
            node.excess.upper = node.excess.upper.min(found.upper);
        }
        let error = scale.unscale_upper_bound(node.excess.upper);
        let hull = scale.unscale_hull(node.hull).ok_or_else(|| {
            Error::new(
                ErrorKind::OutOfRange,
                "a corner of a piece is too small a number compared with the others; choose a larger unit",
            )
        })?;
        Ok(Piece { hull, error })
    }
}
