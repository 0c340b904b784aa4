//! Pairs of triangles that wait to be measured in `f64`, the closest first.

/// Two triangles, and a lower bound of their distance in B's local unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) lower: f64,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl Candidate {
    #[inline(always)]
    pub(super) fn new(lower: f64, a: u32, b: u32) -> Self {
        Self { lower, a, b }
    }

    /// Whether this one is measured before the other: the closer one, of equally close ones that
    /// with the lowest indices.
    #[inline(always)]
    fn is_before(&self, other: &Self) -> bool {
        let key = |candidate: &Self| (candidate.a, candidate.b);
        self.lower < other.lower || self.lower == other.lower && key(self) < key(other)
    }

    /// Arranges a list as a binary heap with the first one in front, in linear time: mostly few of
    /// them are measured before the rest is dismissed, so that sorting would take longer.
    pub(super) fn arrange(list: &mut [Self]) {
        for at in (0..list.len() / 2).rev() {
            Self::sink(list, at);
        }
    }

    /// Removes the first one of a list that is arranged.
    pub(super) fn remove_first(list: &mut Vec<Self>) {
        if !list.is_empty() {
            list.swap_remove(0);
            Self::sink(list, 0);
        }
    }

    /// Moves an entry down until those below it come after it.
    fn sink(list: &mut [Self], mut at: usize) {
        loop {
            let mut first = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < list.len() && list[below].is_before(&list[first]) {
                    first = below;
                }
            }
            if first == at {
                return;
            }
            list.swap(at, first);
            at = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn candidates_leave_in_their_order() {
        let mut random = Random::new(5);
        for count in [0, 1, 2, 3, 10, 255, 256] {
            // Many are equally close.
            let mut list: Vec<Candidate> = (0..count)
                .map(|k| Candidate::new(f64::from(k % 7), (random.unit() * 9.0) as u32, k))
                .collect();
            let mut sorted = list.clone();
            sorted.sort_by(|x, y| x.lower.total_cmp(&y.lower).then((x.a, x.b).cmp(&(y.a, y.b))));
            Candidate::arrange(&mut list);
            for expected in sorted {
                assert_eq!(list.first(), Some(&expected));
                Candidate::remove_first(&mut list);
            }
            assert!(list.is_empty());
        }
    }
}
