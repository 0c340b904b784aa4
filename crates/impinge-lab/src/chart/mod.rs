//! Charts as SVG text: lines and dots over linear or logarithmic axes.
//!
//! A chart has a white ground of its own, so it reads the same in light and dark viewers. Series
//! differ in colour (the palette of Okabe and Ito, which survives colour blindness), in the shape
//! of their dots and, from the second round of the palette on, in their dashes.

mod draw;
mod scale;
mod ticks;

pub(crate) use scale::Scale;

/// A chart: build it, add series, take the text.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    title: String,
    caption: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
}

/// One axis: what it measures and how.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    title: String,
    scale: Scale,
}

impl Axis {
    /// An axis with equal steps. Zero is on it unless all values are far from zero.
    pub(crate) fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// An axis with equal ratios. Points at zero or below have no place on it and are left out.
    pub(crate) fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log }
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Joined by straight lines, in the order given.
    Line,
    /// A dot at each.
    Dots,
    /// Dots and the lines between them.
    LineAndDots,
    /// Hollow dots in the colour of the series before: what to compare that one with.
    Compared,
    /// A thin grey line to hold the others against.
    Guide,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    mark: Mark,
    points: Vec<(f64, f64)>,
}

impl Chart {
    /// A chart without series.
    pub(crate) fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), caption: String::new(), x, y, series: Vec::new() }
    }

    /// Sets the sentence or two below the chart; lines are broken where needed.
    pub(crate) fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Adds a series; its name goes to the legend. Points that are not finite, or have no place on
    /// a logarithmic axis, interrupt the line.
    pub(crate) fn series(
        mut self,
        name: impl Into<String>,
        mark: Mark,
        points: Vec<(f64, f64)>,
    ) -> Self {
        self.series.push(Series { name: name.into(), mark, points });
        self
    }

    /// The chart as the text of an SVG file.
    #[must_use]
    pub(crate) fn svg(&self) -> String {
        draw::svg(self)
    }
}
