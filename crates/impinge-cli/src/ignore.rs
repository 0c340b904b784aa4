//! Pairs that the user ignores by the names of their parts.

use std::collections::BTreeMap;

use impinge_io::name_matches;

/// A pair of name patterns, `A:B`, to ignore; `*` matches any text, `?` any one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IgnorePattern {
    text: String,
}

impl IgnorePattern {
    /// The pattern in `text`; an error if it does not have two sides.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let this = Self { text: text.to_owned() };
        if this.splits().any(|(a, b)| !a.is_empty() && !b.is_empty()) {
            Ok(this)
        } else {
            Err("expected two part names separated by a colon, such as \"bolt*:plate\"".to_owned())
        }
    }

    /// The pattern split at each of its colons, because names may contain colons.
    fn splits(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.match_indices(':').map(|(at, _)| (&self.text[..at], &self.text[at + 1..]))
    }

    /// The pattern as given by the user.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The pairs that any split of any pattern matches.
#[derive(Debug, Default)]
pub(crate) struct IgnoredPairs {
    splits: Vec<Split>,
}

/// A split of a pattern, and for each part whether it matches the left and the right side.
#[derive(Debug)]
struct Split {
    /// Index of the pattern.
    pattern: usize,
    left: Vec<bool>,
    right: Vec<bool>,
}

impl IgnoredPairs {
    /// Matches `patterns` with the parts. A part matches if any of its names does.
    pub(crate) fn new(patterns: &[IgnorePattern], parts: &[[&str; 2]]) -> Self {
        let matching = |side: &str| {
            parts.iter().map(|names| names.iter().any(|n| name_matches(side, n))).collect()
        };
        let splits = patterns
            .iter()
            .enumerate()
            .flat_map(|(pattern, p)| p.splits().map(move |s| (pattern, s)))
            .map(|(pattern, (l, r))| Split { pattern, left: matching(l), right: matching(r) })
            .collect();
        Self { splits }
    }

    /// Whether the pair is ignored, in either order.
    pub(crate) fn contains(&self, a: usize, b: usize) -> bool {
        self.splits.iter().any(|s| (s.left[a] && s.right[b]) || (s.left[b] && s.right[a]))
    }

    /// Whether the pattern of that index matches any pair.
    pub(crate) fn matches_a_pair(&self, pattern: usize) -> bool {
        self.splits.iter().filter(|s| s.pattern == pattern).any(|s| {
            let count = |side: &[bool]| side.iter().filter(|matches| **matches).count();
            let (left, right) = (count(&s.left), count(&s.right));
            // If both sides match the same single part, there is no pair.
            let same = left == 1 && s.left == s.right;
            left > 0 && right > 0 && !same
        })
    }

    /// The number of ignored pairs among those of the job. `in_job` returns whether a pair is one
    /// of the job, and may depend only on the groups of the two parts.
    ///
    /// Parts of one group that match the same sides of all splits are counted together, so the time
    /// is not proportional to the number of pairs.
    pub(crate) fn count(&self, group_of: &[usize], in_job: impl Fn(usize, usize) -> bool) -> usize {
        // For each class of equal parts: one of them, and their number.
        let mut classes: BTreeMap<ClassKey, (usize, usize)> = BTreeMap::new();
        for (part, group) in group_of.iter().enumerate() {
            let key = self.splits.iter().map(|s| (s.left[part], s.right[part])).collect();
            classes.entry((*group, key)).or_insert((part, 0)).1 += 1;
        }
        let classes: Vec<(usize, usize)> = classes.into_values().collect();
        let is_ignored = |a: usize, b: usize| in_job(a, b) && self.contains(a, b);
        let mut total = 0;
        for (i, (a, n)) in classes.iter().enumerate() {
            if is_ignored(*a, *a) {
                total += n * (n - 1) / 2;
            }
            total += classes[i + 1..]
                .iter()
                .filter(|(b, _)| is_ignored(*a, *b))
                .map(|(_, m)| n * m)
                .sum::<usize>();
        }
        total
    }
}

/// A part's group, and for each split whether its left and its right side match the part.
type ClassKey = (usize, Vec<(bool, bool)>);

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored_pairs(patterns: &[&str], names: &[&str]) -> IgnoredPairs {
        let patterns: Vec<IgnorePattern> =
            patterns.iter().map(|p| IgnorePattern::parse(p).unwrap()).collect();
        let parts: Vec<[&str; 2]> = names.iter().map(|n| [*n, ""]).collect();
        IgnoredPairs::new(&patterns, &parts)
    }

    #[test]
    fn patterns_match_in_either_order_and_names_may_have_colons() {
        let bolts = ignored_pairs(&["bolt*:plate"], &["bolt 12", "plate", "bolt", "plate 2"]);
        assert!(bolts.contains(0, 1) && bolts.contains(1, 2));
        assert!(!bolts.contains(2, 3) && !bolts.contains(0, 2));
        assert!(ignored_pairs(&["ns:a:ns:b"], &["ns:b", "ns:a"]).contains(0, 1));
        for bad in ["", ":", "a", "a:", ":b"] {
            assert!(IgnorePattern::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn patterns_that_match_no_pair_are_found() {
        let out = ignored_pairs(&["a:a", "a:b", "b:*", "x:*"], &["a", "b", "c"]);
        assert_eq!([0, 1, 2, 3].map(|i| out.matches_a_pair(i)), [false, true, true, false]);
    }

    #[test]
    fn the_count_equals_that_of_testing_every_pair() {
        let names: Vec<String> =
            (0..40).map(|i| format!("{}{i}", ["bolt", "nut", "plate"][i % 3])).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for patterns in
            [&["bolt*:*"][..], &["bolt*:nut*", "*1:*2"], &["*:*"], &["plate*:plate*"], &[]]
        {
            let out = ignored_pairs(patterns, &names);
            for groups in [1, 3] {
                let group_of: Vec<usize> = (0..40).map(|i| i % groups).collect();
                let in_job = |a: usize, b: usize| groups == 1 || group_of[a] != group_of[b];
                let mut expected = 0;
                for a in 0..40 {
                    for b in a + 1..40 {
                        expected += usize::from(in_job(a, b) && out.contains(a, b));
                    }
                }
                assert_eq!(out.count(&group_of, in_job), expected, "{patterns:?} {groups}");
            }
        }
    }
}
