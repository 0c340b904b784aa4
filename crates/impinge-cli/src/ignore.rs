//! Pairs the user leaves out by the names of their parts.

use std::collections::BTreeMap;

use impinge_io::name_matches;

/// A pair of name patterns, `A:B`, to be left out; `*` is any text, `?` any one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ignore {
    text: String,
}

impl Ignore {
    /// The pattern, if it has two sides.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let this = Self { text: text.to_owned() };
        if this.readings().any(|(a, b)| !a.is_empty() && !b.is_empty()) {
            Ok(this)
        } else {
            Err("two part names with a colon between them are needed, such as \"bolt*:plate\""
                .to_owned())
        }
    }

    /// The ways to read the pattern: a name may itself hold colons.
    fn readings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.match_indices(':').map(|(at, _)| (&self.text[..at], &self.text[at + 1..]))
    }

    /// The pattern as it was typed.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// Which parts the two sides of each reading of each pattern fit.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    readings: Vec<Reading>,
}

#[derive(Debug)]
struct Reading {
    pattern: usize,
    left: Vec<bool>,
    right: Vec<bool>,
}

impl LeftOut {
    /// Matches `patterns` with the parts, each known by any of its names.
    pub(crate) fn new(patterns: &[Ignore], parts: &[[&str; 2]]) -> Self {
        let fitting = |side: &str| {
            parts.iter().map(|names| names.iter().any(|n| name_matches(side, n))).collect()
        };
        let readings = patterns
            .iter()
            .enumerate()
            .flat_map(|(pattern, p)| p.readings().map(move |r| (pattern, r)))
            .map(|(pattern, (l, r))| Reading { pattern, left: fitting(l), right: fitting(r) })
            .collect();
        Self { readings }
    }

    /// Whether the pair is left out, in whatever order.
    pub(crate) fn holds(&self, a: usize, b: usize) -> bool {
        self.readings.iter().any(|r| (r.left[a] && r.right[b]) || (r.left[b] && r.right[a]))
    }

    /// Whether a pattern, by its index, leaves out any pair at all.
    pub(crate) fn is_useful(&self, pattern: usize) -> bool {
        self.readings.iter().filter(|r| r.pattern == pattern).any(|r| {
            let count = |side: &[bool]| side.iter().filter(|fits| **fits).count();
            let (left, right) = (count(&r.left), count(&r.right));
            // Two sides that fit one and the same part only name no pair.
            let same = left == 1 && r.left == r.right;
            left > 0 && right > 0 && !same
        })
    }

    /// How many of the pairs that are wanted at all are left out; `wants` may depend on the parts'
    /// groups only.
    ///
    /// Parts of one group that every reading treats alike are counted together, so that a million
    /// pairs take no million steps.
    pub(crate) fn count(&self, group_of: &[usize], wants: impl Fn(usize, usize) -> bool) -> usize {
        let mut alike: BTreeMap<Treatment, (usize, usize)> = BTreeMap::new();
        for (part, group) in group_of.iter().enumerate() {
            let key = self.readings.iter().map(|r| (r.left[part], r.right[part])).collect();
            alike.entry((*group, key)).or_insert((part, 0)).1 += 1;
        }
        let kinds: Vec<(usize, usize)> = alike.into_values().collect();
        let counts = |a: usize, b: usize| wants(a, b) && self.holds(a, b);
        let mut total = 0;
        for (i, (a, n)) in kinds.iter().enumerate() {
            if counts(*a, *a) {
                total += n * (n - 1) / 2;
            }
            total += kinds[i + 1..]
                .iter()
                .filter(|(b, _)| counts(*a, *b))
                .map(|(_, m)| n * m)
                .sum::<usize>();
        }
        total
    }
}

/// A part's group, and which sides of which readings fit it.
type Treatment = (usize, Vec<(bool, bool)>);

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(patterns: &[&str], names: &[&str]) -> LeftOut {
        let patterns: Vec<Ignore> = patterns.iter().map(|p| Ignore::parse(p).unwrap()).collect();
        let parts: Vec<[&str; 2]> = names.iter().map(|n| [*n, ""]).collect();
        LeftOut::new(&patterns, &parts)
    }

    #[test]
    fn patterns_match_either_order_and_names_with_colons() {
        let bolts = left_out(&["bolt*:plate"], &["bolt 12", "plate", "bolt", "plate 2"]);
        assert!(bolts.holds(0, 1) && bolts.holds(1, 2));
        assert!(!bolts.holds(2, 3) && !bolts.holds(0, 2));
        assert!(left_out(&["ns:a:ns:b"], &["ns:b", "ns:a"]).holds(0, 1));
        for bad in ["", ":", "a", "a:", ":b"] {
            assert!(Ignore::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn patterns_without_effect_are_known() {
        let out = left_out(&["a:a", "a:b", "b:*", "x:*"], &["a", "b", "c"]);
        assert_eq!([0, 1, 2, 3].map(|i| out.is_useful(i)), [false, true, true, false]);
    }

    #[test]
    fn the_count_is_that_of_looking_at_every_pair() {
        let names: Vec<String> =
            (0..40).map(|i| format!("{}{i}", ["bolt", "nut", "plate"][i % 3])).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for patterns in
            [&["bolt*:*"][..], &["bolt*:nut*", "*1:*2"], &["*:*"], &["plate*:plate*"], &[]]
        {
            let out = left_out(patterns, &names);
            for groups in [1, 3] {
                let group_of: Vec<usize> = (0..40).map(|i| i % groups).collect();
                let wants = |a: usize, b: usize| groups == 1 || group_of[a] != group_of[b];
                let mut expected = 0;
                for a in 0..40 {
                    for b in a + 1..40 {
                        expected += usize::from(wants(a, b) && out.holds(a, b));
                    }
                }
                assert_eq!(out.count(&group_of, wants), expected, "{patterns:?} {groups}");
            }
        }
    }
}
