//! The page as SVG: the scene as an embedded PNG image; title, legend and markers as shapes and
//! text, with tooltips.

use std::fmt::Write;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use impinge_chart::escape;

use super::layout::{Layout, Marker, NumberMark};
use super::shade::{INK, Rgb, SECONDARY_INK, lighten, readable_on};

/// The SVG document; `png` is the image of the scene without text and markers.
pub(crate) fn document(title: &str, layout: &Layout, markers: &[Marker], png: &[u8]) -> String {
    let (w, h) = (layout.size.width, layout.size.height);
    let s = layout.scale;
    let mut out = String::with_capacity(png.len() * 4 / 3 + 8_192);
    // Writing to a string cannot fail, so the results below are ignored.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"Inter, 'Segoe UI', Helvetica, Arial, sans-serif\">\n<title>{}</title>",
        escape(title)
    );
    let _ = write!(out, "<image width=\"{w}\" height=\"{h}\" href=\"data:image/png;base64,");
    BASE64_STANDARD.encode_string(png, &mut out);
    let _ = writeln!(out, "\"/>");
    // Numbered markers are last, so that no other marker covers a number.
    let unnumbered = markers.iter().filter(|m| m.number_mark.is_none());
    for m in unnumbered.chain(markers.iter().filter(|m| m.number_mark.is_some())) {
        let [x, y] = m.center;
        let ring = if m.number_mark.is_some() { s } else { 0.5 * s };
        let _ = writeln!(out, "<g><title>{}</title>", escape(&m.tooltip));
        if let Some(b) = &m.number_mark {
            let [bx, by] = b.center;
            for (color, width) in [("#fff".to_owned(), 5.0 * s), (hex(INK), 2.0 * s)] {
                let _ = writeln!(
                    out,
                    "<path d=\"M{x:.1} {y:.1}L{bx:.1} {by:.1}\" stroke=\"{color}\" stroke-width=\"{width:.1}\"/>"
                );
            }
        }
        for (color, width) in [("#fff".to_owned(), 7.0 * ring), (hex(INK), 3.0 * ring)] {
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{}\" fill-opacity=\"0.35\" stroke=\"{color}\" stroke-width=\"{width:.1}\"/>",
                m.radius,
                hex(m.rgb)
            );
        }
        if let Some(b) = &m.number_mark {
            number_mark(&mut out, b);
        }
        let _ = writeln!(out, "</g>");
    }
    for b in &layout.list {
        number_mark(&mut out, b);
    }
    for q in &layout.swatches {
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{2:.1}\" height=\"{2:.1}\" rx=\"{3:.1}\" fill=\"{4}\" stroke=\"{5}\"/>",
            q.x,
            q.y,
            q.size,
            3.0 * s,
            hex(q.rgb),
            hex(lighten(q.rgb, -0.35))
        );
    }
    for t in &layout.texts {
        let color = hex(if t.secondary { SECONDARY_INK } else { INK });
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{:.1}\" fill=\"{color}\">{}</text>",
            t.x,
            t.y + 0.92 * t.size,
            t.size * 1.2,
            escape(&t.text)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn number_mark(out: &mut String, b: &NumberMark) {
    let [x, y] = b.center;
    let _ = writeln!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"{:.1}\"/>\
         <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{:.1}\" font-weight=\"600\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
        b.radius,
        hex(b.rgb),
        b.radius * 0.16,
        y + 0.38 * b.radius,
        b.radius * 1.1,
        hex(readable_on(b.rgb)),
        b.number
    );
}

fn hex(rgb: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2])
}
