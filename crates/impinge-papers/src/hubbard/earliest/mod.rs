//! The earliest intersection among many space-time bounds (sections V.A to V.D).
//!
//! All bounds are compared from one time on, until the first of them expires. The faces of their
//! boxes that are normal to one axis are lines in the plane of that axis and time. Two boxes that
//! are apart meet first where two of these lines cross, while the rectangles of the faces overlap
//! in the other two axes. [`by_projection`] finds the crossings of lines in the order of time;
//! [`by_subdivision`] divides space and time until few faces are left.
//!
//! Both return the pair of the smallest [`earliest_meeting`], bit for bit, unless
//! [`Planes::AsPrinted`] is selected. Crossings are ordered by exact comparisons, and pairs with
//! boxes that overlap at the start are tested separately, as in section VI.

mod figure_8;
mod lines;
mod projection;
mod subdivision;

use impinge::internals::motion::sign_of_sum;
use impinge::motion::{SpaceTimeBound, earliest_meeting};

pub use projection::by_projection;
pub use subdivision::by_subdivision;

use lines::Start;

/// How cutting planes are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planes {
    /// The earliest common point of all half-spaces of both bounds.
    #[default]
    Exact,
    /// Figure 8 of the paper: only the faces whose intersection was found are compared with the
    /// planes. **Not conservative:** the time may be too late, or an intersection may be missed.
    AsPrinted,
}

/// The first intersection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Earliest {
    /// Its time.
    pub time: f64,
    /// The bounds that meet, the smaller index first. Of pairs that meet at the same time, the
    /// first in order among those that were visited.
    pub pair: [usize; 2],
}

/// How much work a search was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Crossings of two lines that were visited; by subdivision: pairs of faces.
    pub crossings: u64,
    /// Of these, intersections of two faces.
    pub faces: u64,
    /// The number of pairs of lines, over all three axes: the most crossings there can be.
    pub worst: u64,
    /// Cells of a subdivision.
    pub cells: u64,
}

/// The best pair so far.
struct Best<'a> {
    bounds: &'a [SpaceTimeBound],
    from: f64,
    until: f64,
    planes: Planes,
    found: Option<Earliest>,
}

impl<'a> Best<'a> {
    /// Begins a search with the pairs that overlap at the start. Returns the faces of the bounds,
    /// too; `None` if the bounds have no common time from `from` on.
    fn begin(
        bounds: &'a [SpaceTimeBound],
        from: f64,
        planes: Planes,
        counts: &mut Counts,
    ) -> Option<(Self, Vec<Start>)> {
        let until = bounds.iter().fold(f64::INFINITY, |until, bound| until.min(bound.end()));
        let all_hold = bounds.iter().all(|bound| bound.start() <= from);
        assert!(all_hold, "all bounds hold at the start of the search");
        if from > until {
            return None;
        }
        let lines = 2 * bounds.len() as u64;
        counts.worst += 3 * (lines * lines.saturating_sub(1) / 2);
        let starts: Vec<Start> = bounds.iter().map(|bound| Start::of(bound, from)).collect();
        let mut best = Self { bounds, from, until, planes, found: None };
        best.test_initial_overlap(&starts);
        Some((best, starts))
    }

    /// Until when intersections are searched for.
    fn limit(&self) -> f64 {
        self.found.map_or(self.until, |found| found.time)
    }

    fn add(&mut self, time: f64, pair: [usize; 2]) {
        let pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        let is_better = self.found.is_none_or(|found| (time, pair) < (found.time, found.pair));
        if time <= self.until && is_better {
            self.found = Some(Earliest { time, pair });
        }
    }

    /// The exact earliest meeting of a pair.
    fn try_pair(&mut self, pair: [usize; 2]) {
        let [a, b] = pair.map(|n| self.bounds[n]);
        if let Some(time) = earliest_meeting(&a.starting_at(self.from), &b.starting_at(self.from)) {
            self.add(time, pair);
        }
    }

    /// Two faces that intersect at `after` the start.
    fn try_faces(&mut self, faces: &figure_8::Crossing, pair: [usize; 2]) {
        match self.planes {
            Planes::Exact => self.try_pair(pair),
            Planes::AsPrinted => {
                let until = self.limit() - self.from;
                let bounds = pair.map(|n| self.bounds[n].starting_at(self.from));
                if let Some(after) = figure_8::earliest(&bounds, faces, until) {
                    self.add(self.from + after, pair);
                }
            }
        }
    }

    /// The pairs of boxes that overlap at the start (section VI): they are found along the x axis,
    /// in the order of their smaller faces.
    fn test_initial_overlap(&mut self, starts: &[Start]) {
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.sort_by(|a, b| {
            starts[*a].min[0].base.total_cmp(&starts[*b].min[0].base).then(a.cmp(b))
        });
        let mut open: Vec<usize> = Vec::new();
        for next in order {
            open.retain(|other| starts[*other].max[0].base >= starts[next].min[0].base);
            for k in 0..open.len() {
                let [a, b] = [&starts[open[k]], &starts[next]];
                let overlap = (1..3)
                    .all(|k| a.min[k].base <= b.max[k].base && b.min[k].base <= a.max[k].base);
                if overlap {
                    self.try_pair([open[k], next]);
                }
            }
            open.push(next);
        }
    }
}
