//! Output formats: tables for people, JSON and CSV for programs.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod json_info;
pub(crate) mod table;

/// Tables shorten names so that their lines have at most this many characters.
pub(crate) const LINE_WIDTH: usize = 100;

/// A number for people: see [`digits`], with six significant digits.
pub(crate) fn number(x: f64) -> String {
    digits(x, 6)
}

/// A number rounded to `n` significant digits, without trailing zeros.
///
/// From 1e-4 to 1e7 it is written without an exponent and keeps all digits before the point.
/// Outside of this range it has an exponent and `n - 1` digits.
pub(crate) fn digits(x: f64, n: usize) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".to_owned();
    }
    let without_zeros = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (1e-4..1e7).contains(&size) {
        let magnitude = size.log10().floor();
        let decimals = (n as f64 - 1.0 - magnitude).max(0.0) as usize;
        let text = format!("{x:.decimals$}");
        return if decimals > 0 { without_zeros(&text) } else { text };
    }
    let text = format!("{x:.*e}", n.saturating_sub(2));
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}e{exponent}", without_zeros(mantissa))
        }
        _ => text,
    }
}

/// A point for people: `(x, y, z)`.
pub(crate) fn point(p: impinge::Vec3) -> String {
    format!("({}, {}, {})", number(p.x), number(p.y), number(p.z))
}

/// A count with separators between thousands: `12,345,678`.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A count with its noun: `1 part`, `2 parts`.
pub(crate) fn plural(n: usize, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_significant_digits() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (1_234.567_89, "1234.57"),
            (123_456.7, "123457"),
            (0.000_123_4, "0.0001234"),
            (1e-9, "1e-9"),
            (-1.25e12, "-1.25e12"),
            (5e-324, "4.9407e-324"),
            (1e60, "1e60"),
            (9_999_999.9, "10000000"),
        ] {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([plural(1, "pair"), plural(2, "pair")], ["1 pair", "2 pairs"]);
    }
}
