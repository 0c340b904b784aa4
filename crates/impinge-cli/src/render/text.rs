//! Text from an 8x8 bitmap font, scaled to any size with smooth outlines.

use font8x8::{BASIC_FONTS, GREEK_FONTS, LATIN_FONTS, UnicodeFonts};

use super::image::Image;
use super::shade::Rgb;

/// The width of a line of text whose letters are `size` pixels high: all letters are equally wide.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * advance(size)
}

/// The distance from one letter to the next.
pub(crate) fn advance(size: f64) -> f64 {
    (size * 0.76).max(1.0)
}

/// Draws one line, `(x, y)` its upper left corner.
pub(crate) fn draw(image: &mut Image, x: f64, y: f64, size: f64, text: &str, rgb: Rgb) {
    for (i, c) in text.chars().enumerate() {
        glyph(image, x + i as f64 * advance(size), y, size, bitmap(c), rgb);
    }
}

/// The rows of a letter, lowest bit on the left; a question mark for what the font lacks.
fn bitmap(c: char) -> [u8; 8] {
    BASIC_FONTS
        .get(c)
        .or_else(|| LATIN_FONTS.get(c))
        .or_else(|| GREEK_FONTS.get(c))
        .or_else(|| BASIC_FONTS.get('?'))
        .unwrap_or_default()
}

/// The outline is where the bilinear interpolation of the bitmap passes one half: square corners
/// become round, and steps become slopes.
fn glyph(image: &mut Image, x: f64, y: f64, size: f64, rows: [u8; 8], rgb: Rgb) {
    const SAMPLES: usize = 4;
    let dot = |i: i64, j: i64| {
        let inside = (0..8).contains(&i) && (0..8).contains(&j);
        if inside && rows[j as usize] >> i & 1 == 1 { 1.0 } else { 0.0 }
    };
    let (wide, high) = (advance(size) * 8.0 / 7.4, size);
    for py in y.floor() as i64..=(y + high).ceil() as i64 {
        for px in x.floor() as i64..=(x + wide).ceil() as i64 {
            let mut hits = 0;
            for s in 0..SAMPLES * SAMPLES {
                let offset = |k: usize| (k as f64 + 0.5) / SAMPLES as f64;
                let u = (px as f64 + offset(s % SAMPLES) - x) / wide * 8.0 - 0.5;
                let v = (py as f64 + offset(s / SAMPLES) - y) / high * 8.0 - 0.5;
                let (i, j) = (u.floor() as i64, v.floor() as i64);
                let (fu, fv) = (u - u.floor(), v - v.floor());
                let top = dot(i, j) * (1.0 - fu) + dot(i + 1, j) * fu;
                let bottom = dot(i, j + 1) * (1.0 - fu) + dot(i + 1, j + 1) * fu;
                hits += usize::from(top * (1.0 - fv) + bottom * fv > 0.47);
            }
            image.blend(px, py, rgb, hits as f64 / (SAMPLES * SAMPLES) as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(text: &str, size: f64) -> usize {
        let mut image = Image::new(200, 40, [255; 3]);
        draw(&mut image, 2.0, 2.0, size, text, [0; 3]);
        image.rgb.iter().filter(|c| **c < 128).count()
    }

    #[test]
    fn letters_leave_ink_and_blanks_do_not() {
        assert_eq!(ink("   ", 16.0), 0);
        let (small, large) = (ink("Ag", 10.0), ink("Ag", 20.0));
        assert!(small > 20 && large > 3 * small, "{small} {large}");
        assert_eq!(ink("漢", 16.0), ink("?", 16.0));
        assert_ne!(ink("é", 16.0), ink("?", 16.0));
        assert_eq!(width("abcd", 10.0), 4.0 * advance(10.0));
    }
}
