//! Positions of values on an axis.

use super::ticks::{Tick, linear_ticks, log_ticks};

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths.
    Log,
}

impl Scale {
    /// Whether the value has a position on an axis of this scale.
    pub(super) fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }

    fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }
}

/// The visible part of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Range {
    /// The range of all these values with a margin; an arbitrary range if there are none.
    pub(super) fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|&v| scale.shows(v))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        match scale {
            _ if low > high => {
                Self { scale, low: if scale == Scale::Log { 1.0 } else { 0.0 }, high: 10.0 }
            }
            Scale::Linear => {
                // Halves, because the difference of two large values may overflow.
                let half = 0.5 * high - 0.5 * low;
                let margin =
                    if half > 0.0 { 0.08 * half } else { (0.1 * low.abs()).max(f64::MIN_POSITIVE) };
                let (mut l, mut h) = (low - margin, high + margin);
                if low >= 0.0 && low < 0.6 * high {
                    l = 0.0;
                }
                if low == high && low == 0.0 {
                    (l, h) = (0.0, 1.0);
                }
                Self { scale, low: l.max(-f64::MAX / 4.0), high: h.min(f64::MAX / 4.0) }
            }
            Scale::Log => {
                let ratio = if low < high { (high / low).powf(0.04) } else { 2.0 };
                Self {
                    scale,
                    low: (low / ratio).max(f64::MIN_POSITIVE),
                    high: (high * ratio).min(f64::MAX),
                }
            }
        }
    }

    /// The position of the value: 0 at the low end, 1 at the high end.
    pub(super) fn position(&self, value: f64) -> f64 {
        let (l, h) = (self.scale.forward(self.low), self.scale.forward(self.high));
        (self.scale.forward(value) - l) / (h - l)
    }

    /// About `wanted` round values within the range, with their labels.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, wanted),
            Scale::Log => log_ticks(self.low, self.high, wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_ordered_and_within_the_axis() {
        for scale in [Scale::Linear, Scale::Log] {
            let values = [3.0, 700.0, 41.0];
            let range = Range::of(scale, values.into_iter());
            let [a, b, c] = values.map(|v| range.position(v));
            assert!(0.0 < a && a < c && c < b && b < 1.0, "{scale:?}: {a} {c} {b}");
        }
    }

    #[test]
    fn zero_is_on_the_axis_unless_far_away() {
        let near = Range::of(Scale::Linear, [1.0, 9.0].into_iter());
        assert_eq!(near.low, 0.0);
        let far = Range::of(Scale::Linear, [100.0, 101.0].into_iter());
        assert!(far.low > 99.0);
    }

    #[test]
    fn extreme_values_have_a_usable_range() {
        let all: [&[f64]; 6] = [
            &[],
            &[f64::NAN, f64::INFINITY],
            &[0.0, 0.0],
            &[5.0],
            &[-f64::MAX, f64::MAX],
            &[-3.0, 0.0, f64::MIN_POSITIVE],
        ];
        for values in all {
            for scale in [Scale::Linear, Scale::Log] {
                let range = Range::of(scale, values.iter().copied());
                assert!(range.low < range.high, "{scale:?} of {values:?}: {range:?}");
                for &v in values.iter().filter(|&&v| scale.shows(v) && v.abs() < 1e300) {
                    assert!((0.0..=1.0).contains(&range.position(v)), "{scale:?} of {values:?}");
                }
                let ticks = range.ticks(6);
                assert!(ticks.len() < 40, "{scale:?} of {values:?}: {}", ticks.len());
            }
        }
    }
}
