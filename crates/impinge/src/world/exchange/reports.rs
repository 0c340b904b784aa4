//! What the detection thread tells the application: the events of each frame, with the poses they
//! are about.
//!
//! Zachmann (1994), section 6.4, notes that an application which is told of a collision cannot know
//! as of which frame, and that the module should keep the poses of that time for it. Here a report
//! has both.

use super::merge::Merge;

/// How much is kept for an application that does not read: frames, events and poses together.
const LIMIT: usize = 1 << 16;

/// Events and poses of one frame or, where the application did not read for a while, of several.
///
/// The newest frame is always there and complete. Older ones are dropped, oldest first, when there
/// are more than [`set_limit`](Self::set_limit) allows, and [`lost`](Self::lost) says so.
///
/// ```
/// use impinge::internals::exchange::{Merge, Reports};
///
/// let (mut first, mut second) = (Reports::default(), Reports::default());
/// let mut frame = first.begin(7);
/// frame.event("began");
/// frame.pose(3, 0.5);
/// drop(frame);
/// second.begin(9).event("ended");
/// first.merge(&mut second); // nobody has read the first
///
/// let frames: Vec<_> = first.frames().map(|f| (f.frame, f.events)).collect();
/// assert_eq!(frames, [(7, ["began"].as_slice()), (9, ["ended"].as_slice())]);
/// assert_eq!(first.frames().next().and_then(|f| f.pose(3)), Some(&0.5));
/// assert_eq!(first.lost().events, 0);
/// ```
#[derive(Clone, Debug)]
pub struct Reports<P, E> {
    frames: Vec<Begin>,
    events: Vec<E>,
    /// By frame, and within a frame by body.
    poses: Vec<(u32, P)>,
    lost: Lost,
    limit: usize,
}

/// Where the events and poses of a frame begin. They end where those of the next begin.
#[derive(Clone, Copy, Debug)]
struct Begin {
    frame: u64,
    event: usize,
    pose: usize,
}

/// What was dropped, unread, to make room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Frames.
    pub frames: u64,
    /// The events in them.
    pub events: u64,
}

/// One frame of [`Reports`].
#[derive(Debug, PartialEq)]
pub struct FrameReport<'a, P, E> {
    /// The number that the application got when it sent the frame.
    pub frame: u64,
    /// What happened.
    pub events: &'a [E],
    /// The poses it is about, by body.
    pub poses: &'a [(u32, P)],
}

impl<P, E> Copy for FrameReport<'_, P, E> {}

impl<P, E> Clone for FrameReport<'_, P, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, P, E> FrameReport<'a, P, E> {
    /// The pose of `body` that the events are about, if it was given.
    #[must_use]
    pub fn pose(&self, body: u32) -> Option<&'a P> {
        let place = self.poses.binary_search_by_key(&body, |&(b, _)| b).ok()?;
        Some(&self.poses[place].1)
    }
}

impl<P, E> Default for Reports<P, E> {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            events: Vec::new(),
            poses: Vec::new(),
            lost: Lost::default(),
            limit: LIMIT,
        }
    }
}

impl<P, E> Reports<P, E> {
    /// Begins the report of a frame.
    pub fn begin(&mut self, frame: u64) -> FrameWriter<'_, P, E> {
        self.frames.push(Begin { frame, event: self.events.len(), pose: self.poses.len() });
        FrameWriter { reports: self }
    }

    /// At most so many frames, events and poses together are kept of unread reports, unless the
    /// newest frame alone has more; 65,536 if this is never called. Merged reports obey the limit
    /// of the newer.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// The frames, oldest first.
    #[must_use]
    pub fn frames(
        &self,
    ) -> impl DoubleEndedIterator<Item = FrameReport<'_, P, E>> + ExactSizeIterator {
        (0..self.frames.len()).map(|n| self.frame(n))
    }

    /// The newest frame.
    #[must_use]
    pub fn newest(&self) -> Option<FrameReport<'_, P, E>> {
        self.frames().next_back()
    }

    /// The events of all frames, oldest first.
    #[must_use]
    pub fn events(&self) -> &[E] {
        &self.events
    }

    /// What is missing before the first frame here, since the last report that was read.
    #[must_use]
    pub fn lost(&self) -> Lost {
        self.lost
    }

    fn frame(&self, n: usize) -> FrameReport<'_, P, E> {
        let begin = self.frames[n];
        let (event, pose) = match self.frames.get(n + 1) {
            Some(next) => (next.event, next.pose),
            None => (self.events.len(), self.poses.len()),
        };
        FrameReport {
            frame: begin.frame,
            events: &self.events[begin.event..event],
            poses: &self.poses[begin.pose..pose],
        }
    }

    /// Drops the oldest frames that are too many.
    fn make_room(&mut self) {
        let (events, poses) = (self.events.len(), self.poses.len());
        let all = self.frames.len() + events + poses;
        if all <= self.limit || self.frames.len() < 2 {
            return;
        }
        // The first frame from which on everything fits, or the last one.
        let last = self.frames.len() - 1;
        let keep = (1..last)
            .find(|&n| all - n - self.frames[n].event - self.frames[n].pose <= self.limit)
            .unwrap_or(last);
        let Begin { event, pose, .. } = self.frames[keep];
        self.frames.drain(..keep);
        self.events.drain(..event);
        self.poses.drain(..pose);
        for begin in &mut self.frames {
            begin.event -= event;
            begin.pose -= pose;
        }
        self.lost.frames += keep as u64;
        self.lost.events += event as u64;
    }
}

