//! An SVG chart of the frames: milliseconds in the upper panel, numbers of pairs in the lower one.

use std::path::Path;

use anyhow::Result;
use impinge_chart::{Axis, Chart, Mark};

use super::stats::Frame;
use super::summary::median;
use crate::render;
use crate::report::digits;

/// Writes the chart.
pub(crate) fn write(path: &Path, title: &str, frames: &[Frame]) -> Result<()> {
    render::save(path, chart(title, frames).as_bytes())
}

fn chart(title: &str, frames: &[Frame]) -> String {
    let curve = |value: &dyn Fn(&Frame) -> f64| -> Vec<(f64, f64)> {
        frames.iter().enumerate().map(|(k, f)| (k as f64 + 1.0, value(f))).collect()
    };
    let update = curve(&|f| f.update_ms);
    let mut times: Vec<f64> = update.iter().map(|(_, ms)| *ms).collect();
    times.sort_by(f64::total_cmp);
    let median_time = median(&times);
    let median_line: Vec<(f64, f64)> = update.iter().map(|(k, _)| (*k, median_time)).collect();
    let milliseconds = if spreads_widely(&times) {
        Axis::log("milliseconds, logarithmic")
    } else {
        Axis::linear("milliseconds")
    };
    Chart::new(title, Axis::linear(""), milliseconds)
        .series("update", Mark::Line, update)
        .series(format!("median {}", digits(median_time, 3)), Mark::Guide, median_line)
        .panel(Axis::linear("frame"), Axis::linear("pairs"))
        // If all bodies move, every pair with overlapping boxes is checked and two curves coincide.
        .series("boxes overlap", Mark::Band, curve(&|f| f.stats.pairs as f64))
        .series("colliding", Mark::Line, curve(&|f| f.stats.meeting as f64))
        .series("checked", Mark::Line, curve(&|f| f.stats.checked as f64))
        .svg()
}

/// Whether the largest of these sorted values is more than ten times the median of the positive
/// ones.
fn spreads_widely(sorted: &[f64]) -> bool {
    let positive: Vec<f64> = sorted.iter().copied().filter(|v| *v > 0.0).collect();
    positive.last().is_some_and(|max| *max > 10.0 * median(&positive))
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
}
