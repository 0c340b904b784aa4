//! The detection thread, beside an application that never waits for it.
//!
//! The loop of Zachmann (1994), section 6.4: sleep while the buffer is empty, otherwise swap and
//! process. The application's calls have bounded numbers of steps (fill a buffer, exchange a byte,
//! unpark a thread); the only one that waits is [`Worker::join`].
//!
//! **No lost wake-up.** The application publishes, then unparks; the thread checks for input, then
//! parks. If it checks before the publication and parks after the `unpark`, the token of `unpark`
//! ends the `park` at once; and writes before an `unpark` are visible after the `park` that it
//! ends. **No lost input at the end.** The request to finish is stored (release) after the last
//! publication, and the thread loads it (acquire) before it checks for input: if it sees the
//! request, it sees the publication.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::latest::{Reader, Writer, latest};
use super::merge::Merge;
use super::sync::{Arc, AtomicU8, Builder, JoinHandle, Ordering, park};
use crate::{Error, ErrorKind};

/// Values of [`Shared::request`].
const RUN: u8 = 0;
const FINISH: u8 = 1;
const QUIT: u8 = 2;

struct Shared {
    /// The application's request: continue, process everything that was sent and end, or end after
    /// the current step.
    request: AtomicU8,
    /// The message of the panic that ended the thread.
    failure: OnceLock<String>,
}

/// A thread that could not be started, with the state that it was to own.
pub struct SpawnError<S> {
    error: Error,
    state: Box<S>,
}

impl<S> SpawnError<S> {
    /// An error with the state that could not be moved to a thread.
    #[must_use]
    pub fn new(error: Error, state: S) -> Self {
        Self { error, state: Box::new(state) }
    }

    /// The cause.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The unchanged state.
    #[must_use]
    pub fn into_state(self) -> S {
        *self.state
    }

    /// The same with the state changed by `map`.
    #[must_use]
    pub fn map_state(self, map: impl FnOnce(S) -> S) -> Self {
        Self { state: Box::new(map(*self.state)), ..self }
    }
}

impl<S> fmt::Display for SpawnError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<S> fmt::Debug for SpawnError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnError").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<S> std::error::Error for SpawnError<S> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// Drops the state.
impl<S> From<SpawnError<S>> for Error {
    fn from(failed: SpawnError<S>) -> Self {
        failed.error
    }
}

/// A buffer that is sent, with the frames and steps that it contains.
#[derive(Debug, Default)]
struct Packet<T> {
    content: T,
    /// The newest frame of the application in it.
    frame: u64,
    /// The number of frames of the application in it.
    frames: u64,
    /// The number of steps of the thread in it; zero for input.
    steps: u64,
}

impl<T: Merge> Merge for Packet<T> {
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

/// The input of a step of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The newest frame of the application in the input.
    pub frame: u64,
    /// The number of frames in the input: more than one if the thread was slower than the
    /// application, none if the step [continues](Next::Continue) the one before.
    pub frames: u64,
}

/// What the thread does after a step, as long as there is no new input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// It waits for input.
    #[default]
    Wait,
    /// It makes another step, with empty input that contains no frame.
    Continue,
}

impl From<()> for Next {
    fn from((): ()) -> Self {
        Self::Wait
    }
}

/// Counts of frames and reports, from the application's side.
///
/// Every frame that was sent is in exactly one step; a step may contain several frames, or none if
/// it continues the step before. Every step is in exactly one report that is received; a report may
/// contain several steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames sent to the thread; also the number of the newest.
    pub sent: u64,
    /// Frames that were merged with an earlier one that the thread had not taken.
    pub merged: u64,
    /// Frames that were not sent because the thread had panicked; their content was dropped.
    pub dropped: u64,
    /// The newest frame with a received report.
    pub detected: u64,
    /// Steps with a received report.
    pub steps: u64,
    /// Reports received.
    pub received: u64,
    /// Steps whose report was merged with an earlier one that the application had not received.
    pub reports_merged: u64,
}

impl Counters {
    /// The number of frames between the newest sent frame and the newest with a received report.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.sent - self.detected
    }
}