impl<P, E> Merge for Reports<P, E> {
    fn merge(&mut self, newer: &mut Self) {
        let (event, pose) = (self.events.len(), self.poses.len());
        self.frames.extend(newer.frames.drain(..).map(|begin| Begin {
            event: begin.event + event,
            pose: begin.pose + pose,
            ..begin
        }));
        self.events.append(&mut newer.events);
        self.poses.append(&mut newer.poses);
        self.lost.frames += newer.lost.frames;
        self.lost.events += newer.lost.events;
        newer.lost = Lost::default();
        self.limit = newer.limit;
        self.make_room();
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.events.clear();
        self.poses.clear();
        self.lost = Lost::default();
    }

    fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.lost == Lost::default()
    }
}

/// Takes the events and poses of one frame; made by [`Reports::begin`], done when dropped.
#[derive(Debug)]
pub struct FrameWriter<'a, P, E> {
    reports: &'a mut Reports<P, E>,
}

impl<P, E> FrameWriter<'_, P, E> {
    /// Something happened.
    pub fn event(&mut self, event: E) {
        self.reports.events.push(event);
    }

    /// In this frame `body` had this pose. Each body once, in any order; sorted ones cost less.
    pub fn pose(&mut self, body: u32, pose: P) {
        self.reports.poses.push((body, pose));
    }
}

impl<P, E> Drop for FrameWriter<'_, P, E> {
    fn drop(&mut self) {
        let first = self.reports.frames.last().map_or(0, |begin| begin.pose);
        let poses = &mut self.reports.poses[first..];
        if !poses.is_sorted_by_key(|&(body, _)| body) {
            poses.sort_unstable_by_key(|&(body, _)| body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(frame: u64, events: u64, limit: usize) -> Reports<f64, u64> {
        let mut reports = Reports::default();
        reports.set_limit(limit);
        let mut writer = reports.begin(frame);
        for n in 0..events {
            writer.event(frame * 100 + n);
            writer.pose((events - n) as u32, frame as f64);
        }
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
            for body in 0..6 {
                let known = (1..=n % 4).contains(&u64::from(body));
                assert_eq!(frame.pose(body), known.then_some(&(n as f64)));
            }
        }
        assert_eq!(all.newest().map(|f| f.frame), Some(19));
        assert_eq!(all.lost(), Lost::default());
        all.clear();
        assert!(all.newest().is_none() && Merge::is_empty(&all));
    }

    /// Whatever the limit, every event is either there or counted, and the newest frame is whole.
    #[test]
    fn nothing_is_lost_in_silence() {
        for limit in [0, 1, 7, 20, 21, 22, 50, 1000] {
            let mut all = Reports::default();
            let mut sent = 0;
            for frame in 1..40 {
                let events = frame * 7 % 5;
                sent += events;
                all.merge(&mut report(frame, events, limit));
                let kept: usize = all.frames().map(|f| 1 + f.events.len() + f.poses.len()).sum();
                assert!(kept <= limit || all.frames().len() == 1);
                assert_eq!(all.events().len() as u64 + all.lost().events, sent);
                assert_eq!(all.frames().len() as u64 + all.lost().frames, frame);
                let newest = all.newest().unwrap();
                assert_eq!((newest.frame, newest.events.len() as u64), (frame, events));
                for frame in all.frames() {
                    assert!(frame.events.iter().all(|e| e / 100 == frame.frame));
                    assert!(frame.poses.iter().all(|p| p.1 == frame.frame as f64));
                }
            }
            // As much as fits is kept.
            assert_eq!(all.lost().frames == 0, limit == 1000);
        }
    }
}
