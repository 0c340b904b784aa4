//! Where everything on the page goes: title, scene, legend, numbered places. Shared by PNG and SVG.

use super::Picture;
use super::camera::{Camera, Size, Viewport};
use super::shade::Rgb;
use super::text;
use crate::report::count;
use crate::report::table::shorten;
use crate::verdict::{Kind, Verdict};

/// Rings beyond this number only hide each other.
const MAX_MARKERS: usize = 150;

/// A line of text, its upper left corner and the height of its letters in pixels.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) text: String,
    pub(crate) soft: bool,
}

/// A square of colour that explains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swatch {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) rgb: Rgb,
}

/// A numbered disc: in the list, or beside a place in the scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Badge {
    pub(crate) center: [f64; 2],
    pub(crate) radius: f64,
    pub(crate) number: usize,
    pub(crate) rgb: Rgb,
}

/// A place in the scene where two parts meet, with its badge if it is in the list.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    pub(crate) center: [f64; 2],
    pub(crate) radius: f64,
    pub(crate) rgb: Rgb,
    pub(crate) badge: Option<Badge>,
    /// What it is about, in full.
    pub(crate) tooltip: String,
}

/// The page.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) size: Size,
    /// Where the scene goes.
    pub(crate) viewport: Viewport,
    /// Lengths are given for a page of 1200 pixels' height and multiplied by this.
    pub(crate) scale: f64,
    pub(crate) texts: Vec<Text>,
    pub(crate) swatches: Vec<Swatch>,
    pub(crate) list: Vec<Badge>,
    numbered: usize,
}

impl Layout {
    /// The page for `picture`, before the camera is known.
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
            numbered: 0,
        };
        // A thumbnail has no room for words.
        if w < 320.0 || h < 240.0 {
            return this;
        }
        let fits = ((w - 2.0 * margin) / text::advance(title)).floor().max(4.0) as usize;
        this.text(margin, margin, title, &shorten(&picture.title, fits), false);
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

    fn text(&mut self, x: f64, y: f64, size: f64, text: &str, soft: bool) {
        self.texts.push(Text { x, y, size, text: text.to_owned(), soft });
    }

    /// The legend, then as many of the worst pairs as there is room for.
    fn panel(&mut self, picture: &Picture<'_>, x: f64, top: f64, width: f64, bottom: f64) {
        let s = self.scale;
        let letter = 14.0 * s;
        let fits =
            |indent: f64| ((width - indent) / text::advance(letter)).floor().max(4.0) as usize;
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
                    letter,
                    &shorten(&line, fits(34.0 * s)),
                    false,
                );
                y += 31.0 * s;
            }
        }
        y += 22.0 * s;
        let marked: Vec<&Verdict> = picture.marked().collect();
        let entry = 56.0 * s;
        let room = ((bottom - y) / entry).floor().max(0.0) as usize;
        // The last entry gives way to the number of those that do not fit.
        self.numbered = if marked.len() <= room { marked.len() } else { room.saturating_sub(1) };
        for (i, v) in marked.iter().take(self.numbered).enumerate() {
            let (first, second) = v.named_order();
            self.list.push(Badge {
                center: [x + 11.0 * s, y + 17.0 * s],
                radius: 13.0 * s,
                number: i + 1,
                rgb: v.kind().rgb(),
            });
            let indent = 34.0 * s;
            for (line, part) in [(0.0, first), (21.0 * s, second)] {
                let name = shorten(&picture.names[part], fits(indent));
                self.text(x + indent, y + line, letter, &name, line > 0.0);
            }
            y += entry;
        }
        if marked.len() > self.numbered && room > 0 {
            let line = format!("and {} more", count(marked.len() - self.numbered));
            self.text(x + 34.0 * s, y, letter, &line, true);
        }
    }

    /// The places where parts meet. Badges stand beside them, clear of each other where there is
    /// room.
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
            let badge = (i < self.numbered).then(|| {
                let at = self.free_spot(center, &taken);
                taken.push(at);
                Badge { center: at, radius: 13.0 * s, number: i + 1, rgb: v.kind().rgb() }
            });
            let radius = if badge.is_some() { 9.0 * s } else { 4.0 * s };
            markers.push(Marker {
                center,
                radius,
                rgb: v.kind().rgb(),
                badge,
                tooltip: tooltip(picture, v),
            });
        }
        markers
    }

    /// The nearest of a few places around `center` that is inside the scene's rectangle and clear
    /// of other badges.
    fn free_spot(&self, center: [f64; 2], taken: &[[f64; 2]]) -> [f64; 2] {
        let s = self.scale;
        let port = self.viewport;
        for ring in 0..6 {
            for step in 0..16 {
                let angle =
                    f64::from(step) * std::f64::consts::PI / 8.0 - std::f64::consts::FRAC_PI_4;
                let far = (34.0 + 26.0 * f64::from(ring)) * s;
                let at = [center[0] + far * angle.cos(), center[1] + far * angle.sin()];
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

fn tooltip(picture: &Picture<'_>, v: &Verdict) -> String {
    let (first, second) = v.named_order();
    let (a, b) = (&picture.names[first], &picture.names[second]);
    let how = match v.kind() {
        Kind::Crossing => format!("{a} crosses {b}"),
        Kind::Duplicate => format!("{a} duplicates {b}"),
        Kind::Contained => format!("{a} lies inside {b}"),
        Kind::Touching => format!("{a} touches {b}"),
        Kind::Near | Kind::Clear => format!("{a} is near {b}"),
    };
    let amount = match (v.triangle_pairs, v.distance) {
        (0, Some(d)) => format!(", distance {}", crate::report::number(d.upper)),
        (0, None) => String::new(),
        (n, _) => format!(", {}", crate::report::plural(n, "triangle pair")),
    };
    let place = v.place().map(|p| format!(", at {}", crate::report::point(p))).unwrap_or_default();
    format!("{how}{amount}{place}")
}
