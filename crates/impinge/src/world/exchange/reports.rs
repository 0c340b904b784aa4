//! The reports of the detection thread: the events of each frame, with the poses of their bodies.
//!
//! Zachmann (1994), section 6.4, notes that an application which receives a collision cannot know
//! its frame, and that the module should keep the poses of that time. A report contains both.

use super::merge::Merge;

/// The default limit of kept items for an application that does not read: frames, events and poses
/// together.
const DEFAULT_MAX_ITEMS: usize = 1 << 16;

/// Events and poses of one frame or, where the application did not read for a while, of several.
///
/// The newest frame is always complete. Older frames are dropped, oldest first, when there are more
/// items than [`set_limit`](Self::set_limit) allows, and counted in [`dropped`](Self::dropped).
///
/// [`Detached::receive`](crate::world::Detached::receive) returns them.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::world::{Body, DroppedCounts, World};
///
/// let mut world = World::new();
/// let ball = Sphere::new(1.0)?;
/// let a = world.add(Body::new(ball.clone()))?;
/// let b = world.add(Body::new(ball))?;
/// let mut detached = world.detach()?;
/// let first = detached.send()?;
/// detached.remove(b);
/// let second = detached.send()?;
///
/// // Both frames, or one report of the two if the thread took them together.
/// let (_, reports) = detached.reattach()?;
/// let newest = reports.newest().expect("the thread has processed the frames");
/// assert_eq!(newest.frame, second);
/// for frame in reports.frames().filter(|frame| frame.frame == first) {
///     assert!(frame.pose(a.slot() as u32).is_some());
/// }
/// assert_eq!(reports.dropped(), DroppedCounts::default());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reports<P, E, O = ()> {
    frames: Vec<FrameStart>,
    events: Vec<E>,
    /// By frame, and within a frame by body.
    poses: Vec<(u32, P)>,
    /// What is open, by frame.
    open: Vec<O>,
    dropped: DroppedCounts,
    limit: usize,
}

/// The indices of the first event, pose and open item of a frame. They end where those of the next
/// frame start.
#[derive(Clone, Copy, Debug)]
struct FrameStart {
    frame: u64,
    event: usize,
    pose: usize,
    open: usize,
    counts: OpenCounts,
}

/// The numbers of pairs and bodies that are open after an update within a budget. Zero if the
/// report is about all pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenCounts {
    /// As [`Report::open_pairs`](crate::world::Report::open_pairs).
    pub pairs: usize,
    /// As [`Report::open_bodies`](crate::world::Report::open_bodies).
    pub bodies: usize,
}

/// The numbers of unread items that were dropped because of the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedCounts {
    /// Frames.
    pub frames: u64,
    /// The events in them.
    pub events: u64,
}

/// One frame of [`Reports`].
#[derive(Debug, PartialEq)]
pub struct FrameReport<'a, P, E, O = ()> {
    /// The number that the application got when it sent the frame. Several reports have the same
    /// number if the thread continued what its budget had not allowed.
    pub frame: u64,
    /// The events.
    pub events: &'a [E],
    /// The poses of the bodies of the events, by body.
    pub poses: &'a [(u32, P)],
    /// Pairs that were checked and not decided, and bodies that were not compared, as far as the
    /// update has listed them.
    pub open: &'a [O],
    /// The numbers of all that are open.
    pub counts: OpenCounts,
}

impl<P, E, O> Copy for FrameReport<'_, P, E, O> {}

impl<P, E, O> Clone for FrameReport<'_, P, E, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, P, E, O> FrameReport<'a, P, E, O> {
    /// Whether the report is about all pairs: none is undecided, and all bodies were compared.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counts == OpenCounts::default()
    }

    /// The pose of `body` in this frame, if it was written.
    #[must_use]
    pub fn pose(&self, body: u32) -> Option<&'a P> {
        let index = self.poses.binary_search_by_key(&body, |&(b, _)| b).ok()?;
        Some(&self.poses[index].1)
    }
}

impl<P, E, O> Default for Reports<P, E, O> {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            events: Vec::new(),
            poses: Vec::new(),
            open: Vec::new(),
            dropped: DroppedCounts::default(),
            limit: DEFAULT_MAX_ITEMS,
        }
    }
}

