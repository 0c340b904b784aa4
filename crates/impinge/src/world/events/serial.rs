//! Deserialisation of reports.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{Event, Report, Stats};

#[derive(Deserialize)]
struct Form {
    frame: u64,
    events: Vec<Event>,
    stats: Stats,
}

/// Requires events in the order of slots, each with two different slots.
impl<'de> Deserialize<'de> for Report {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { frame, events, stats } = Form::deserialize(deserializer)?;
        let slots = |event: &Event| (event.a.slot, event.b.slot);
        if !events.iter().all(|event| event.a.slot < event.b.slot)
            || !events.windows(2).all(|w| slots(&w[0]) <= slots(&w[1]))
        {
            return Err(D::Error::custom("the events are not in the order of their slots"));
        }
        Ok(Self { frame, events, stats, ..Self::default() })
    }
}