/// A thread that owns a state `S`, takes the newest input `I`, and sends reports `O`.
///
/// Dropping it requests that the thread ends after its current step, and does not wait for that;
/// input that was not taken yet is not processed. [`join`](Self::join) waits and processes all
/// input.
///
/// ```
/// use impinge::internals::exchange::{Step, Worker};
///
/// // Adds up the numbers it is sent.
/// let step = |sum: &mut u64, step: Step, input: &mut Vec<u64>, sums: &mut Vec<_>| {
///     *sum += input.iter().sum::<u64>();
///     sums.push((step.frame, *sum));
/// };
/// let mut worker = Worker::spawn("adder", 0, step)?;
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
    input: Writer<Packet<I>>,
    output: Reader<Packet<O>>,
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
    /// The step reads the input (its remaining content is dropped) and writes its report into an
    /// empty output. If it panics, the thread ends, every later call that can fail returns an
    /// error, and the state is lost.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the system does not start a thread; the error holds the state.
    pub fn spawn<F>(name: &str, state: S, mut step: F) -> Result<Self, SpawnError<S>>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) + Send + 'static,
    {
        Self::spawn_continuing(
            name,
            state,
            move |state: &mut S, info, input: &mut I, output: &mut O| {
                step(state, info, input, output);
                Next::Wait
            },
        )
    }

    /// As [`Worker::spawn`], with a step that is run again without input as long as it returns
    /// [`Next::Continue`].
    ///
    /// # Errors
    ///
    /// As [`Worker::spawn`].
    pub fn spawn_continuing<F>(name: &str, state: S, step: F) -> Result<Self, SpawnError<S>>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) -> Next + Send + 'static,
    {
        // `spawn` panics if a name contains a zero byte.
        Self::spawn_by(Builder::new().name(name.replace('\0', "")), name, state, step)
    }

    /// As [`Worker::spawn`], with a thread builder.
    pub(super) fn spawn_by<F, R>(
        builder: Builder,
        name: &str,
        state: S,
        step: F,
    ) -> Result<Self, SpawnError<S>>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) -> R + Send + 'static,
        R: Into<Next>,
    {
        let (input, thread_input) = latest();
        let (thread_output, output) = latest();
        let shared = Arc::new(Shared { request: AtomicU8::new(RUN), failure: OnceLock::new() });
        let shared_clone = Arc::clone(&shared);
        let side = ThreadSide {
            input: thread_input,
            output: thread_output,
            shared: shared_clone,
            frame: 0,
        };
        // The thread takes the state from here. If the thread does not start, this function does.
        let state = Arc::new(Mutex::new(Some(state)));
        let thread_state = Arc::clone(&state);
        let take = |state: &Mutex<Option<S>>| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.take().expect("the state is taken once")
        };
        let run = move || side.run_and_catch(take(&thread_state), step);
        match builder.spawn(run) {
            Ok(thread) => {
                let counters = Counters::default();
                Ok(Self { input, output, shared, thread: Some(thread), counters })
            }
            Err(error) => {
                let message = format!("the thread {name:?} could not be started: {error}");
                let error = Error::new(ErrorKind::Thread, message).with_source(error);
                Err(SpawnError::new(error, take(&state)))
            }
        }
    }

    /// The buffer that the next [`send`](Self::send) sends. Empty after each.
    #[must_use]
    pub fn input(&mut self) -> &mut I {
        &mut self.input.value_mut().content
    }

    /// Sends the input to the thread as one frame, and returns the number of that frame: 1, 2, 3
    /// and so on. Never waits.
    ///
    /// If the thread has not taken the frame before, the two are merged into one input. An empty
    /// input is also a frame.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the thread has panicked; then the input is dropped and counted.
    pub fn send(&mut self) -> Result<u64, Error> {
        if let Err(error) = self.check() {
            self.input.value_mut().clear();
            self.counters.dropped += 1;
            return Err(error);
        }
        self.counters.sent += 1;
        let packet = self.input.value_mut();
        (packet.frame, packet.frames) = (self.counters.sent, 1);
        if self.input.publish_merged() {
            self.counters.merged += 1;
        }
        self.wake();
        Ok(self.counters.sent)
    }

    /// The reports since the last call, or `None` if there are none. Never waits.
    pub fn receive(&mut self) -> Option<&mut O> {
        if !self.output.update() {
            return None;
        }
        let packet = self.output.value_mut();
        self.counters.detected = packet.frame;
        self.counters.steps += packet.steps;
        self.counters.received += 1;
        self.counters.reports_merged += packet.steps - 1;
        Some(&mut packet.content)
    }

    /// The last result of [`receive`](Self::receive); before the first, an empty buffer.
    #[must_use]
    pub fn last(&self) -> &O {
        &self.output.value().content
    }

    /// Counts of frames and reports.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the thread has not panicked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if it has ended by a panic, with the message of the panic.
    pub fn check(&self) -> Result<(), Error> {
        self.shared.failure.get().map_or(Ok(()), |message| Err(panicked(message)))
    }

    /// Sends the input if it is not empty, waits until the thread has processed all frames, ends
    /// it, and returns its state and the reports since the last [`receive`](Self::receive).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Thread`] if the thread has ended by a panic, with the message of the panic.
    pub fn join(mut self) -> Result<(S, O), Error> {
        if !self.input.value().is_empty() {
            self.send()?;
        }
        self.shared.request.store(FINISH, Ordering::Release);
        self.wake();
        // There is a thread: only this function and `drop` take it, and both are the last call.
        let ended = self.thread.take().map(JoinHandle::join);
        match ended {
            Some(Ok(Ok(state))) => Ok((state, self.receive().map(mem::take).unwrap_or_default())),
            Some(Ok(Err(message))) => Err(panicked(&message)),
            Some(Err(payload)) => Err(panicked(&panic_message(&*payload))),
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
        // After `join` there is no thread, and this has no effect.
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

/// The state of the thread's loop.
struct ThreadSide<I, O> {
    input: Reader<Packet<I>>,
    output: Writer<Packet<O>>,
    shared: Arc<Shared>,
    /// The newest frame of the application that a step had.
    frame: u64,
}

impl<I: Merge, O: Merge> ThreadSide<I, O> {
    /// Runs until the application requests the end, and returns the state, or the message of a
    /// panic.
    fn run_and_catch<S, F, R>(mut self, mut state: S, mut step: F) -> Result<S, String>
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) -> R,
        R: Into<Next>,
    {
        // After a panic no code accesses the state, the input or the output.
        let run = AssertUnwindSafe(|| self.run(&mut state, &mut step));
        match catch_unwind(run) {
            Ok(()) => Ok(state),
            Err(payload) => {
                let message = panic_message(&*payload);
                // This is the only place that sets it.
                let _ = self.shared.failure.set(message.clone());
                Err(message)
            }
        }
    }

    fn run<S, F, R>(&mut self, state: &mut S, step: &mut F)
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) -> R,
        R: Into<Next>,
    {
        let mut next = Next::Wait;
        loop {
            let request = self.shared.request.load(Ordering::Acquire);
            if request == QUIT {
                return;
            }
            if self.input.update() {
                let Packet { frame, frames, .. } = *self.input.value();
                self.frame = frame;
                next = self.step(state, step, frames);
            } else if request == FINISH {
                return;
            } else if next == Next::Continue {
                next = self.step(state, step, 0);
            } else {
                park();
            }
        }
    }

    fn step<S, F, R>(&mut self, state: &mut S, step: &mut F, frames: u64) -> Next
    where
        F: FnMut(&mut S, Step, &mut I, &mut O) -> R,
        R: Into<Next>,
    {
        let input = self.input.value_mut();
        let output = self.output.value_mut();
        let info = Step { frame: self.frame, frames };
        (output.frame, output.frames, output.steps) = (info.frame, info.frames, 1);
        let next = step(state, info, &mut input.content, &mut output.content).into();
        // On this thread, so that the application does not spend time on dropping input.
        input.clear();
        self.output.publish_merged();
        next
    }
}

fn panicked(message: &str) -> Error {
    let message =
        format!("the detection thread panicked: {message}; its state is lost, start a new one");
    Error::new(ErrorKind::Thread, message)
}

/// The message of a panic, if it is a text.
fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "without a message".to_owned()
    }
}
