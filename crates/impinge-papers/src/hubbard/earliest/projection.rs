//! The projection method (section V.B.1): a sweep over lines in the plane of an axis and time.
//!
//! The paper takes the sweep of Bentley and Ottmann. All lines here reach from the start to the end
//! of the search, so the sweep is the kinetic version of a sorted list: neighbours in the list are
//! scheduled at their crossing and swapped there.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use impinge::motion::{Linear, SpaceTimeBound};

use super::figure_8::Crossing;
use super::lines::{Meeting, Start};
use super::{Best, Counts, Earliest, Planes};

/// The earliest intersection among the bounds from the time `from` on, by sweeping over the
/// projections of their faces.
///
/// # Panics
/// If a bound does not hold yet at `from`.
#[must_use]
pub fn by_projection(
    bounds: &[SpaceTimeBound],
    from: f64,
    planes: Planes,
    counts: &mut Counts,
) -> Option<Earliest> {
    let (mut best, starts) = Best::begin(bounds, from, planes, counts)?;
    for axis in 0..3 {
        sweep(axis, &starts, &mut best, counts);
    }
    best.found
}

/// A line: twice the number of its bound, plus one for the larger face.
type LineNumber = u32;

/// Two lines that are neighbours in the list, and will cross.
#[derive(Clone, Copy, Debug)]
struct Event {
    meeting: Meeting,
    lines: [LineNumber; 2],
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.meeting.compare(&other.meeting).then(self.lines.cmp(&other.lines))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

/// Visits the crossings along one axis, until none can be earlier than the best intersection.
fn sweep(axis: usize, starts: &[Start], best: &mut Best<'_>, counts: &mut Counts) {
    let line = |number: LineNumber| -> Linear {
        starts[(number / 2) as usize].face(axis, (number % 2) as usize)
    };
    let mut list: Vec<LineNumber> = (0..2 * starts.len() as u32).collect();
    list.sort_by(|a, b| {
        let (p, q) = (line(*a), line(*b));
        p.base.total_cmp(&q.base).then(p.rate.total_cmp(&q.rate)).then(a.cmp(b))
    });
    let mut places = vec![0_usize; list.len()];
    for (place, number) in list.iter().enumerate() {
        places[*number as usize] = place;
    }
    let mut queue: BinaryHeap<Reverse<Event>> = BinaryHeap::new();
    let event = |lines: [LineNumber; 2]| {
        let meeting = Meeting::new(line(lines[0]), line(lines[1]))?;
        Some(Reverse(Event { meeting, lines }))
    };
    for pair in list.windows(2) {
        queue.extend(event([pair[0], pair[1]]));
    }
    while let Some(Reverse(Event { meeting, lines: [below, above] })) = queue.pop() {
        let place = places[below as usize];
        // Neighbours that were separated by another swap are scheduled again when they meet.
        if list.get(place + 1) != Some(&above) {
            continue;
        }
        let after = meeting.after();
        // The times of pairs are rounded down by a few units in the last place.
        if best.from + after * (1.0 - 1e-14) > best.limit() {
            break;
        }
        counts.crossings += 1;
        let pair = [below as usize / 2, above as usize / 2];
        if pair[0] != pair[1] && starts[pair[0]].squares_overlap(&starts[pair[1]], axis, after) {
            counts.faces += 1;
            let sides = [below, above].map(|number| (number % 2) as usize);
            best.try_faces(&Crossing { axis, sides, after }, pair);
        }
        list.swap(place, place + 1);
        places[below as usize] = place + 1;
        places[above as usize] = place;
        if place > 0 {
            queue.extend(event([list[place - 1], above]));
        }
        if place + 2 < list.len() {
            queue.extend(event([below, list[place + 2]]));
        }
    }
}
