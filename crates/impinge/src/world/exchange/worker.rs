//! The detection thread, beside an application that never waits for it.
//!
//! The loop of Zachmann (1994), section 6.4: sleep while the buffer is empty, else swap and
//! process. The application's calls are bounded numbers of steps (fill a buffer, exchange a byte,
//! unpark a thread); the only one that waits is [`Worker::join`].
//!
//! **No lost wake-up.** The application publishes, then unparks; the thread looks, then parks.
//! Should it look before and park after, the token that `unpark` left lets it through; and what was
//! done before an `unpark` is seen after the `park` that it ends. **No lost input at the end.** The
//! request to finish is stored (release) after the last publication, and the thread loads it
//! (acquire) before it looks: if it sees the request, it sees the publication.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::latest::{Reader, Writer, latest};
use super::merge::Merge;
use super::sync::{Arc, AtomicU8, Builder, JoinHandle, Ordering, park};
use crate::{Error, ErrorKind};

/// Values of [`Shared::request`].
const RUN: u8 = 0;
const FINISH: u8 = 1;
const QUIT: u8 = 2;

struct Shared {
    /// What the application wants of the thread: to go on, to do what was sent and end, or to end
    /// after the current step.
    request: AtomicU8,
    /// What the panic said that ended the thread.
    failure: OnceLock<String>,
}

/// A buffer on its way, with what it stands for.
#[derive(Debug, Default)]
struct Parcel<T> {
    content: T,
    /// The newest frame of the application in it.
    frame: u64,
    /// How many frames of the application are in it.
    frames: u64,
    /// How many steps of the thread are in it; in what the application sends, none.
    steps: u64,
}

impl<T: Merge> Merge for Parcel<T> {
    fn merge(&mut self, newer: &mut Self) {
        self.content.merge(&mut newer.content);
        self.frame = newer.frame;
        self.frames += newer.frames;
        self.steps += newer.steps;
    }

    fn clear(&mut self) {
        self.content.clear();
        (self.frame, self.frames, self.steps) = (0, 0, 0);
    }

    fn is_empty(&self) -> bool {
        self.content.is_empty()
    }
}

/// What a step of the thread is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The newest frame of the application that is in the input.
    pub frame: u64,
    /// How many frames are in the input: more than one when the thread did not keep up.
    pub frames: u64,
}

/// How well the detection thread keeps up, as the application knows it.
///
/// Every frame that was sent is in exactly one step; a step may have several. Every step is in
/// exactly one report that is received; a report may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames handed to the thread; the number of the newest.
    pub sent: u64,
    /// Frames that were merged with an earlier one, which the thread had not taken when they were
    /// sent.
    pub merged: u64,
    /// Frames that were not sent because the thread had failed; what was in them is gone.
    pub dropped: u64,
    /// The newest frame of which a report was received.
    pub detected: u64,
    /// Steps of which a report was received.
    pub steps: u64,
    /// Reports received.
    pub received: u64,
    /// Steps whose report was merged with an earlier one, which the application had not received.
    pub reports_merged: u64,
}

impl Counters {
    /// How many frames the received reports are behind what was sent.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.sent - self.detected
    }
}

/// A thread that owns a state `S`, takes the newest input `I`, and gives reports `O`.
///
/// Dropping it asks the thread to end after the step it is in and does not wait for that; what was
/// sent and not begun is not done. [`join`](Self::join) waits, and loses nothing.
///
/// ```
/// use impinge::internals::exchange::Worker;
///
/// // Adds up the numbers it is sent.
/// let mut worker = Worker::spawn("adder", 0, |sum, step, input: &mut Vec<u64>, sums: &mut Vec<_>| {
///     *sum += input.iter().sum::<u64>();
///     sums.push((step.frame, *sum));
/// })?;
/// for n in 1..=100 {
///     worker.input().push(n);
///     worker.send()?;
///     if let Some(sums) = worker.receive() {
///         assert!(sums.iter().all(|&(frame, sum)| sum == frame * (frame + 1) / 2));
///     }
/// }
/// let (sum, _) = worker.join()?;
/// assert_eq!(sum, 5050);
/// # Ok::<(), impinge::Error>(())
/// ```
pub struct Worker<S, I, O> {
    input: Writer<Parcel<I>>,
    output: Reader<Parcel<O>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<S, String>>>,
    counters: Counters,
}

