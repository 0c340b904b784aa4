//! Charts as SVG text: lines and dots over linear or logarithmic axes.
//!
//! A chart has a white background, so it looks the same in light and dark viewers. Series differ in
//! colour (the palette of Okabe and Ito, made for colour-blind readers), in the shape of their dots
//! and, when the colours repeat, in their dashes.
//!
//! ```
//! use impinge_chart::{Axis, Chart, Mark};
//!
//! let svg = Chart::new("A run", Axis::linear(""), Axis::log("milliseconds"))
//!     .series("update", Mark::Line, vec![(1.0, 20.0), (2.0, 0.3), (3.0, 0.4)])
//!     .panel(Axis::linear("frame"), Axis::linear("pairs"))
//!     .series("colliding", Mark::Line, vec![(1.0, 0.0), (2.0, 5.0), (3.0, 7.0)])
//!     .svg();
//! assert!(svg.contains("colliding"));
//! ```

mod draw;
mod scale;
mod ticks;

use scale::Scale;

/// A chart of one or more panels below each other: create it, add series, and get the text with
/// [`Chart::svg`].
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    caption: String,
    /// At least one.
    panels: Vec<Panel>,
}

/// A rectangle with two axes, and the series in it.
#[derive(Clone, Debug)]
struct Panel {
    x: Axis,
    y: Axis,
    series: Vec<Series>,
}

/// An axis: its title and scale.
#[derive(Clone, Debug)]
pub struct Axis {
    title: String,
    scale: Scale,
}

impl Axis {
    /// A linear axis. It includes zero unless all values are far from zero.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis. Points at zero or below are not drawn.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log }
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Straight lines between the points, in the given order. A point between gaps is a small dot.
    Line,
    /// A dot at each point.
    Dots,
    /// Dots and the lines between them.
    LineAndDots,
    /// Hollow dots in the colour of the previous series, which is compared with this one.
    Compared,
    /// A thin dashed grey line for reference.
    Guide,
    /// A wide pale line, which stays visible under the line of a later series with the same values.
    Band,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    mark: Mark,
    points: Vec<(f64, f64)>,
}

impl Chart {
    /// A chart with one panel, without series.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let panels = vec![Panel { x, y, series: Vec::new() }];
        Self { title: title.into(), caption: String::new(), panels }
    }

    /// Sets the text below the chart. It is broken into lines.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Adds a panel below the others. Series that are added later belong to it.
    #[must_use]
    pub fn panel(mut self, x: Axis, y: Axis) -> Self {
        self.panels.push(Panel { x, y, series: Vec::new() });
        self
    }

    /// Adds a series to the last panel, with its name in the legend. Points that are not finite, or
    /// not positive on a logarithmic axis, interrupt the line.
    #[must_use]
    pub fn series(mut self, name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        if let Some(panel) = self.panels.last_mut() {
            panel.series.push(Series { name: name.into(), mark, points });
        }
        self
    }

    /// The chart as the text of an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        draw::svg(self)
    }
}

/// Escapes text for use between tags and in attributes of SVG. Characters that XML does not allow
/// become spaces.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The example of the package's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn escaped_text_has_no_markup_and_no_forbidden_characters() {
        assert_eq!(escape("<a & \"b\">\u{1}\u{ffff}"), "&lt;a &amp; &quot;b&quot;&gt;  ");
    }
}
