//! The `[[ignore]]` rules of a scene file, resolved to instances.

use std::collections::BTreeMap;

use super::Ignore;
use crate::document::{IgnoreRule, Instance};
use crate::error::{Error, ErrorKind, ItemKind, Location};
use crate::report::FileReport;
use crate::text::excerpt;
use crate::wildcard::name_matches;

/// The maximum number of comparisons of a name with a pattern per scene.
const MAX_COMPARISONS: usize = 1 << 26;

/// The maximum number of matches of all patterns of a scene.
const MAX_MATCHES: usize = 1 << 24;

/// Resolves the rules to `instances`. Patterns and rules without a match are added to the report.
pub(super) fn resolve(
    rules: &[Ignore],
    instances: &[Instance],
    report: &mut FileReport,
) -> Result<Vec<IgnoreRule>, Error> {
    let mut finder = Finder::new(instances);
    let mut out = Vec::new();
    for (i, rule) in rules.iter().enumerate() {
        let here = Location::Item(ItemKind::Ignore, i as u64);
        let mut matches = |pattern: &str| -> Result<Vec<usize>, Error> {
            let found = finder.find(pattern).ok_or_else(|| {
                let message = "the ignore rules have too many matches; use fewer patterns";
                Error::new(ErrorKind::TooLarge, here, message)
            })?;
            if found.is_empty() {
                let reason = format!(
                    "ignore patterns that match no part: `{}`",
                    excerpt(pattern.as_bytes())
                );
                report.skip(reason, 1, here);
            }
            Ok(found)
        };
        let resolved = match (&rule.pair, &rule.group) {
            (Some([a, b]), None) => IgnoreRule::Between(matches(a)?, matches(b)?),
            (None, Some(group)) => {
                let mut found = Vec::new();
                for pattern in group {
                    found.append(&mut matches(pattern)?);
                }
                found.sort_unstable();
                found.dedup();
                IgnoreRule::Among(found)
            }
            _ => {
                let message = "an [[ignore]] needs either `pair` or `group`";
                return Err(Error::new(ErrorKind::Syntax, here, message));
            }
        };
        if resolved.is_empty() {
            report.skip("ignore rules that match no pair", 1, here);
        } else {
            out.push(resolved);
        }
    }
    Ok(out)
}

/// Finds parts by name or pattern, with a limit on the work.
struct Finder<'a> {
    instances: &'a [Instance],
    by_name: BTreeMap<&'a str, Vec<usize>>,
    /// Remaining number of comparisons.
    comparisons: usize,
    /// Remaining number of matches.
    matches: usize,
}

impl<'a> Finder<'a> {
    fn new(instances: &'a [Instance]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, instance) in instances.iter().enumerate() {
            by_name.entry(&instance.name).or_default().push(i);
        }
        Self { instances, by_name, comparisons: MAX_COMPARISONS, matches: MAX_MATCHES }
    }

    /// The parts that match `pattern`, ascending; `None` if a limit is exceeded.
    fn find(&mut self, pattern: &str) -> Option<Vec<usize>> {
        let found = if pattern.contains(['*', '?']) {
            self.comparisons = self.comparisons.checked_sub(self.instances.len())?;
            (0..self.instances.len())
                .filter(|&i| name_matches(pattern, &self.instances[i].name))
                .collect()
        } else {
            self.by_name.get(pattern).cloned().unwrap_or_default()
        };
        self.matches = self.matches.checked_sub(found.len())?;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::IDENTITY;
    use crate::format::Format;

    #[test]
    fn too_many_matches_are_an_error() {
        let instances: Vec<Instance> = (0..5000)
            .map(|i| Instance { name: format!("p{i}"), mesh: 0, matrix: IDENTITY, scale: 1.0 })
            .collect();
        let rules = |n: usize| -> Vec<Ignore> {
            (0..n).map(|_| Ignore { pair: None, group: Some(vec!["*".into()]) }).collect()
        };
        let mut report = FileReport::new("s.toml", Format::SceneToml);
        assert_eq!(resolve(&rules(2), &instances, &mut report).unwrap().len(), 2);
        let error = resolve(&rules(5000), &instances, &mut report).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
    }
}