impl<S, I, O> Worker<S, I, O>
where
    S: Send + 'static,
    I: Merge + Send + 'static,
    O: Merge + Send + 'static,
{
    /// Starts a thread called `name` that runs `step` on `state` whenever there is new input.
    ///
    /// The step reads the input (what it leaves in there is dropped) and writes its report into an
    /// empty output. If it panics, the thread ends and every later call that can fail says so; the
    /// state is lost.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the system does not start a thread.
    pub fn spawn<F>(name: &str, state: S, step: F) -> Result<Self, Error>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) + Send + 'static,
    {
        let (input, theirs) = latest();
        let (ours, output) = latest();
        let shared = Arc::new(Shared { request: AtomicU8::new(RUN), failure: OnceLock::new() });
        let side = Side { input: theirs, output: ours, shared: Arc::clone(&shared) };
        // A name with a zero byte is one that `spawn` would panic at.
        let thread = Builder::new()
            .name(name.replace('\0', ""))
            .spawn(move || side.guarded(state, step))
            .map_err(|error| {
                let message = format!("the thread {name:?} could not be started: {error}");
                Error::new(ErrorKind::Thread, message).with_source(error)
            })?;
        Ok(Self { input, output, shared, thread: Some(thread), counters: Counters::default() })
    }

    /// The buffer that the next [`send`](Self::send) hands over. Empty after each.
    #[must_use]
    pub fn input(&mut self) -> &mut I {
        &mut self.input.value_mut().content
    }

    /// Hands the input to the thread as one frame, and gives the number of that frame: 1, 2, 3 and
    /// so on. Never waits.
    ///
    /// If the thread has not taken the frame before, the two become one input. An empty input is a
    /// frame as well.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the thread has ended by a panic; then the input is dropped, and
    /// counted.
    pub fn send(&mut self) -> Result<u64, Error> {
        if let Err(error) = self.check() {
            self.input.value_mut().clear();
            self.counters.dropped += 1;
            return Err(error);
        }
        self.counters.sent += 1;
        let parcel = self.input.value_mut();
        (parcel.frame, parcel.frames) = (self.counters.sent, 1);
        if self.input.publish_merged() {
            self.counters.merged += 1;
        }
        self.wake();
        Ok(self.counters.sent)
    }

    /// What was reported since the last call, or `None` if nothing was. Never waits.
    pub fn receive(&mut self) -> Option<&mut O> {
        if !self.output.update() {
            return None;
        }
        let parcel = self.output.value_mut();
        self.counters.detected = parcel.frame;
        self.counters.steps += parcel.steps;
        self.counters.received += 1;
        self.counters.reports_merged += parcel.steps - 1;
        Some(&mut parcel.content)
    }

    /// What [`receive`](Self::receive) gave last; before the first time, an empty buffer.
    #[must_use]
    pub fn last(&self) -> &O {
        &self.output.value().content
    }

    /// How well the thread keeps up.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the thread is alive and well.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if it has ended by a panic, with what the panic said.
    pub fn check(&self) -> Result<(), Error> {
        self.shared.failure.get().map_or(Ok(()), |message| Err(panicked(message)))
    }

    /// Sends the input if there is something in it, waits until the thread has done everything that
    /// was sent, ends it, and gives its state and what was reported since the last
    /// [`receive`](Self::receive).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the thread has ended by a panic, with what the panic said.
    pub fn join(mut self) -> Result<(S, O), Error> {
        if !self.input.value().is_empty() {
            self.send()?;
        }
        self.shared.request.store(FINISH, Ordering::Release);
        self.wake();
        // There is a thread: only this function and `drop` take it, and both come last.
        let ended = self.thread.take().map(JoinHandle::join);
        match ended {
            Some(Ok(Ok(state))) => Ok((state, self.receive().map(mem::take).unwrap_or_default())),
            Some(Ok(Err(message))) => Err(panicked(&message)),
            Some(Err(payload)) => Err(panicked(&said(&*payload))),
            None => Err(panicked("it has already ended")),
        }
    }
}

impl<S, I, O> Worker<S, I, O> {
    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl<S, I, O> Drop for Worker<S, I, O> {
    fn drop(&mut self) {
        // After `join` nobody listens any more.
        self.shared.request.store(QUIT, Ordering::Release);
        self.wake();
    }
}

impl<S, I: fmt::Debug, O: fmt::Debug> fmt::Debug for Worker<S, I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("input", &self.input)
            .field("output", &self.output)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

/// The thread's side.
struct Side<I, O> {
    input: Reader<Parcel<I>>,
    output: Writer<Parcel<O>>,
    shared: Arc<Shared>,
}

impl<I: Merge, O: Merge> Side<I, O> {
    /// Runs until asked to end, and gives the state, or what a panic said.
    fn guarded<S, F>(mut self, mut state: S, mut step: F) -> Result<S, String>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O),
    {
        // After a panic nobody sees the state, the input or the output again.
        let run = AssertUnwindSafe(|| self.run(&mut state, &mut step));
        match catch_unwind(run) {
            Ok(()) => Ok(state),
            Err(payload) => {
                let message = said(&*payload);
                // Set here only.
                let _ = self.shared.failure.set(message.clone());
                Err(message)
            }
        }
    }

    fn run<S, F>(&mut self, state: &mut S, step: &mut F)
    where
        F: FnMut(&mut S, Step, &mut I, &mut O),
    {
        loop {
            let request = self.shared.request.load(Ordering::Acquire);
            if request == QUIT {
                return;
            }
            if self.input.update() {
                self.step(state, step);
            } else if request == FINISH {
                return;
            } else {
                park();
            }
        }
    }

    fn step<S, F>(&mut self, state: &mut S, step: &mut F)
    where
        F: FnMut(&mut S, Step, &mut I, &mut O),
    {
        let input = self.input.value_mut();
        let output = self.output.value_mut();
        let about = Step { frame: input.frame, frames: input.frames };
        (output.frame, output.frames, output.steps) = (about.frame, about.frames, 1);
        step(state, about, &mut input.content, &mut output.content);
        // On this thread, so that the application need not drop what it sent.
        input.clear();
        self.output.publish_merged();
    }
}

fn panicked(message: &str) -> Error {
    let message = format!(
        "the detection thread panicked: {message}; its state is lost, so start again with a new one"
    );
    Error::new(ErrorKind::Thread, message)
}

/// What a panic said, if it said something in words.
fn said(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "without words".to_owned()
    }
}
