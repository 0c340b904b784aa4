//! The tree of balls of a mesh.

use std::ops::Range;

use super::assign::{self, CoverOptions};
use super::patch::{FIRST_OWNER, for_each_piece};
use super::radius::distance_up;
use super::reach::{Reach, ReachOptions, reach};
use super::verify::verify;
use super::{Ball, NO_PARENT, Node, Parts};
use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, check_range};
use crate::mesh::Mesh;
use crate::order::sort_by;

/// The largest number of levels.
const MAX_LEVELS: usize = 16;

/// The largest number of balls of all levels together.
const MAX_BALLS: usize = 1 << 24;

/// The largest radius: a ball may contain every mesh, wherever its centre is.
const MAX_RADIUS: f64 = 8.0 * MAX_COORDINATE;

/// Levels of balls that cover the surface of a mesh; see the [module](super).
///
/// Every tree has passed [`verify`] with the mesh it was made for.
///
/// ```
/// use impinge::spheres::{Ball, CoverOptions, Node, SphereTree};
/// use impinge::{Vec3, shapes};
///
/// let rod = shapes::cuboid([8.0, 1.0, 1.0])?;
/// let ball = |x: f64, radius: f64| Ball { center: Vec3::new(x, 0.0, 0.0), radius };
/// let levels = [
///     vec![Node::root(ball(0.0, 5.0))],
///     vec![Node::child(ball(-2.0, 2.2), 0), Node::child(ball(2.0, 2.2), 0)],
/// ];
/// let tree = SphereTree::from_levels(&rod, &levels, &CoverOptions::default())?;
/// assert_eq!((tree.levels(), tree.children(0, 0)), (2, 0..2));
/// // Twelve triangles, some of them in both halves.
/// assert!(tree.triangles(0).len() < 12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SphereTree {
    parts: Parts,
    /// For every level but the deepest, the first child of each ball, and the end.
    first_child: Vec<Vec<u32>>,
}

impl SphereTree {
    /// The tree of given balls.
    ///
    /// Every piece of the surface goes to a ball of the last level that contains it together with
    /// its parent, its parent's parent and so on. Triangles are cut where no ball contains them
    /// whole. Where the balls leave holes, the ball that has to grow least is enlarged, and with it
    /// those above it, whose growth counts more. Balls whose patch is empty are dropped, and the
    /// balls of a level are put into the order of their parents, otherwise keeping their order.
    ///
    /// In each level, `parent` is an index into the level above as given; the parents of the first
    /// level must be [`NO_PARENT`].
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for a mesh without triangles and for levels without balls,
    /// [`ErrorKind::IndexOutOfBounds`] for parents that do not exist, [`ErrorKind::NotFinite`] for
    /// centres that are no points, [`ErrorKind::OutOfRange`] for centres beyond
    /// [`MAX_COORDINATE`](crate::MAX_COORDINATE) and for radii that are negative, not finite or
    /// larger than eight times that, [`ErrorKind::TooLarge`] for more than 16 levels or 2^24 balls.
    pub fn from_levels(
        mesh: &Mesh,
        levels: &[Vec<Node>],
        options: &CoverOptions,
    ) -> Result<Self, Error> {
        check(mesh, levels)?;
        let cuts = assign::assign(mesh, levels, options);
        Self::with_cuts(mesh, levels, cuts, Fit::Enlarge)
    }

    /// The tree of balls with the given patches: drops balls without a patch, and fits the radii.
    pub(super) fn with_cuts(
        mesh: &Mesh,
        levels: &[Vec<Node>],
        cuts: Vec<u32>,
        fit: Fit,
    ) -> Result<Self, Error> {
        let radii = radii(mesh, levels, &cuts, fit);
        Self::from_parts(mesh, renumbered(levels, &radii, cuts))
    }

    /// The tree of stored parts.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] if [`verify`] finds a flaw, with the [`Flaw`](super::Flaw) as source.
    pub fn from_parts(mesh: &Mesh, parts: Parts) -> Result<Self, Error> {
        if let Err(flaw) = verify(mesh, &parts) {
            let message = format!("the balls are no proven cover of this mesh: {flaw}");
            return Err(Error::new(ErrorKind::Damaged, message).with_source(flaw));
        }
        let first_child = parts.levels.windows(2).map(|w| first_children(w[0].len(), &w[1]));
        Ok(Self { first_child: first_child.collect(), parts })
    }

    /// The number of levels, at least one.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.parts.levels.len()
    }

    /// The balls of a level; level 0 is the coarsest.
    ///
    /// # Panics
    /// If there is no such level.
    #[must_use]
    pub fn level(&self, level: usize) -> &[Node] {
        &self.parts.levels[level]
    }

    /// The children of a ball: a range of the next level; empty in the deepest level.
    ///
    /// # Panics
    /// If there is no such ball.
    #[must_use]
    pub fn children(&self, level: usize, ball: usize) -> Range<usize> {
        match self.first_child.get(level) {
            Some(first) => first[ball] as usize..first[ball + 1] as usize,
            None => 0..0,
        }
    }

    /// The triangles of the patch of a ball of the deepest level, ascending.
    ///
    /// # Panics
    /// If there is no such ball.
    #[must_use]
    pub fn triangles(&self, ball: usize) -> &[u32] {
        &self.parts.triangles[ball]
    }

    /// Certified bounds on how far the balls of a level reach beyond the surface of the mesh that
    /// the tree was made for: see [`reach()`](super::reach()).
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for a mesh without triangles, which no tree is made for.
    ///
    /// # Panics
    /// If there is no such level.
    pub fn reach(&self, mesh: &Mesh, level: usize, options: &ReachOptions) -> Result<Reach, Error> {
        let balls: Vec<Ball> = self.level(level).iter().map(|node| node.ball).collect();
        reach(mesh, &balls, options)
    }

    /// The contents as plain data.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The contents as plain data.
    #[must_use]
    pub fn into_parts(self) -> Parts {
        self.parts
    }
}

