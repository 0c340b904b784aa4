//! Rules about pairs not to check, resolved to the instances they mean.

use super::Ignore;
use crate::document::{IgnoreRule, Instance};
use crate::error::{Error, ErrorKind, Location};
use crate::report::FileReport;
use crate::text::excerpt;

/// The rules over `instances`; what matches nothing goes into the report.
pub(super) fn resolve(
    rules: &[Ignore],
    instances: &[Instance],
    report: &mut FileReport,
) -> Result<Vec<IgnoreRule>, Error> {
    let mut out = Vec::new();
    for (i, rule) in rules.iter().enumerate() {
        let here = Location::Item("ignore", i as u64);
        let mut matches = |pattern: &String| {
            let found: Vec<usize> =
                (0..instances.len()).filter(|&k| glob(pattern, &instances[k].name)).collect();
            if found.is_empty() {
                let reason =
                    format!("ignore patterns without a part: `{}`", excerpt(pattern.as_bytes()));
                report.skip(reason, 1, here);
            }
            found
        };
        let resolved = match (&rule.pair, &rule.group) {
            (Some([a, b]), None) => IgnoreRule::Between(matches(a), matches(b)),
            (None, Some(group)) => {
                let mut found: Vec<usize> = group.iter().flat_map(matches).collect();
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

/// Whether `name` matches `pattern`, in which `*` is any text and `?` any one character.
fn glob(pattern: &str, name: &str) -> bool {
    let (mut p, mut n) = (pattern.chars(), name.chars());
    // Where to go on when a match fails: behind the last star, one more character eaten by it.
    let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let before = n.clone();
        match (p.next(), n.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                n = before.clone();
                retry = Some((p.clone(), before));
            }
            (Some('?'), Some(_)) => {}
            (Some(a), Some(b)) if a == b => {}
            _ => {
                let Some((after, mut eaten)) = retry else { return false };
                if eaten.next().is_none() {
                    return false;
                }
                p = after.clone();
                n = eaten.clone();
                retry = Some((after, eaten));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, name, expected) in [
            ("arm", "arm", true),
            ("arm", "arms", false),
            ("arm*", "arm", true),
            ("arm*", "arm.left", true),
            ("*left", "arm.left", true),
            ("*left", "arm.left2", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("?", "\u{e4}", true),
            ("?", "", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("**?", "ab", true),
            ("a?c", "abc", true),
        ] {
            assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(2000);
        assert!(!glob(&format!("{}b", "a*".repeat(50)), &long));
    }
}