impl<P, E, O> Reports<P, E, O> {
    /// Sets the largest number of frames, events, poses and open items together that are kept of
    /// unread reports, unless the newest frame alone has more. The default is 65,536. Merged
    /// reports have the limit of the newer one.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// The frames, oldest first.
    #[must_use]
    pub fn frames(
        &self,
    ) -> impl DoubleEndedIterator<Item = FrameReport<'_, P, E, O>> + ExactSizeIterator {
        (0..self.frames.len()).map(|n| self.frame(n))
    }

    /// The newest frame.
    #[must_use]
    pub fn newest(&self) -> Option<FrameReport<'_, P, E, O>> {
        self.frames().next_back()
    }

    /// The events of all frames, oldest first.
    #[must_use]
    pub fn events(&self) -> &[E] {
        &self.events
    }

    /// The number of dropped items between the last report that was read and the first frame of
    /// this one.
    #[must_use]
    pub fn dropped(&self) -> DroppedCounts {
        self.dropped
    }

    fn frame(&self, n: usize) -> FrameReport<'_, P, E, O> {
        let start = self.frames[n];
        let (event, pose, open) = match self.frames.get(n + 1) {
            Some(next) => (next.event, next.pose, next.open),
            None => (self.events.len(), self.poses.len(), self.open.len()),
        };
        FrameReport {
            frame: start.frame,
            events: &self.events[start.event..event],
            poses: &self.poses[start.pose..pose],
            open: &self.open[start.open..open],
            counts: start.counts,
        }
    }

    /// Drops the oldest frames, if the limit is exceeded.
    fn drop_excess(&mut self) {
        let items = self.events.len() + self.poses.len() + self.open.len();
        let total = self.frames.len() + items;
        if total <= self.limit || self.frames.len() < 2 {
            return;
        }
        // The first frame from which on everything fits, or the last one.
        let last = self.frames.len() - 1;
        let before = |n: usize| {
            let FrameStart { event, pose, open, .. } = self.frames[n];
            n + event + pose + open
        };
        let keep = (1..last).find(|&n| total - before(n) <= self.limit).unwrap_or(last);
        let FrameStart { event, pose, open, .. } = self.frames[keep];
        self.frames.drain(..keep);
        self.events.drain(..event);
        self.poses.drain(..pose);
        self.open.drain(..open);
        for start in &mut self.frames {
            start.event -= event;
            start.pose -= pose;
            start.open -= open;
        }
        self.dropped.frames += keep as u64;
        self.dropped.events += event as u64;
    }
}

impl<P, E, O> Merge for Reports<P, E, O> {
    fn merge(&mut self, newer: &mut Self) {
        let (event, pose, open) = (self.events.len(), self.poses.len(), self.open.len());
        self.frames.extend(newer.frames.drain(..).map(|start| FrameStart {
            event: start.event + event,
            pose: start.pose + pose,
            open: start.open + open,
            ..start
        }));
        self.events.append(&mut newer.events);
        self.poses.append(&mut newer.poses);
        self.open.append(&mut newer.open);
        self.dropped.frames += newer.dropped.frames;
        self.dropped.events += newer.dropped.events;
        newer.dropped = DroppedCounts::default();
        self.limit = newer.limit;
        self.drop_excess();
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.events.clear();
        self.poses.clear();
        self.open.clear();
        self.dropped = DroppedCounts::default();
    }

    fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.dropped == DroppedCounts::default()
    }
}

/// Writes the events and poses of one frame, which is complete when the writer is dropped.
///
/// ```
/// use impinge::internals::exchange::{FrameWriter, Merge, Reports};
///
/// let mut first: Reports<f64, &str> = Reports::default();
/// let mut second: Reports<f64, &str> = Reports::default();
/// let mut frame = FrameWriter::begin(&mut first, 7);
/// frame.event("began");
/// frame.pose(3, 0.5);
/// drop(frame);
/// FrameWriter::begin(&mut second, 9).event("ended");
/// first.merge(&mut second); // the first was not read
///
/// let frames: Vec<_> = first.frames().map(|f| (f.frame, f.events)).collect();
/// assert_eq!(frames, [(7, ["began"].as_slice()), (9, ["ended"].as_slice())]);
/// assert_eq!(first.frames().next().and_then(|f| f.pose(3)), Some(&0.5));
/// assert_eq!(first.dropped().events, 0);
/// ```
#[derive(Debug)]
pub struct FrameWriter<'a, P, E, O = ()> {
    reports: &'a mut Reports<P, E, O>,
}

