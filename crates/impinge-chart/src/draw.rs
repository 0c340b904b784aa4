//! The SVG text of a chart.

use std::fmt::Write as _;

use super::scale::Range;
use super::{Chart, Mark, Panel, escape};

/// The palette of Okabe and Ito (2008) without its yellow, which is too pale on white.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

const WIDTH: f64 = 820.0;
/// The height of the only panel, and of each of several.
const PLOT_HEIGHTS: [f64; 2] = [360.0, 200.0];
const TITLE_HEIGHT: f64 = 44.0;
const LEFT_MARGIN: f64 = 78.0;
/// The height below a panel for the labels of its x axis, and with its title.
const X_AXIS_HEIGHTS: [f64; 2] = [34.0, 56.0];
const CAPTION_LINE_HEIGHT: f64 = 18.0;
/// Characters of the caption's font that fit between the margins.
const CAPTION_CHARACTERS_PER_LINE: usize = 118;
/// Width of an average character of the legend.
const LEGEND_CHARACTER_WIDTH: f64 = 7.4;

/// Breaks text between words into lines of at most `width` characters; longer words stay whole.
fn break_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The rectangle of a panel, and the ranges of its axes.
struct Plot {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Range,
    y: Range,
}

impl Plot {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            self.left + self.x.position(x) * self.width,
            self.top + (1.0 - self.y.position(y)) * self.height,
        )
    }
}

impl Panel {
    /// Whether a point has a place on both axes.
    fn shows(&self, (x, y): (f64, f64)) -> bool {
        self.x.scale.shows(x) && self.y.scale.shows(y)
    }

    /// The panel at a height in the picture, `width` wide.
    fn plot(&self, top: f64, [width, height]: [f64; 2]) -> Plot {
        let points = self.series.iter().flat_map(|s| s.points.iter());
        let shown = points.filter(|p| self.shows(**p));
        Plot {
            left: LEFT_MARGIN,
            top,
            width,
            height,
            x: Range::of(self.x.scale, shown.clone().map(|p| p.0)),
            y: Range::of(self.y.scale, shown.map(|p| p.1)),
        }
    }
}

