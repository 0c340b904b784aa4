//! Patterns for names of parts, in scene files and on the command line.

use std::str::Chars;

/// Whether `name` matches `pattern`. In the pattern, `*` matches any text, including none, and `?`
/// any one character.
///
/// There is no escape character: `*` and `?` cannot be required literally. The time is at most
/// proportional to the product of the two lengths.
///
/// ```
/// use impinge_io::name_matches;
///
/// assert!(name_matches("bolt*", "bolt 12") && name_matches("bolt ?", "bolt 1"));
/// assert!(!name_matches("bolt ?", "bolt 12"));
/// ```
#[must_use]
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let (mut p, mut n) = (pattern.chars(), name.chars());
    // Where to continue after a mismatch: the pattern after the last star, and the name after the
    // characters that the star has consumed so far.
    let mut retry: Option<(Chars<'_>, Chars<'_>)> = None;
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
                let Some((after_star, mut rest)) = retry else { return false };
                // The star consumes one more character.
                if rest.next().is_none() {
                    return false;
                }
                p = after_star.clone();
                n = rest.clone();
                retry = Some((after_star, rest));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_any_text_or_one_character() {
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
            ("a*b*c", "aXbbYc", true),
            ("a*b", "abc", false),
            ("**x", "x", true),
            ("\u{e9}*", "\u{e9}a", true),
        ] {
            assert_eq!(name_matches(pattern, name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(2000);
        assert!(!name_matches(&format!("{}b", "a*".repeat(50)), &long));
    }
}
