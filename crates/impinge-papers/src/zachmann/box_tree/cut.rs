//! The choice of the plane that cuts a box: the penalty function of Zachmann 1994, section 3.6.3,
//! and its minimisation.

use impinge::math::Aabb;

use super::options::Options;

/// Cuts whose penalties differ by at most this share of the polygons count as equally good; the cut
/// across the longest side is then used.
const PENALTY_TOLERANCE: f64 = 0.1;

/// Empty space is cut off only along sides at least this long, relative to the longest side,
/// because a thin box has little of it.
const MIN_SIDE_SHARE: f64 = 0.25;

/// A plane perpendicular to an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) at: f64,
    /// Number of polygons on both sides.
    pub(super) crossing: usize,
    /// The empty side, if there is one.
    pub(super) empty: Option<Half>,
}

/// A side of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Left,
    Right,
}

impl Cut {
    /// The halves that receive an object with the extent `lo..hi` along the axis.
    pub(super) fn halves(&self, lo: f64, hi: f64, delta: f64) -> [bool; 2] {
        match self.empty {
            Some(Half::Left) => [false, true],
            Some(Half::Right) => [true, false],
            None => halves(lo, hi, self.at, delta),
        }
    }
}

/// Left, right or both: an object that extends over the plane by at most `delta` does not cross it,
/// and an object inside the thickness goes to the side that contains more of it (Figure 3.28).
fn halves(lo: f64, hi: f64, at: f64, delta: f64) -> [bool; 2] {
    match (hi <= at + delta, lo >= at - delta) {
        (false, false) => [true, true],
        (true, true) if at - lo >= hi - at => [true, false],
        (true, false) => [true, false],
        (_, true) => [false, true],
    }
}

/// The polygons of a box, represented by their own boxes.
pub(super) struct Polygons<'a> {
    pub(super) bounds: &'a Aabb,
    pub(super) boxes: &'a [Aabb],
    pub(super) members: &'a [u32],
    /// The box around the polygons and edges. Used only with [`Options::empty_boxes`].
    pub(super) within: Aabb,
    pub(super) delta: f64,
}