/// What happens to the radii of given balls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They grow where they have to.
    Enlarge,
    /// They become what the patch needs.
    Exactly,
}

/// Refuses a mesh or levels that no tree can have.
pub(super) fn check(mesh: &Mesh, levels: &[Vec<Node>]) -> Result<(), Error> {
    let refuse = |kind, message: String| Err(Error::new(kind, message));
    if mesh.is_empty() {
        return refuse(ErrorKind::Empty, "a mesh without triangles has no cover of balls".into());
    }
    if levels.is_empty() {
        return refuse(ErrorKind::Empty, "there must be at least one level of balls".into());
    }
    let balls: usize = levels.iter().map(Vec::len).sum();
    if levels.len() > MAX_LEVELS || balls > MAX_BALLS {
        let message = format!(
            "{} levels with {balls} balls; at most {MAX_LEVELS} levels and {MAX_BALLS} balls are possible",
            levels.len()
        );
        return refuse(ErrorKind::TooLarge, message);
    }
    for (level, nodes) in levels.iter().enumerate() {
        if nodes.is_empty() {
            return refuse(ErrorKind::Empty, format!("level {level} has no balls"));
        }
        for (i, Node { ball, parent }) in nodes.iter().enumerate() {
            check_range(ball.center, || format!("the centre of ball {i} of level {level}"))?;
            if !(0.0..=MAX_RADIUS).contains(&ball.radius) {
                let message = format!(
                    "the radius of ball {i} of level {level} is {}; it must be between 0 and {MAX_RADIUS:e}",
                    ball.radius
                );
                return refuse(ErrorKind::OutOfRange, message);
            }
            let fits = match level {
                0 => *parent == NO_PARENT,
                _ => (*parent as usize) < levels[level - 1].len(),
            };
            if !fits {
                let message = format!(
                    "ball {i} of level {level} has the parent {parent}, which does not exist; the first level must have NO_PARENT"
                );
                return refuse(ErrorKind::IndexOutOfBounds, message);
            }
        }
    }
    Ok(())
}

/// The radii with which every ball certainly contains its patch; negative for balls without patch.
fn radii(mesh: &Mesh, levels: &[Vec<Node>], cuts: &[u32], fit: Fit) -> Vec<Vec<f64>> {
    let mut radii: Vec<Vec<f64>> = levels.iter().map(|nodes| vec![-1.0; nodes.len()]).collect();
    for_each_piece(cuts, |piece| {
        let triangle = mesh.triangle(piece.triangle as usize);
        let mut ball = piece.owner as usize;
        for (nodes, radii) in levels.iter().zip(&mut radii).rev() {
            let node = &nodes[ball];
            let least = if fit == Fit::Enlarge { node.ball.radius } else { 0.0 };
            let needed = distance_up(node.ball.center, &triangle, &piece.corners).max(least);
            radii[ball] = radii[ball].max(needed);
            ball = node.parent as usize;
        }
    });
    radii
}

/// The parts of a tree, without balls that have no patch.
fn renumbered(levels: &[Vec<Node>], radii: &[Vec<f64>], mut cuts: Vec<u32>) -> Parts {
    let mut kept: Vec<Vec<Node>> = Vec::with_capacity(levels.len());
    // The new numbers of the balls of the level above.
    let mut above: Vec<u32> = Vec::new();
    for (nodes, radii) in levels.iter().zip(radii) {
        let mut order: Vec<usize> = (0..nodes.len()).filter(|i| radii[*i] >= 0.0).collect();
        let parent = |i: usize| above.get(nodes[i].parent as usize).copied().unwrap_or(NO_PARENT);
        sort_by(&mut order, &|i, j| parent(*i).cmp(&parent(*j)).then(i.cmp(j)));
        let node = |i: &usize| Node {
            ball: Ball { center: nodes[*i].ball.center, radius: radii[*i] },
            parent: parent(*i),
        };
        kept.push(order.iter().map(node).collect());
        let mut numbers = vec![0; nodes.len()];
        for (new, old) in order.iter().enumerate() {
            numbers[*old] = new as u32;
        }
        above = numbers;
    }
    for cut in cuts.iter_mut().filter(|cut| **cut >= FIRST_OWNER) {
        *cut = FIRST_OWNER + above[(*cut - FIRST_OWNER) as usize];
    }
    let mut triangles = vec![Vec::new(); kept.last().map_or(0, Vec::len)];
    for_each_piece(&cuts, |piece| {
        let list: &mut Vec<u32> = &mut triangles[piece.owner as usize];
        if list.last() != Some(&piece.triangle) {
            list.push(piece.triangle);
        }
    });
    Parts { levels: kept, cuts, triangles }
}

/// The first child of each of `count` balls, and the end.
fn first_children(count: usize, children: &[Node]) -> Vec<u32> {
    let mut first = vec![0; count + 1];
    for child in children {
        first[child.parent as usize + 1] += 1;
    }
    for i in 0..count {
        first[i + 1] += first[i];
    }
    first
}
