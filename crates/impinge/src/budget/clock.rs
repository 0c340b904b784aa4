//! When a query with a deadline reads the clock.

use std::time::{Duration, Instant};

/// The time that a unit of work is taken to need at least: nearly all take 20 to 200 ns with their
/// data in the cache, and up to this otherwise.
const MIN_TIME_PER_UNIT: Duration = Duration::from_micros(1);

/// The time that a unit is taken to need before any was measured: nearly all need less, also with
/// nothing in the caches.
const FIRST_TIME_PER_UNIT: Duration = Duration::from_micros(5);

/// Factor between the mean time of the last units and the time that the next ones are taken to need
/// at most: the kind of work may change.
const SAFETY_FACTOR: u32 = 4;

/// Maximum number of units between two readings. A reading takes 20 to 50 ns.
const MAX_UNITS: u64 = 128;

/// A deadline, and the last reading of the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) deadline: Instant,
    /// The time of the last reading, and the units that were spent then.
    last: Option<(Instant, u64)>,
}

impl Clock {
    pub(super) fn until(deadline: Instant) -> Self {
        Self { deadline, last: None }
    }

    /// Reads the clock after `spent` units. `None` if the deadline has passed, otherwise the number
    /// of units until the next reading: so few that they should end before the deadline, even if
    /// each takes several times longer than the last ones. So a query that is far from its deadline
    /// rarely reads the clock, and one that is near it before every unit.
    ///
    /// The number never influences what a unit does, so that it has no effect on results with a
    /// limit of steps.
    pub(super) fn read(&mut self, spent: u64) -> Option<u64> {
        let now = Instant::now();
        let left = self.deadline.checked_duration_since(now).filter(|left| !left.is_zero())?;
        let Some((last, spent_before)) = self.last.replace((now, spent)) else {
            return Some(units_within(left, FIRST_TIME_PER_UNIT));
        };
        let units = u32::try_from(spent - spent_before).unwrap_or(u32::MAX).max(1);
        let mean = now.saturating_duration_since(last) / units;
        Some(units_within(left, MIN_TIME_PER_UNIT.max(mean.saturating_mul(SAFETY_FACTOR))))
    }
}

/// The number of units that fit into the time, within the limits.
fn units_within(left: Duration, per_unit: Duration) -> u64 {
    if left >= per_unit.saturating_mul(MAX_UNITS as u32) {
        return MAX_UNITS;
    }
    ((left.as_nanos() / per_unit.as_nanos()) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_read_more_often_towards_the_deadline() {
        let micro = Duration::from_micros(1);
        assert_eq!(units_within(Duration::from_secs(1), micro), MAX_UNITS);
        assert_eq!(units_within(20 * micro, micro), 20);
        assert_eq!(units_within(20 * micro, 8 * micro), 2);
        assert_eq!(units_within(micro / 2, micro), 1);
        assert_eq!(units_within(Duration::from_secs(1), Duration::MAX), 1);
    }

    #[test]
    fn the_first_reading_allows_slow_units_and_a_late_one_none() {
        let mut clock = Clock::until(Instant::now() + Duration::from_secs(3600));
        assert_eq!(clock.read(0), Some(MAX_UNITS));
        assert!(clock.read(1).is_some_and(|units| (1..=MAX_UNITS).contains(&units)));
        let mut clock = Clock::until(Instant::now() + 10 * FIRST_TIME_PER_UNIT);
        assert!(clock.read(0).is_some_and(|units| units <= 10));
        assert_eq!(Clock::until(Instant::now()).read(0), None);
    }
}
