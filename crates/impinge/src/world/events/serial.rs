//! Reports of updates, read from what was serialised.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{Event, Report, Stats};

#[derive(Deserialize)]
struct Form {
    frame: u64,
    events: Vec<Event>,
    stats: Stats,
}

/// What is read must have its events in the order of slots, two different ones each.
impl<'de> Deserialize<'de> for Report {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { frame, events, stats } = Form::deserialize(deserializer)?;
        let slots = |event: &Event| (event.a.slot, event.b.slot);
        if !events.iter().all(|event| event.a.slot < event.b.slot)
            || !events.windows(2).all(|w| slots(&w[0]) <= slots(&w[1]))
        {
            return Err(D::Error::custom("events that are not in the order of slots"));
        }
        Ok(Self { frame, events, stats, ..Self::default() })
    }
}
