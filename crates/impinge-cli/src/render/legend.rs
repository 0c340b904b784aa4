//! Draws title, legend, list and markers onto an image.

use super::image::Image;
use super::layout::{Layout, Marker, NumberMark};
use super::shade::{INK, SECONDARY_INK, WHITE, lighten, readable_on};
use super::text;

/// Draws title, legend, list and markers.
pub(crate) fn paint(image: &mut Image, layout: &Layout, markers: &[Marker]) {
    let s = layout.scale;
    // In reverse order, so that the worst relations are on top.
    for m in markers.iter().rev() {
        marker(image, m, s);
    }
    for b in markers.iter().filter_map(|m| m.number_mark.as_ref()).chain(&layout.list) {
        number_mark(image, b, s);
    }
    for swatch in &layout.swatches {
        let (x, y, size) = (swatch.x, swatch.y, swatch.size);
        image.rectangle(x - s, y - s, size + 2.0 * s, size + 2.0 * s, lighten(swatch.rgb, -0.35));
        image.rectangle(x, y, size, size, swatch.rgb);
    }
    for t in &layout.texts {
        text::draw(image, t.x, t.y, t.size, &t.text, if t.secondary { SECONDARY_INK } else { INK });
    }
}

/// A ring with a cross and a line to its number mark; a dot without a number mark.
fn marker(image: &mut Image, m: &Marker, s: f64) {
    let Some(b) = &m.number_mark else {
        image.ring(m.center, 0.0, m.radius + 2.2 * s, WHITE);
        image.ring(m.center, 0.0, m.radius + 0.8 * s, INK);
        image.ring(m.center, 0.0, m.radius - 0.6 * s, m.rgb);
        return;
    };
    image.stroke(m.center, b.center, 5.0 * s, WHITE);
    image.stroke(m.center, b.center, 2.0 * s, INK);
    image.ring(m.center, m.radius - 4.5 * s, m.radius + 3.0 * s, WHITE);
    image.ring(m.center, m.radius - 2.5 * s, m.radius + 1.0 * s, INK);
    for (dx, dy) in [(1.0, 0.0), (0.0, 1.0)] {
        let arm = |k: f64| [m.center[0] + k * dx * m.radius, m.center[1] + k * dy * m.radius];
        image.stroke(arm(-0.35), arm(0.35), 1.8 * s, INK);
    }
}

fn number_mark(image: &mut Image, b: &NumberMark, s: f64) {
    image.ring(b.center, 0.0, b.radius + 2.5 * s, WHITE);
    image.ring(b.center, 0.0, b.radius, b.rgb);
    let label = b.number.to_string();
    let size = b.radius * if label.len() < 3 { 1.0 } else { 0.72 };
    let x = b.center[0] - 0.5 * text::width(&label, size) + 0.5 * s;
    text::draw(image, x, b.center[1] - 0.45 * size, size, &label, readable_on(b.rgb));
}
