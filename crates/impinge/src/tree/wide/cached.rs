//! First hits along a motion, accelerated by results of the previous query (Klosowski et al. 1998,
//! section 6.1, suggest this; the front they propose gains little where nodes are wide, because the
//! levels that it skips are the cheap ones).
//!
//! **After a hit**, the next query starts with the pair of leaves that met, continues below the
//! nodes that were opened last, and then starts from the roots.
//!
//! **After a miss**, boxes and discs are first compared with a margin of a few times the last
//! motion, for a few steps. If that proves that no leaves are within the margin, the following
//! queries return at once until B has moved by as much.

use crate::math::{Pose, Vec3, length_up};
use crate::mesh::Mesh;
use crate::sink::First;
use crate::wide::{Wide, dispatch};

use super::Tree;
use super::node::Link;
use super::relative::{DENORMAL_ERROR, Relative};
use super::traverse::{MAX_KEPT_STEPS, Query, Traversal, Work};

/// State that a query keeps for the next one of the same two meshes, at a pose nearby. The caller
/// owns one for each pair of bodies.
///
/// It makes queries faster, never wrong: with a cache of other meshes, or of a pose far away, the
/// verdict is the same, but the reported pair of triangles may differ.
#[derive(Clone, Debug)]
pub struct MeshCache {
    /// The stamps of the trees it belongs to.
    stamps: (u64, u64),
    /// The pairs to start with, the likeliest last.
    seeds: Vec<(Link, Link)>,
    /// The last pose, if the meshes did not meet there.
    free: Option<Pose>,
    /// Lower bound of the distance between A and B at that pose, in A's unit.
    clearance: f64,
    /// Number of failed probes that are still allowed.
    probes_left: u32,
}

impl Default for MeshCache {
    fn default() -> Self {
        Self {
            stamps: (0, 0),
            seeds: Vec::new(),
            free: None,
            clearance: 0.0,
            probes_left: MAX_FAILED_PROBES,
        }
    }
}

impl MeshCache {
    /// Clears the cache, and keeps the memory.
    pub(crate) fn forget(&mut self) {
        let mut seeds = std::mem::take(&mut self.seeds);
        seeds.clear();
        *self = Self { seeds, ..Self::default() };
    }
}

/// The margin of a probe, in units of the last motion: a successful probe can save this many
/// queries.
const MARGIN_IN_MOTIONS: f64 = 3.0;

/// Step limit of a probe, and number of failures in a row after which probes stop until the meshes
/// have met again.
const MAX_PROBE_STEPS: usize = 24;
const MAX_FAILED_PROBES: u32 = 3;

/// Whether a few steps prove that no two leaves meet.
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
        for _ in 0..MAX_PROBE_STEPS {
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

/// Two triangles that share a point, if there are any, using the cache of the last query. The outer
/// option is `None` where [`traverse`](super::traverse) returns false.
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
    let relative = Relative::new(tree_a, tree_b, pose)?;
    let query = Query::new((a, tree_a), (b, tree_b), pose, &relative);
    let Some(roots) = query.roots() else {
        return Some(None);
    };
    if cache.free.is_some() && cache.probes_left > 0 {
        let clearance = motion * MARGIN_IN_MOTIONS;
        let mut wide = relative.clone();
        wide.widen(clearance * tree_a.frame.scale);
        if dispatch::run(Probe { query: &Query { relative: &wide, ..query }, roots }) {
            (cache.free, cache.clearance) = (Some(*pose), clearance);
            cache.probes_left = MAX_FAILED_PROBES;
            return Some(None);
        }
        cache.probes_left -= 1;
    }
    cache.seeds.insert(0, roots);
    let mut first = First::default();
    let (start, steps) = (&cache.seeds, usize::MAX);
    let end = dispatch::run(Traversal { query: &query, start, sink: &mut first, steps });
    cache.seeds.clear();
    if let Some(leaves) = end.stopped_at {
        cache.seeds.extend(end.last_steps.iter().filter(|step| step.0 != Link::NONE));
        cache.seeds.push(leaves);
        (cache.free, cache.probes_left) = (None, MAX_FAILED_PROBES);
    } else {
        (cache.free, cache.clearance) = (Some(*pose), 0.0);
    }
    debug_assert!(cache.seeds.len() <= MAX_KEPT_STEPS + 1, "the last steps and one pair of leaves");
    Some(first.pair)
}

impl Tree {
    /// Upper bound of the distance by which a point of the mesh moves from one pose to the other.
    fn motion(&self, from: &Pose, to: &Pose) -> f64 {
        let origin = self.frame.origin;
        let middle = to.transform_point(origin) - from.transform_point(origin);
        let difference = to.rotation() - from.rotation();
        let columns = [difference.x_axis, difference.y_axis, difference.z_axis];
        let size = columns.iter().map(|c: &Vec3| c.length_squared()).sum::<f64>().sqrt();
        let sizes = [from.translation(), to.translation(), origin].map(length_up);
        let largest = sizes[0] + sizes[1] + sizes[2];
        let reach = self.reach / self.frame.scale;
        // The rounding error of denormal numbers is relative to the smallest number, not to
        // themselves.
        let rounding = (largest + reach) * 64.0 * f64::EPSILON + DENORMAL_ERROR;
        (length_up(middle) + size * reach) * (1.0 + 1e-9) + rounding
    }
}
