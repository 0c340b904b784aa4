//! The layout of the page: title, scene, legend, numbered markers. Shared by PNG and SVG.

use super::Picture;
use super::camera::{Camera, Size, Viewport};
use super::shade::Rgb;
use super::text;
use crate::pair_result::{Kind, PairResult};
use crate::report::count;
use crate::report::table::shorten;

/// The maximum number of markers in the scene; more would cover each other.
const MAX_MARKERS: usize = 150;

/// A line of text, its upper left corner and its height in pixels.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) text: String,
    /// Whether it is drawn in the colour of secondary text.
    pub(crate) secondary: bool,
}

/// A square of a colour in the legend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swatch {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) rgb: Rgb,
}

/// A numbered disc, in the list or beside a marker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberMark {
    pub(crate) center: [f64; 2],
    pub(crate) radius: f64,
    pub(crate) number: usize,
    pub(crate) rgb: Rgb,
}

/// A point of the scene with a relation of two parts, and its number mark if the pair is in the
/// list.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    pub(crate) center: [f64; 2],
    pub(crate) radius: f64,
    pub(crate) rgb: Rgb,
    pub(crate) number_mark: Option<NumberMark>,
    /// The pair, its relation and its position.
    pub(crate) tooltip: String,
}

/// The layout of the page.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) size: Size,
    /// The rectangle of the scene.
    pub(crate) viewport: Viewport,
    /// Lengths are given for a page of 1600x1200 pixels and multiplied by this factor.
    pub(crate) scale: f64,
    pub(crate) texts: Vec<Text>,
    pub(crate) swatches: Vec<Swatch>,
    pub(crate) list: Vec<NumberMark>,
    /// Number of pairs in the list.
    listed: usize,
}

impl Layout {
    /// The layout for `picture`, without markers, which depend on the camera.
    pub(crate) fn new(picture: &Picture<'_>, size: Size) -> Self {
        let (w, h) = (size.width as f64, size.height as f64);
        let scale = (h / 1200.0).min(w / 1600.0).clamp(0.5, 8.0);
        let margin = 28.0 * scale;
        let title = 20.0 * scale;
        let mut this = Self {
            size,
            viewport: Viewport { x: 0.0, y: 0.0, width: w, height: h },
            scale,
            texts: Vec::new(),
            swatches: Vec::new(),
            list: Vec::new(),
            listed: 0,
        };
        // A small image has no room for text.
        if w < 320.0 || h < 240.0 {
            return this;
        }
        let max_chars = ((w - 2.0 * margin) / text::advance(title)).floor().max(4.0) as usize;
        this.text(margin, margin, title, &shorten(&picture.title, max_chars), false);
        let top = 2.0 * margin + title;
        let panel = if this.has_panel(picture) { (w * 0.25).max(250.0 * scale) } else { 0.0 };
        this.viewport = Viewport {
            x: margin,
            y: top,
            width: (w - panel - 2.0 * margin).max(16.0),
            height: (h - top - margin).max(16.0),
        };
        if panel > 0.0 {
            this.panel(picture, w - panel, top, panel - margin, h - margin);
        }
        this
    }

    fn has_panel(&self, picture: &Picture<'_>) -> bool {
        picture.summary.is_some() && self.size.width >= 640
    }

    fn text(&mut self, x: f64, y: f64, size: f64, text: &str, secondary: bool) {
        self.texts.push(Text { x, y, size, text: text.to_owned(), secondary });
    }