/// The text of the SVG file.
pub(super) fn svg(chart: &Chart) -> String {
    let names = chart.panels.iter().flat_map(|p| p.series.iter()).map(|s| s.name.chars().count());
    let longest_name = names.max().unwrap_or(0);
    let legend_width = if longest_name == 0 {
        16.0
    } else {
        52.0 + LEGEND_CHARACTER_WIDTH * longest_name.min(40) as f64
    };
    let size =
        [WIDTH - LEFT_MARGIN - legend_width, PLOT_HEIGHTS[usize::from(chart.panels.len() > 1)]];
    let mut bottom = TITLE_HEIGHT;
    let mut plots = Vec::with_capacity(chart.panels.len());
    for panel in &chart.panels {
        plots.push((panel, panel.plot(bottom, size)));
        bottom += size[1] + X_AXIS_HEIGHTS[usize::from(!panel.x.title.is_empty())];
    }
    let caption = break_lines(&chart.caption, CAPTION_CHARACTERS_PER_LINE);
    let caption_height = if caption.is_empty() { 0.0 } else { 10.0 };
    let height = bottom + caption_height + CAPTION_LINE_HEIGHT * caption.len() as f64;

    let mut out = String::new();
    let mut put = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    put(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="13" fill="#222222" role="img">"##
    ));
    put(format!("<title>{}</title>", escape(&chart.title)));
    put(format!(r##"<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>"##));
    put(format!(
        r#"<text x="{:.1}" y="26" text-anchor="middle" font-size="{}" font-weight="bold">{}</text>"#,
        WIDTH / 2.0,
        title_size(&chart.title),
        escape(&chart.title)
    ));
    for (panel, plot) in &plots {
        put(axes(panel, plot));
        put_series(panel, plot, &mut put);
    }
    for (i, line) in caption.iter().enumerate() {
        let y = bottom + 10.0 + CAPTION_LINE_HEIGHT * i as f64;
        put(format!(r#"<text x="16" y="{y:.1}">{}</text>"#, escape(line)));
    }
    put("</svg>".to_owned());
    out
}

/// The size of the title's letters: smaller if the title would not fit.
fn title_size(title: &str) -> f64 {
    // The width of an average bold letter is below this share of its size.
    let fitting = (WIDTH - 16.0) / (0.58 * title.chars().count().max(1) as f64);
    ((fitting * 10.0).floor() / 10.0).clamp(4.0, 16.0)
}

/// The curves of a panel, and its legend.
fn put_series(panel: &Panel, plot: &Plot, mut put: impl FnMut(String)) {
    let mut colours = 0;
    for (i, series) in panel.series.iter().enumerate() {
        let own_colour = !matches!(series.mark, Mark::Compared | Mark::Guide);
        colours += usize::from(own_colour && i > 0);
        let style = Style::of(colours, series.mark);
        put(curve(panel, plot, &series.points, &style));
        let y = plot.top + 14.0 + 22.0 * i as f64;
        let x = plot.left + plot.width + 12.0;
        if !series.name.is_empty() {
            put(style.sample(x, y));
            put(format!(
                r#"<text x="{:.1}" y="{:.1}">{}</text>"#,
                x + 28.0,
                y + 4.5,
                escape(&series.name)
            ));
        }
    }
}

fn axes(panel: &Panel, plot: &Plot) -> String {
    let mut out = String::new();
    let mut put = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let (left, right) = (plot.left, plot.left + plot.width);
    let (top, bottom) = (plot.top, plot.top + plot.height);
    for tick in plot.x.ticks(7) {
        let x = left + plot.x.position(tick.value) * plot.width;
        put(format!(
            r##"<path d="M{x:.1} {top}V{bottom}" stroke="#e4e4e4"/><path d="M{x:.1} {bottom}v5" stroke="#555555"/>"##
        ));
        put(format!(
            r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            bottom + 19.0,
            tick.label
        ));
    }
    for tick in plot.y.ticks(6) {
        let y = top + (1.0 - plot.y.position(tick.value)) * plot.height;
        put(format!(
            r##"<path d="M{left} {y:.1}H{right:.1}" stroke="#e4e4e4"/><path d="M{left} {y:.1}h-5" stroke="#555555"/>"##
        ));
        put(format!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 8.0,
            y + 4.5,
            tick.label
        ));
    }
    put(format!(r##"<path d="M{left} {top}V{bottom}H{right:.1}" fill="none" stroke="#555555"/>"##));
    if !panel.x.title.is_empty() {
        put(format!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            (left + right) / 2.0,
            bottom + 42.0,
            escape(&panel.x.title)
        ));
    }
    put(format!(
        r#"<text transform="translate(20 {:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
        (top + bottom) / 2.0,
        escape(&panel.y.title)
    ));
    out
}

/// A line of no length, which round ends make visible.
const SINGLE_POINT: &str = "h0";

/// The style of a series.
struct Style {
    colour: &'static str,
    dash: &'static str,
    shape: usize,
    mark: Mark,
    width: f64,
}

impl Style {
    fn of(i: usize, mark: Mark) -> Self {
        let guide = mark == Mark::Guide;
        Self {
            colour: if guide { "#999999" } else { COLOURS[i % COLOURS.len()] },
            dash: if guide { "5 4" } else { DASHES[i / COLOURS.len() % DASHES.len()] },
            shape: i % 4,
            mark,
            width: match mark {
                Mark::LineAndDots => 1.8,
                Mark::Band => 6.0,
                _ => 1.2,
            },
        }
    }

    fn has_line(&self) -> bool {
        matches!(self.mark, Mark::Line | Mark::LineAndDots | Mark::Guide | Mark::Band)
    }

    fn has_dots(&self) -> bool {
        matches!(self.mark, Mark::Dots | Mark::LineAndDots | Mark::Compared)
    }

    fn line(&self, path: &str) -> String {
        let mut more = String::new();
        if !self.dash.is_empty() {
            more += &format!(r#" stroke-dasharray="{}""#, self.dash);
        }
        if self.mark == Mark::Band {
            more += r#" stroke-opacity="0.3""#;
        }
        if path.contains(SINGLE_POINT) {
            more += r#" stroke-linecap="round""#;
        }
        format!(
            r#"<path d="{path}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{more}/>"#,
            self.colour, self.width
        )
    }

    fn dot(&self, x: f64, y: f64) -> String {
        let d = match self.shape {
            0 => format!("M{:.1} {y:.1}a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0", x - 3.4),
            1 => format!("M{:.1} {:.1}h6v6h-6z", x - 3.0, y - 3.0),
            2 => format!("M{x:.1} {:.1}l4 7h-8z", y - 4.5),
            _ => format!("M{x:.1} {:.1}l4.4 4.4l-4.4 4.4l-4.4 -4.4z", y - 4.4),
        };
        if self.mark == Mark::Compared {
            format!(
                r##"<path d="{d}" fill="#ffffff" stroke="{}" stroke-width="1.5"/>"##,
                self.colour
            )
        } else {
            format!(r#"<path d="{d}" fill="{}"/>"#, self.colour)
        }
    }

    /// The sample in the legend; its line is 22 wide from `x`.
    fn sample(&self, x: f64, y: f64) -> String {
        let mut out = String::new();
        if self.has_line() {
            out += &self.line(&format!("M{x:.1} {y:.1}h22"));
        }
        if self.has_dots() {
            out += &self.dot(x + 11.0, y);
        }
        out
    }
}

fn curve(panel: &Panel, plot: &Plot, points: &[(f64, f64)], style: &Style) -> String {
    let mut path = String::new();
    let mut dots = String::new();
    for run in points.split(|p| !panel.shows(*p)) {
        for (i, &point) in run.iter().enumerate() {
            let (x, y) = plot.at(point);
            // Writing to a string cannot fail.
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
            if style.has_dots() {
                dots += &style.dot(x, y);
            }
        }
        if run.len() == 1 && !style.has_dots() {
            path += SINGLE_POINT;
        }
    }
    let line = if style.has_line() { style.line(&path) } else { String::new() };
    line + &dots
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    /// Asserts that tags are closed in order, quotes are paired, and no `&`, `<` or `>` is bare.
    fn assert_well_formed(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let between = &rest[..start];
            assert!(!between.contains('>'), "bare > in {between:?}");
            for (at, _) in between.match_indices('&') {
                let entity = &between[at..];
                assert!(
                    ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|e| entity.starts_with(e)),
                    "bare & in {between:?}"
                );
            }
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes in {tag:?}");
            assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag:?}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a name"));
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "left open: {open:?}");
    }

    #[test]
    fn the_text_is_well_formed() {
        let mut chart =
            Chart::new("a < b & \"c\"", Axis::log("triangles <n>"), Axis::log("time & \u{3bc}s"))
                .caption("A long sentence ".repeat(20) + "with <tags> & entities.");
        for i in 0..20 {
            let mark = [
                Mark::Line,
                Mark::Dots,
                Mark::LineAndDots,
                Mark::Compared,
                Mark::Guide,
                Mark::Band,
            ][i % 6];
            let points = (1..9).map(|k| (f64::from(k * k), f64::from(k) * i as f64)).collect();
            chart = chart.series(format!("series {i} <&>"), mark, points);
            if i == 12 {
                chart = chart.panel(Axis::linear(""), Axis::linear("<more>"));
            }
        }
        assert_well_formed(&chart.svg());
    }

    #[test]
    fn empty_series_and_points_that_are_not_finite_are_drawn() {
        let empty = Chart::new("", Axis::linear(""), Axis::log(""));
        assert_well_formed(&empty.svg());
        let chart = empty.series(
            "s",
            Mark::LineAndDots,
            vec![(0.0, 0.0), (1.0, f64::NAN), (2.0, 3.0), (f64::INFINITY, 1.0), (4.0, -1.0)],
        );
        let text = chart.svg();
        assert_well_formed(&text);
        assert_eq!(text.matches("a3.4").count() / 2, 2, "one dot and the legend's");
    }

    #[test]
    fn a_gap_lifts_the_pen() {
        let chart = Chart::new("", Axis::linear(""), Axis::linear("")).series(
            "s",
            Mark::Line,
            vec![(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)],
        );
        let text = chart.svg();
        let path = text.lines().find(|l| l.contains("stroke-linejoin")).expect("a curve");
        assert_eq!(path.matches('M').count(), 2);
        assert_eq!(path.matches('L').count(), 2);
    }

    #[test]
    fn a_compared_series_has_the_colour_of_the_one_before() {
        let points = || vec![(0.0, 0.0), (1.0, 1.0)];
        let text = Chart::new("", Axis::linear(""), Axis::linear(""))
            .series("a", Mark::LineAndDots, points())
            .series("a, elsewhere", Mark::Compared, points())
            .series("b", Mark::LineAndDots, points())
            .svg();
        assert_eq!(text.matches(&format!(r#"fill="{}""#, COLOURS[0])).count(), 3);
        assert_eq!(
            text.matches(&format!(r##"fill="#ffffff" stroke="{}""##, COLOURS[0])).count(),
            3
        );
        assert_eq!(text.matches(&format!(r#"fill="{}""#, COLOURS[1])).count(), 3);
    }

    #[test]
    fn a_single_point_is_visible() {
        for points in [vec![(1.0, 2.0)], vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0), (3.0, 1.0)]]
        {
            let text = Chart::new("", Axis::linear(""), Axis::linear(""))
                .series("", Mark::Line, points)
                .svg();
            let path = text.lines().find(|l| l.contains("stroke-linejoin")).expect("a curve");
            assert_eq!(path.matches(SINGLE_POINT).count(), 1, "{path}");
            assert!(path.contains("stroke-linecap"));
        }
    }

    #[test]
    fn panels_lie_below_each_other_with_their_own_colours_and_ranges() {
        let chart = Chart::new("", Axis::linear(""), Axis::linear("top"))
            .series("a", Mark::Band, vec![(0.0, 1.0), (1.0, 2.0)])
            .series("b", Mark::Line, vec![(0.0, 1.0), (1.0, 2.0)])
            .panel(Axis::linear("x"), Axis::log("below"))
            .series("c", Mark::Line, vec![(0.0, 1e6), (1.0, 2e8)]);
        let text = chart.svg();
        assert_well_formed(&text);
        let curves: Vec<&str> = text.lines().filter(|l| l.contains("stroke-linejoin")).collect();
        // A curve and its sample in the legend for each series.
        assert_eq!(curves.len(), 6);
        for (curve, colour) in curves.iter().step_by(2).zip([COLOURS[0], COLOURS[1], COLOURS[0]]) {
            assert!(curve.contains(colour), "{curve}");
        }
        let heights: Vec<f64> = curves
            .iter()
            .step_by(2)
            .filter_map(|c| c.split(['M', 'L', ' ']).nth(3))
            .filter_map(|y| y.parse().ok())
            .collect();
        assert!(heights.len() == 3 && heights[2] > 200.0 + heights[0], "{heights:?}");
    }

    #[test]
    fn long_titles_are_smaller() {
        assert_eq!((title_size(""), title_size("a short title")), (16.0, 16.0));
        assert!(title_size(&"long ".repeat(25)) < 12.0);
    }

    #[test]
    fn captions_break_between_words() {
        assert_eq!(break_lines("one two  three", 7), ["one two", "three"]);
        assert_eq!(break_lines("", 7), Vec::<String>::new());
    }
}
