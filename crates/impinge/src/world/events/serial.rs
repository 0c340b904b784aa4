//! Deserialisation of reports.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{Event, Report, Stats, Undecided};
use crate::world::Handle;

#[derive(Deserialize)]
struct Form {
    frame: u64,
    events: Vec<Event>,
    undecided: Vec<Undecided>,
    not_compared: Vec<Handle>,
    #[serde(default)]
    outside: Vec<Handle>,
    #[serde(default)]
    renewals: Vec<Handle>,
    open_pairs: usize,
    open_bodies: usize,
    open_persisting: usize,
    stats: Stats,
}

/// Requires events in the order of slots, each with two different slots; undecided pairs and bodies
/// that were not compared in the order of slots, each once; and no later update than the report's.
impl<'de> Deserialize<'de> for Report {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let Form { frame, events, undecided, not_compared, .. } = form;
        let Form { outside, renewals, open_pairs, open_bodies, .. } = form;
        let Form { open_persisting, stats, .. } = form;
        let slots = |event: &Event| (event.a.slot, event.b.slot);
        if !events.iter().all(|event| event.a.slot < event.b.slot)
            || !events.windows(2).all(|w| slots(&w[0]) <= slots(&w[1]))
        {
            return Err(D::Error::custom("the events are not in the order of their slots"));
        }
        let slots = |pair: &Undecided| (pair.a.slot, pair.b.slot);
        if !undecided.iter().all(|pair| pair.a.slot < pair.b.slot && pair.since <= frame)
            || !undecided.windows(2).all(|w| slots(&w[0]) < slots(&w[1]))
        {
            return Err(D::Error::custom(
                "the undecided pairs are not in the order of their slots, or undecided since a \
                 later update",
            ));
        }
        let lists = [
            (&not_compared, "that were not compared"),
            (&outside, "that were outside their limits"),
            (&renewals, "that need new limits"),
        ];
        for (list, which) in lists {
            if !list.windows(2).all(|w| w[0].slot < w[1].slot) {
                return Err(D::Error::custom(format!(
                    "the bodies {which} are not in the order of their slots"
                )));
            }
        }
        if open_pairs < undecided.len() || open_bodies < not_compared.len() {
            return Err(D::Error::custom("more pairs or bodies are listed as open than there are"));
        }
        Ok(Self {
            frame,
            events,
            undecided,
            not_compared,
            outside,
            renewals,
            open_pairs,
            open_bodies,
            open_persisting,
            stats,
        })
    }
}
