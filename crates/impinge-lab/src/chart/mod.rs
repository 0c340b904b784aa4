//! Charts as SVG text: lines and dots over linear or logarithmic axes.
//!
//! A chart has a white background, so it looks the same in light and dark viewers. Series differ in
//! colour (the palette of Okabe and Ito, made for colour-blind readers), in the shape of their dots
//! and, when the colours repeat, in their dashes.

mod draw;
mod scale;
mod ticks;

pub(crate) use scale::Scale;

/// A chart: create it, add series, and get the text with [`Chart::svg`].
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    title: String,
    caption: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
}

/// An axis: its title and scale.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    title: String,
    scale: Scale,
}

impl Axis {
    /// A linear axis. It includes zero unless all values are far from zero.
    pub(crate) fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis. Points at zero or below are not drawn.
    pub(crate) fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log }
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Straight lines between the points, in the given order.
    Line,
    /// A dot at each point.
    Dots,
    /// Dots and the lines between them.
    LineAndDots,
    /// Hollow dots in the colour of the previous series, which is compared with this one.
    Compared,
    /// A thin dashed grey line for reference.
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

    /// Sets the text below the chart. It is broken into lines.
    pub(crate) fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Adds a series, with its name in the legend. Points that are not finite, or not positive on a
    /// logarithmic axis, interrupt the line.
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
