//! Text in an 8x8 bitmap font, scaled to any size with smooth outlines.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};

use super::image::Image;
use super::shade::Rgb;

/// The width of a line of text of `size` pixels height; all characters have the same width.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * advance(size)
}

/// The distance from one character to the next.
pub(crate) fn advance(size: f64) -> f64 {
    (size * 0.76).max(1.0)
}

/// Draws one line with its upper left corner at `(x, y)`.
pub(crate) fn draw(image: &mut Image, x: f64, y: f64, size: f64, text: &str, rgb: Rgb) {
    for (i, c) in text.chars().enumerate() {
        glyph(image, x + i as f64 * advance(size), y, size, bitmap(c), rgb);
    }
}

/// The rows of a character, lowest bit on the left; a question mark if the font does not have it.
fn bitmap(c: char) -> [u8; 8] {
    BASIC_FONTS
        .get(c)
        .or_else(|| LATIN_FONTS.get(c))
        .or_else(|| GREEK_FONTS.get(c))
        .or_else(|| BASIC_FONTS.get('?'))
        .unwrap_or_default()
}

/// Draws a character. Its outline is where the bilinear interpolation of the bitmap has the value
/// 0.47, which rounds corners and smooths steps.
fn glyph(image: &mut Image, x: f64, y: f64, size: f64, rows: [u8; 8], rgb: Rgb) {
    const SAMPLES_PER_SIDE: usize = 4;
    let dot = |i: i64, j: i64| {
        let inside = (0..8).contains(&i) && (0..8).contains(&j);
        if inside && rows[j as usize] >> i & 1 == 1 { 1.0 } else { 0.0 }
    };
    let (width, height) = (advance(size) * 8.0 / 7.4, size);
    for py in y.floor() as i64..=(y + height).ceil() as i64 {
        for px in x.floor() as i64..=(x + width).ceil() as i64 {
            let mut hits = 0;
            for s in 0..SAMPLES_PER_SIDE * SAMPLES_PER_SIDE {
                let offset = |k: usize| (k as f64 + 0.5) / SAMPLES_PER_SIDE as f64;
                let u = (px as f64 + offset(s % SAMPLES_PER_SIDE) - x) / width * 8.0 - 0.5;
                let v = (py as f64 + offset(s / SAMPLES_PER_SIDE) - y) / height * 8.0 - 0.5;
                let (i, j) = (u.floor() as i64, v.floor() as i64);
                let (fu, fv) = (u - u.floor(), v - v.floor());
                let top = dot(i, j) * (1.0 - fu) + dot(i + 1, j) * fu;
                let bottom = dot(i, j + 1) * (1.0 - fu) + dot(i + 1, j + 1) * fu;
                hits += usize::from(top * (1.0 - fv) + bottom * fv > 0.47);
            }
            image.blend(px, py, rgb, hits as f64 / (SAMPLES_PER_SIDE * SAMPLES_PER_SIDE) as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of dark colour values after the text is drawn.
    fn dark_values(text: &str, size: f64) -> usize {
        let mut image = Image::new(200, 40, [255; 3]);
        draw(&mut image, 2.0, 2.0, size, text, [0; 3]);
        image.rgb.iter().filter(|c| **c < 128).count()
    }

    #[test]
    fn letters_are_drawn_and_spaces_are_empty() {
        assert_eq!(dark_values("   ", 16.0), 0);
        let (small, large) = (dark_values("Ag", 10.0), dark_values("Ag", 20.0));
        assert!(small > 20 && large > 3 * small, "{small} {large}");
        assert_eq!(dark_values("漢", 16.0), dark_values("?", 16.0));
        assert_ne!(dark_values("é", 16.0), dark_values("?", 16.0));
        assert_eq!(width("abcd", 10.0), 4.0 * advance(10.0));
    }
}
