//! First hits along a motion: what one query learnt helps the next (Klosowski et al. 1998, section
//! 6.1, name the idea; the front they suggest gains little where nodes are wide, because the levels
//! it skips are the cheap ones).
//!
//! **After a hit**, the next query first looks at the pair of leaves that met, then below the nodes
//! that led there, and only then from the roots.
//!
//! **After a miss**, boxes and sheets are first compared with a margin of a few times the last
//! motion, for a few steps. If that is enough to see that no leaves come that close, nothing needs
//! to be looked at until B has moved by as much.

use crate::math::{Pose, Vec3, length_up};
use crate::mesh::Mesh;
use crate::sink::First;
use crate::wide::{Wide, dispatch};

use super::Tree;
use super::node::Link;
use super::relative::DENORMAL;
use super::traverse::{Query, Run, TRAIL, Work};

/// What a query keeps for the next one of the same two meshes, at a pose nearby. Owned by the
/// caller, one for each pair of bodies.
///
/// It makes queries faster, never wrong: with a cache of other meshes, or of a pose far away, the
/// verdict is the same, though another pair of triangles may be named.
#[derive(Clone, Debug)]
pub struct MeshCache {
    /// Of the trees it is about.
    stamps: (u64, u64),
    /// Where to look first, likeliest last.
    seeds: Vec<(Link, Link)>,
    /// The last pose, if the meshes did not meet there.
    free: Option<Pose>,
    /// There, no point of B was closer to A than this, in A's unit.
    clearance: f64,
    /// How many more times a clearance is looked for in vain.
    patience: u32,
}

impl Default for MeshCache {
    fn default() -> Self {
        Self { stamps: (0, 0), seeds: Vec::new(), free: None, clearance: 0.0, patience: PATIENCE }
    }
}

impl MeshCache {
    /// Forgets everything, and keeps the room.
    pub(crate) fn forget(&mut self) {
        let mut seeds = std::mem::take(&mut self.seeds);
        seeds.clear();
        *self = Self { seeds, ..Self::default() };
    }
}

/// The margin asked for, in units of the last motion: so many queries like the last one may be
/// saved.
const STEPS: f64 = 3.0;

/// Looking for a clearance is given up after so many steps, and not tried again after so many
/// failures in a row, until the meshes have met again.
const PROBE: usize = 24;
const PATIENCE: u32 = 3;

/// Whether a few steps are enough to see that no two leaves meet.
struct Probe<'q> {
    query: &'q Query<'q>,
    roots: (Link, Link),
}

impl dispatch::Task for Probe<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<W: Wide>(self) -> bool {
        let mut work = Work::take();
        work.add(self.roots.0, self.roots.1);
        for _ in 0..PROBE {
            if work.leaves.count > 0 {
                break;
            }
            let Some(step) = work.steps.pop() else { break };
            self.query.step::<W, true>(step, &mut work);
        }
        let apart = work.leaves.count == 0 && work.steps.count == 0;
        work.give_back();
        apart
    }
}

/// Two triangles that share a point, if there are any, with what `cache` knows from the last query.
/// `None` in the outer option where [`traverse`](super::traverse) returns false.
#[must_use]
pub(crate) fn first_cached(
    (a, tree_a): (&Mesh, &Tree),
    (b, tree_b): (&Mesh, &Tree),
    pose: &Pose,
    cache: &mut MeshCache,
) -> Option<Option<(u32, u32)>> {
    let stamps = (tree_a.stamp, tree_b.stamp);
    if cache.stamps != stamps {
        cache.forget();
        cache.stamps = stamps;
    }
    let mut motion = 0.0;
    if let Some(last) = &cache.free {
        motion = tree_b.motion(last, pose);
        if motion < cache.clearance {
            return Some(None);
        }
    }
    let mut query = Query::new((a, tree_a), (b, tree_b), pose)?;
    let Some(roots) = query.roots() else {
        return Some(None);
    };
    if cache.free.is_some() && cache.patience > 0 {
        let narrow = query.relative.clone();
        let clearance = motion * STEPS;
        query.relative.widen(clearance * tree_a.frame.scale);
        if dispatch::run(Probe { query: &query, roots }) {
            (cache.free, cache.clearance) = (Some(*pose), clearance);
            cache.patience = PATIENCE;
            return Some(None);
        }
        query.relative = narrow;
        cache.patience -= 1;
    }
    cache.seeds.insert(0, roots);
    let mut first = First::default();
    let (start, steps) = (&cache.seeds, usize::MAX);
    let ended = dispatch::run(Run { query: &query, start, sink: &mut first, steps });
    cache.seeds.clear();
    if let Some(at) = ended.at {
        cache.seeds.extend(ended.trail.iter().filter(|step| step.0 != Link::NONE));
        cache.seeds.push(at);
        (cache.free, cache.patience) = (None, PATIENCE);
    } else {
        (cache.free, cache.clearance) = (Some(*pose), 0.0);
    }
    debug_assert!(cache.seeds.len() <= TRAIL + 1, "a trail and the leaves at its end");
    Some(first.pair)
}

impl Tree {
    /// No point of the mesh moves further than this from one pose to the other; rounded up.
    fn motion(&self, from: &Pose, to: &Pose) -> f64 {
        let origin = self.frame.origin;
        let middle = to.transform_point(origin) - from.transform_point(origin);
        let turn = to.rotation() - from.rotation();
        let columns = [turn.x_axis, turn.y_axis, turn.z_axis];
        let size = columns.iter().map(|c: &Vec3| c.length_squared()).sum::<f64>().sqrt();
        let sizes = [from.translation(), to.translation(), origin].map(length_up);
        let largest = sizes[0] + sizes[1] + sizes[2];
        let reach = self.reach / self.frame.scale;
        // What is denormal is rounded by parts of the smallest number, not of itself.
        let coarse = (largest + reach) * 64.0 * f64::EPSILON + DENORMAL;
        (length_up(middle) + size * reach) * (1.0 + 1e-9) + coarse
    }
}
