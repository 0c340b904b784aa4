//! An SVG chart of the frames: milliseconds in the upper panel, numbers of pairs in the lower one.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::stats::Frame;
use super::summary::median;
use crate::render;
use crate::report::digits;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 560.0;
/// The margin at the left of the panels, for the axis labels.
const LEFT: f64 = 80.0;
/// The margin at the right of the panels, for the legend.
const RIGHT: f64 = 170.0;
/// Upper edge and height of each panel.
const PANELS: [(f64, f64); 2] = [(56.0, 210.0), (310.0, 190.0)];

/// One curve, with a value per frame.
struct Curve {
    name: String,
    /// Colours are from the palette of Okabe and Ito, which colour-blind readers can distinguish.
    color: &'static str,
    dashed: bool,
    width: f64,
    values: Vec<f64>,
}

/// Maps values to heights from 0 to 1.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// From zero to `max`.
    Linear { max: f64 },
    /// Between two powers of ten, given by their exponents.
    Log { low: f64, high: f64 },
}

impl Scale {
    /// A scale for `values`: logarithmic if allowed and if the maximum exceeds ten times the median
    /// of the positive values, linear otherwise.
    fn of(values: &[f64], may_be_log: bool) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else {
            return Self::Linear { max: 1.0 };
        };
        if may_be_log && *max > 10.0 * median(&sorted) {
            let (low, high) = (min.log10().floor(), max.log10().ceil());
            return Self::Log { low, high: high.max(low + 1.0) };
        }
        Self::Linear { max: 1.05 * max }
    }

    fn height(self, value: f64) -> f64 {
        match self {
            Self::Linear { max } => value / max,
            Self::Log { low, high } => (value.max(1e-300).log10() - low) / (high - low),
        }
        .clamp(0.0, 1.0)
    }

    fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear { max } => round_ticks(max, 5.0),
            Self::Log { low, high } => (low as i32..=high as i32).map(|e| 10_f64.powi(e)).collect(),
        }
    }
}

/// About `n` multiples of 1, 2 or 5 times a power of ten, from 0 to `max`.
fn round_ticks(max: f64, n: f64) -> Vec<f64> {
    let rough = max / n;
    if !rough.is_finite() || rough < f64::MIN_POSITIVE {
        return vec![0.0];
    }
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|s| s * power >= rough).unwrap_or(10.0) * power;
    (0..).map(|k| f64::from(k) * step).take_while(|v| *v <= max).collect()
}

/// Writes the chart.
pub(crate) fn write(path: &Path, title: &str, frames: &[Frame]) -> Result<()> {
    render::save(path, chart(title, frames).as_bytes())
}

fn chart(title: &str, frames: &[Frame]) -> String {
    let of = |value: &dyn Fn(&Frame) -> f64| frames.iter().map(value).collect::<Vec<f64>>();
    let update = of(&|f| f.update_ms);
    let mut sorted = update.clone();
    sorted.sort_by(f64::total_cmp);
    let median = median(&sorted);
    let curve = |name: &str, color, width, values| Curve {
        name: name.to_owned(),
        color,
        dashed: false,
        width,
        values,
    };
    let cost = [
        Curve {
            name: format!("median {}", digits(median, 3)),
            color: "#999999",
            dashed: true,
            width: 1.5,
            values: vec![median; frames.len()],
        },
        curve("update", "#0072b2", 1.5, update),
    ];
    let pairs = [
        // If all bodies move, every pair with overlapping boxes is checked and the curves coincide.
        // The first one is wider, so that it stays visible.
        curve("boxes overlap", "#f3cf80", 5.0, of(&|f| f.stats.pairs as f64)),
        curve("checked", "#009e73", 1.5, of(&|f| f.stats.checked as f64)),
        curve("colliding", "#d55e00", 1.5, of(&|f| f.stats.meeting as f64)),
    ];
    let mut out = String::new();
    // Writing to a string cannot fail, so the results below are ignored.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#222222\">\n\
         <title>{0}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{1:.1}\" y=\"28\" text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\">{0}</text>",
        render::escape(title),
        WIDTH / 2.0
    );
    panel(&mut out, PANELS[0], "milliseconds", &cost, true);
    panel(&mut out, PANELS[1], "pairs", &pairs, false);
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">frame</text>\n</svg>",
        LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
        HEIGHT - 16.0
    );
    out
}