impl Polygons<'_> {
    /// The cut of smallest penalty among those that the stopping rules allow.
    pub(super) fn cut(&self, options: &Options) -> Option<Cut> {
        if options.empty_boxes {
            if let Some(cut) = self.empty_space() {
                return Some(cut);
            }
        }
        let found = [0, 1, 2].map(|axis| self.best_along(axis, options));
        let least = found.iter().flatten().map(|(p, _)| *p).min_by(f64::total_cmp)?;
        let margin =
            if options.empty_boxes { PENALTY_TOLERANCE * self.members.len() as f64 } else { 0.0 };
        let side = |cut: &Cut| self.bounds.extent()[cut.axis];
        let mut best: Option<Cut> = None;
        for (_, cut) in found.iter().flatten().filter(|(p, _)| *p <= least + margin) {
            let longer = best.as_ref().is_none_or(|b| options.empty_boxes && side(cut) > side(b));
            if longer {
                best = Some(*cut);
            }
        }
        best
    }

    /// The best cut along one axis by `|n_l - n_r|` alone, with its full penalty.
    ///
    /// An accelerated interval bisection: the end on the side with fewer polygons moves towards the
    /// middle, by the relative difference of the counts. The thesis prints `l' = n_l/(n_l+n_r) l +
    /// (n_r-n_l)/(n_l+n_r) c`, whose weights do not sum to one. With `n_r` as the divisor they do,
    /// and `l' = c` if no polygon is on the left, as in plain bisection.
    fn best_along(&self, axis: usize, options: &Options) -> Option<(f64, Cut)> {
        let (first, last) = (self.bounds.min[axis], self.bounds.max[axis]);
        let (mut l, mut r) = (first, last);
        let resolution = f64::EPSILON * l.abs().max(r.abs());
        let max_count = options.max_share * self.members.len() as f64;
        let mut best: Option<(f64, f64, Cut)> = None;
        for _ in 0..options.max_iterations {
            let at = (l * 0.5 + r * 0.5).clamp(first, last);
            let [left, right, crossing] = self.count(axis, at);
            let unbalanced = (left as f64 - right as f64).abs();
            let halves = [left + crossing, right + crossing];
            let allowed = halves.iter().all(|n| *n > 0 && *n as f64 <= max_count);
            if allowed && best.as_ref().is_none_or(|(p, ..)| unbalanced < *p) {
                let penalty = unbalanced + options.crossing_weight * crossing as f64;
                best = Some((unbalanced, penalty, Cut { axis, at, crossing, empty: None }));
            }
            if unbalanced <= options.balance_tolerance || r - l <= resolution {
                break;
            }
            if left < right {
                let share = left as f64 / right as f64;
                l = share * l + (1.0 - share) * at;
            } else {
                let share = right as f64 / left as f64;
                r = share * r + (1.0 - share) * at;
            }
        }
        best.map(|(_, penalty, cut)| (penalty, cut))
    }

    /// The numbers of polygons left of a plane, right of it, and crossing it.
    fn count(&self, axis: usize, at: f64) -> [usize; 3] {
        let mut counts = [0; 3];
        for member in self.members {
            let b = &self.boxes[*member as usize];
            match halves(b.min[axis], b.max[axis], at, self.delta) {
                [true, true] => counts[2] += 1,
                [true, false] => counts[0] += 1,
                _ => counts[1] += 1,
            }
        }
        counts
    }

    /// A cut with an empty side, in the middle third of a side of the box. From each end a plane is
    /// moved until it reaches a polygon or the middle. The plane closest to the middle is the
    /// result.
    fn empty_space(&self) -> Option<Cut> {
        let extent = self.bounds.extent();
        let mut best: Option<(f64, Cut)> = None;
        for axis in 0..3 {
            let (lo, hi) = (self.bounds.min[axis], self.bounds.max[axis]);
            if !(extent[axis] > 0.0 && extent[axis] >= MIN_SIDE_SHARE * extent.max_element()) {
                continue;
            }
            let middle = lo * 0.5 + hi * 0.5;
            let (left, right) =
                (self.within.min[axis].min(middle), self.within.max[axis].max(middle));
            let candidates = [(left - lo, left, Half::Left), (hi - right, right, Half::Right)];
            for (way, at, half) in candidates {
                let share = way / extent[axis];
                let further = best.as_ref().is_none_or(|(s, _)| share > *s);
                if share >= 1.0 / 3.0 && further && lo < at && at < hi {
                    best = Some((share, Cut { axis, at, crossing: 0, empty: Some(half) }));
                }
            }
        }
        best.map(|(_, cut)| cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::math::Vec3;

    fn bars(spans: &[[f64; 2]]) -> Vec<Aabb> {
        spans
            .iter()
            .map(|[lo, hi]| Aabb { min: Vec3::new(*lo, 0.0, 0.0), max: Vec3::new(*hi, 1.0, 1.0) })
            .collect()
    }

    fn cut(spans: &[[f64; 2]], options: &Options) -> Option<Cut> {
        let boxes = bars(spans);
        let bounds = boxes.iter().fold(Aabb::EMPTY, |sum, b| sum.union(b));
        let members: Vec<u32> = (0..boxes.len() as u32).collect();
        Polygons { bounds: &bounds, boxes: &boxes, members: &members, within: bounds, delta: 1e-9 }
            .cut(options)
    }

    #[test]
    fn balanced_halves_and_no_crossing() {
        // Three short bars on the left, a gap, and three long bars on the right.
        let spans = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [4.0, 9.0], [9.0, 15.0], [15.0, 21.0]];
        let found = cut(&spans, &Options::THESIS).unwrap();
        assert_eq!((found.axis, found.crossing, found.empty), (0, 0, None));
        assert!((3.0..=4.0).contains(&found.at), "{}", found.at);
    }

    #[test]
    fn touching_the_plane_is_not_crossing() {
        assert_eq!(halves(0.0, 1.0 + 1e-12, 1.0, 1e-9), [true, false]);
        assert_eq!(halves(1.0 - 1e-12, 2.0, 1.0, 1e-9), [false, true]);
        assert_eq!(halves(0.0, 2.0, 1.0, 1e-9), [true, true]);
        assert_eq!(halves(1.0, 1.0, 1.0, 1e-9), [true, false]);
        assert_eq!(halves(0.0, 1.0 + 1e-12, 1.0, 0.0), [true, true]);
    }

    #[test]
    fn inseparable_polygons_are_not_cut() {
        assert_eq!(cut(&[[0.0, 1.0]; 8], &Options::THESIS), None);
        assert_eq!(cut(&[[0.0, 1.0]], &Options::THESIS), None);
    }

    #[test]
    fn empty_space_is_cut_off_where_asked() {
        let boxes = bars(&[[6.0, 8.0], [7.0, 10.0]]);
        let bounds = Aabb { min: Vec3::ZERO, max: Vec3::new(10.0, 10.0, 1.0) };
        let polygons = Polygons {
            bounds: &bounds,
            boxes: &boxes,
            members: &[0, 1],
            within: boxes[0].union(&boxes[1]),
            delta: 1e-9,
        };
        let found = polygons.cut(&Options { empty_boxes: true, ..Options::THESIS }).unwrap();
        assert_eq!((found.at, found.empty), (5.0, Some(Half::Left)));
        let plain = polygons.cut(&Options { max_share: 0.5, ..Options::THESIS });
        assert!(plain.is_none_or(|c| c.empty.is_none()));
    }
}