    /// Adds the legend, then the list of the worst pairs that fit into the panel.
    fn panel(&mut self, picture: &Picture<'_>, x: f64, top: f64, width: f64, bottom: f64) {
        let s = self.scale;
        let text_size = 14.0 * s;
        let max_chars =
            |indent: f64| ((width - indent) / text::advance(text_size)).floor().max(4.0) as usize;
        let mut y = top + 6.0 * s;
        for kind in Kind::ALL {
            let n = picture.summary.map_or(0, |summary| summary.of(kind));
            if n > 0 {
                let size = 20.0 * s;
                self.swatches.push(Swatch { x, y, size, rgb: kind.rgb() });
                let line = format!("{} {}", count(n), kind.name());
                self.text(
                    x + 34.0 * s,
                    y + 3.0 * s,
                    text_size,
                    &shorten(&line, max_chars(34.0 * s)),
                    false,
                );
                y += 31.0 * s;
            }
        }
        y += 22.0 * s;
        let marked: Vec<&PairResult> = picture.marked().collect();
        let entry_height = 56.0 * s;
        let max_entries = ((bottom - y) / entry_height).floor().max(0.0) as usize;
        // If not all pairs fit, the last entry is the number of omitted pairs.
        self.listed =
            if marked.len() <= max_entries { marked.len() } else { max_entries.saturating_sub(1) };
        for (i, v) in marked.iter().take(self.listed).enumerate() {
            let (first, second) = v.report_order();
            self.list.push(NumberMark {
                center: [x + 11.0 * s, y + 17.0 * s],
                radius: 13.0 * s,
                number: i + 1,
                rgb: v.kind().rgb(),
            });
            let indent = 34.0 * s;
            for (line, part) in [(0.0, first), (21.0 * s, second)] {
                let name = shorten(&picture.names[part], max_chars(indent));
                self.text(x + indent, y + line, text_size, &name, line > 0.0);
            }
            y += entry_height;
        }
        if marked.len() > self.listed && max_entries > 0 {
            let line = format!("and {} more", count(marked.len() - self.listed));
            self.text(x + 34.0 * s, y, text_size, &line, true);
        }
    }

    /// The markers of the scene. Badges are placed beside them and do not overlap if there is room.
    pub(crate) fn markers(&self, picture: &Picture<'_>, camera: &Camera) -> Vec<Marker> {
        let s = self.scale;
        let mut taken: Vec<[f64; 2]> = Vec::new();
        let mut markers = Vec::new();
        for (i, v) in picture.marked().enumerate().take(MAX_MARKERS) {
            let Some(place) = v.place() else { continue };
            let p = camera.project(place);
            let on_page = (0.0..=self.size.width as f64).contains(&p.x)
                && (0.0..=self.size.height as f64).contains(&p.y);
            if !on_page {
                continue;
            }
            let center = [p.x, p.y];
            let number_mark = (i < self.listed).then(|| {
                let at = self.free_position(center, &taken);
                taken.push(at);
                NumberMark { center: at, radius: 13.0 * s, number: i + 1, rgb: v.kind().rgb() }
            });
            let radius = if number_mark.is_some() { 9.0 * s } else { 4.0 * s };
            markers.push(Marker {
                center,
                radius,
                rgb: v.kind().rgb(),
                number_mark,
                tooltip: tooltip(picture, v),
            });
        }
        markers
    }

    /// A position for a number mark near `center`, inside the viewport and away from other number
    /// marks. The candidates lie on six rings of 16 positions each, the nearest ring first.
    fn free_position(&self, center: [f64; 2], taken: &[[f64; 2]]) -> [f64; 2] {
        let s = self.scale;
        let port = self.viewport;
        for ring in 0..6 {
            for step in 0..16 {
                let angle =
                    f64::from(step) * std::f64::consts::PI / 8.0 - std::f64::consts::FRAC_PI_4;
                let radius = (34.0 + 26.0 * f64::from(ring)) * s;
                let at = [center[0] + radius * angle.cos(), center[1] + radius * angle.sin()];
                let inside = at[0] > port.x + 14.0 * s
                    && at[0] < port.x + port.width - 14.0 * s
                    && at[1] > port.y + 14.0 * s
                    && at[1] < port.y + port.height - 14.0 * s;
                let free = |q: &[f64; 2]| (q[0] - at[0]).hypot(q[1] - at[1]) > 30.0 * s;
                if inside && taken.iter().all(free) {
                    return at;
                }
            }
        }
        [center[0] + 24.0 * s, center[1] - 24.0 * s]
    }
}

fn tooltip(picture: &Picture<'_>, v: &PairResult) -> String {
    let (first, second) = v.report_order();
    let (a, b) = (&picture.names[first], &picture.names[second]);
    let relation = match v.kind() {
        Kind::Crossing => format!("{a} crosses {b}"),
        Kind::Duplicate => format!("{a} duplicates {b}"),
        Kind::Contained => format!("{a} lies inside {b}"),
        Kind::Touching => format!("{a} touches {b}"),
        Kind::Near | Kind::Clear => format!("{a} is near {b}"),
    };
    let amount = match (v.triangle_pairs.unwrap_or(0), v.distance) {
        (0, Some(d)) => format!(", distance {}", crate::report::number(d.upper)),
        (0, None) => String::new(),
        (n, _) => format!(", {}", crate::report::plural(n, "triangle pair")),
    };
    let place = v.place().map(|p| format!(", at {}", crate::report::point(p))).unwrap_or_default();
    format!("{relation}{amount}{place}")
}
