//! Round values for an axis, and their labels.

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// Multiples of 1, 2 or 5 times a power of ten in `[low, high]`, about `wanted` of them.
pub(super) fn linear_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let ideal_step = (high / 2.0 - low / 2.0) / (wanted.max(1) as f64) * 2.0;
    if !(ideal_step > 0.0 && ideal_step.is_finite()) {
        return Vec::new();
    }
    let decade = 10_f64.powf(ideal_step.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|m| m * decade)
        .into_iter()
        .min_by(|a, b| (a / ideal_step).ln().abs().total_cmp(&(b / ideal_step).ln().abs()))
        .unwrap_or(decade);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    if !(step > 0.0 && last - first < 100.0) {
        return Vec::new(); // near the limits of `f64`
    }
    let largest = low.abs().max(high.abs());
    (0..=(last - first).max(0.0) as usize)
        .map(|i| (first + i as f64) * step)
        .map(|value| Tick { value, label: label(value, step, largest) })
        .collect()
}

/// Powers of ten in `[low, high]`, about `wanted` of them; if there are fewer than three, also
/// their multiples by 2 and 5.
pub(super) fn log_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = (first..=last).filter(|&d| (low..=high).contains(&10_f64.powi(d))).count();
    let of = |multiples: &[f64], stride: usize| -> Vec<Tick> {
        (first..=last)
            .filter(|d| d.rem_euclid(stride as i32) == 0)
            .flat_map(|d| multiples.iter().map(move |m| (m, 10_f64.powi(d))))
            .map(|(m, decade)| (m * decade, *m * decade))
            .filter(|(value, _)| (low..=high).contains(value))
            .map(|(value, step)| {
                // On an axis up to 10k or more, a thousand is written as 1k.
                let thousand = high >= 1e4 && (1e3..1e4).contains(&value);
                let unit_of = if thousand { 1e4 } else { value };
                Tick { value, label: label(value, step, unit_of) }
            })
            .collect()
    };
    if decades >= 3 {
        return of(&[1.0], decades.div_ceil(wanted.max(1)));
    }
    let ticks = of(&[1.0, 2.0, 5.0], 1);
    if ticks.len() >= 3 { ticks } else { linear_ticks(low, high, wanted) }
}

/// The label of a tick: with the decimals that the step between ticks needs, and a letter for
/// thousands, millions or billions, depending on the largest value of the axis.
fn label(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (unit, letter) = match largest {
        l if !(1e-4..1e13).contains(&l) => return scientific(value),
        l if l >= 1e9 => (1e9, "G"),
        l if l >= 1e6 => (1e6, "M"),
        l if l >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Slightly more than the exact logarithm, for steps like 0.1 whose rounded value is below the
    // power of ten.
    let decimals = (-((step / unit).log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{:.decimals$}", value / unit);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{letter}").replace('-', "\u{2212}")
}

fn scientific(value: f64) -> String {
    let text = format!("{value:.3e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}e{exponent}").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn linear_steps_are_round() {
        assert_eq!(labels(&linear_ticks(0.0, 10.4, 6)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&linear_ticks(0.0, 0.52, 6)), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(
            labels(&linear_ticks(-1.1, 1.1, 5)),
            ["\u{2212}1", "\u{2212}0.5", "0", "0.5", "1"]
        );
        assert_eq!(labels(&linear_ticks(0.0, 2080.0, 4)), ["0", "500", "1000", "1500", "2000"]);
        assert_eq!(
            labels(&linear_ticks(0.0, 104_000.0, 5)),
            ["0", "20k", "40k", "60k", "80k", "100k"]
        );
        assert_eq!(labels(&linear_ticks(0.0, 1.6e6, 3)), ["0", "0.5M", "1M", "1.5M"]);
    }

    #[test]
    fn logarithmic_steps_are_powers() {
        assert_eq!(labels(&log_ticks(0.0005, 20.0, 6)), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&log_ticks(800.0, 1.2e6, 6)), ["1k", "10k", "100k", "1M"]);
        assert_eq!(labels(&log_ticks(5.0, 1200.0, 6)), ["10", "100", "1000"]);
        assert_eq!(labels(&log_ticks(0.8, 60.0, 6)), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(&log_ticks(31.0, 39.0, 4)), ["32", "34", "36", "38"]);
        let many = log_ticks(1e-12, 1e12, 6);
        assert!((4..=8).contains(&many.len()), "{:?}", labels(&many));
    }

    #[test]
    fn labels_of_ticks_differ() {
        for (low, high) in [(1234.5, 1234.6), (1e-9, 3e-9), (1e15, 1.2e15), (-5e5, 5e5)] {
            let ticks = linear_ticks(low, high, 6);
            let mut seen = labels(&ticks);
            seen.dedup();
            assert_eq!(seen.len(), ticks.len(), "{seen:?}");
            assert!(ticks.len() >= 3);
        }
    }
}
