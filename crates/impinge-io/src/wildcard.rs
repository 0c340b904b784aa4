//! Names of parts that fit a pattern, in scene files and on the command line.

use std::str::Chars;

/// Whether `name` matches `pattern`, in which `*` is any text, none included, and `?` any one
/// character.
///
/// There is no escape: a `*` or `?` of a name is matched by itself as by anything. The time is at
/// most the product of the two lengths.
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
    // Where to go on when a match fails: behind the last star, one more character eaten by it.
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
    fn stars_and_question_marks() {
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