fn panel(
    out: &mut String,
    (top, height): (f64, f64),
    axis_label: &str,
    curves: &[Curve],
    may_be_log: bool,
) {
    let width = WIDTH - LEFT - RIGHT;
    let all: Vec<f64> = curves.iter().flat_map(|c| c.values.iter().copied()).collect();
    let scale = Scale::of(&all, may_be_log);
    let frames = curves.first().map_or(0, |c| c.values.len());
    let x = |frame: f64| LEFT + width * (frame - 1.0) / (frames as f64 - 1.0).max(1.0);
    let y = |value: f64| top + height * (1.0 - scale.height(value));
    let bottom = top + height;
    for tick in round_ticks(frames as f64, 7.0) {
        let at = x(tick.max(1.0));
        let label = tick.max(1.0);
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#e8e8e8\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 18.0
        );
    }
    for tick in scale.ticks() {
        let at = y(tick);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}h{width}\" stroke=\"#e8e8e8\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.5,
            digits(tick, 3)
        );
    }
    let note = if matches!(scale, Scale::Log { .. }) { ", logarithmic" } else { "" };
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {top}v{height}h{width}\" fill=\"none\" stroke=\"#555555\"/>\n\
         <text transform=\"translate(22 {:.1}) rotate(-90)\" text-anchor=\"middle\">{axis_label}{note}</text>",
        top + height / 2.0
    );
    for (i, curve) in curves.iter().enumerate() {
        let mut path = String::new();
        for (k, value) in curve.values.iter().enumerate() {
            let command = if k == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{:.1} {:.1}", x(k as f64 + 1.0), y(*value));
        }
        // A line of zero length: a single frame is drawn as a dot.
        if curve.values.len() == 1 {
            path.push_str("h0");
        }
        let dash = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let style = format!(
            "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{dash}",
            curve.color, curve.width
        );
        let (lx, ly) = (LEFT + width + 14.0, top + 12.0 + 22.0 * i as f64);
        let _ = writeln!(
            out,
            "<path d=\"{path}\" {style}/>\n<path d=\"M{lx:.1} {ly:.1}h22\" {style}/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            lx + 30.0,
            ly + 4.5,
            render::escape(&curve.name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::world::Stats;

    fn frames(n: u64) -> Vec<Frame> {
        (0..n)
            .map(|i| Frame {
                number: i + 1,
                time: i as f64,
                move_ms: 0.0,
                update_ms: if i == 0 { 80.0 } else { 0.5 },
                stats: Stats { pairs: i as usize, ..Stats::default() },
                began: 0,
                ended: 0,
            })
            .collect()
    }

    #[test]
    fn runs_of_any_length_have_a_chart() {
        for n in [0, 1, 2, 500] {
            let text = chart("a <b> & c", &frames(n));
            assert!(text.contains("a &lt;b&gt; &amp; c") && text.ends_with("</svg>\n"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{n}: {text}");
            assert_eq!(text.contains("logarithmic"), n > 2, "{n}");
        }
    }

    #[test]
    fn ticks_are_round_and_start_at_zero() {
        assert_eq!(round_ticks(1.05, 5.0), [0.0, 0.5, 1.0]);
        assert_eq!(round_ticks(300.0, 7.0), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0]);
        let log = Scale::Log { low: -2.0, high: 1.0 };
        assert_eq!(log.ticks(), [0.01, 0.1, 1.0, 10.0]);
        assert!((log.height(0.1) - 1.0 / 3.0).abs() < 1e-12);
    }
}