impl<'a, P, E, O> FrameWriter<'a, P, E, O> {
    /// Starts the report of a frame.
    pub fn begin(reports: &'a mut Reports<P, E, O>, frame: u64) -> Self {
        let (event, pose) = (reports.events.len(), reports.poses.len());
        let (open, counts) = (reports.open.len(), OpenCounts::default());
        reports.frames.push(FrameStart { frame, event, pose, open, counts });
        Self { reports }
    }

    /// Adds an item that is open.
    pub fn open(&mut self, item: O) {
        self.reports.open.push(item);
    }

    /// Sets the numbers of all that are open, which may be more than the items.
    pub fn set_counts(&mut self, counts: OpenCounts) {
        if let Some(start) = self.reports.frames.last_mut() {
            start.counts = counts;
        }
    }

    /// Adds an event.
    pub fn event(&mut self, event: E) {
        self.reports.events.push(event);
    }

    /// Adds the pose of `body` in this frame. Each body once, in any order; sorted bodies cost
    /// less.
    pub fn pose(&mut self, body: u32, pose: P) {
        self.reports.poses.push((body, pose));
    }
}

impl<P, E, O> Drop for FrameWriter<'_, P, E, O> {
    fn drop(&mut self) {
        let first = self.reports.frames.last().map_or(0, |start| start.pose);
        let poses = &mut self.reports.poses[first..];
        if !poses.is_sorted_by_key(|&(body, _)| body) {
            poses.sort_unstable_by_key(|&(body, _)| body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(frame: u64, events: u64, limit: usize) -> Reports<f64, u64, u64> {
        let mut reports = Reports::default();
        reports.set_limit(limit);
        let mut writer = FrameWriter::begin(&mut reports, frame);
        for n in 0..events {
            writer.event(frame * 100 + n);
            writer.pose((events - n) as u32, frame as f64);
            writer.open(frame);
        }
        writer.set_counts(OpenCounts { pairs: frame as usize, bodies: 0 });
        drop(writer);
        reports
    }

    #[test]
    fn merged_frames_keep_their_events_and_poses() {
        let mut all = Reports::default();
        for frame in 1..20 {
            let mut newer = report(frame, frame % 4, usize::MAX);
            all.merge(&mut newer);
            assert!(Merge::is_empty(&newer));
        }
        assert_eq!(all.frames().len(), 19);
        for (frame, n) in all.frames().zip(1..) {
            assert_eq!(frame.frame, n);
            assert_eq!(frame.events, (n * 100..n * 100 + n % 4).collect::<Vec<_>>());
            assert_eq!(frame.poses.len() as u64, n % 4);
            assert_eq!(frame.open, vec![n; n as usize % 4]);
            assert_eq!(frame.counts.pairs as u64, n);
            for body in 0..6 {
                let known = (1..=n % 4).contains(&u64::from(body));
                assert_eq!(frame.pose(body), known.then_some(&(n as f64)));
            }
        }
        assert_eq!(all.newest().map(|f| f.frame), Some(19));
        assert_eq!(all.dropped(), DroppedCounts::default());
        all.clear();
        assert!(all.newest().is_none() && Merge::is_empty(&all));
    }

    /// With every limit, every event is either kept or counted, and the newest frame is complete.
    #[test]
    fn dropped_items_are_counted() {
        for limit in [0, 1, 7, 20, 21, 22, 50, 1000] {
            let mut all = Reports::default();
            let mut sent = 0;
            for frame in 1..40 {
                let events = frame * 7 % 5;
                sent += events;
                all.merge(&mut report(frame, events, limit));
                let kept: usize =
                    all.frames().map(|f| 1 + f.events.len() + f.poses.len() + f.open.len()).sum();
                assert!(kept <= limit || all.frames().len() == 1);
                assert_eq!(all.events().len() as u64 + all.dropped().events, sent);
                assert_eq!(all.frames().len() as u64 + all.dropped().frames, frame);
                let newest = all.newest().unwrap();
                assert_eq!((newest.frame, newest.events.len() as u64), (frame, events));
                for frame in all.frames() {
                    assert!(frame.events.iter().all(|e| e / 100 == frame.frame));
                    assert!(frame.poses.iter().all(|p| p.1 == frame.frame as f64));
                    assert_eq!(frame.open.len(), frame.events.len());
                    assert!(frame.open.iter().all(|o| *o == frame.frame));
                }
            }
            // As much as fits is kept.
            assert_eq!(all.dropped().frames == 0, limit == 1000);
        }
    }
}
