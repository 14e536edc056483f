//! A worker's thread: waits for the next intended start, and hands over what was recorded.

use std::io;
use std::rc::Rc;
use std::sync::mpsc::Sender;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::LocalSet;

use crate::recorder::Delta;
use crate::schedule::Segment;
use crate::timer::Timer;
use crate::worker::Worker;

/// What the engine tells a worker.
pub(crate) enum Command {
    Append(Segment),
    Cut(u64),
    GoodWithin(u64),
    Stop,
}

/// Runs a worker to its end on the calling thread.
pub(crate) fn run(
    worker: impl FnOnce() -> Rc<Worker>,
    commands: UnboundedReceiver<Command>,
    deltas: &Sender<Vec<Delta>>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    LocalSet::new().block_on(&runtime, pace(worker(), commands, deltas))
}

async fn pace(
    worker: Rc<Worker>,
    mut commands: UnboundedReceiver<Command>,
    deltas: &Sender<Vec<Delta>>,
) -> io::Result<()> {
    let timer = Timer::new(worker.clock, worker.policy.spin)?;
    loop {
        let now_ns = worker.clock.now_ns();
        if worker.tick(now_ns) {
            // What was started is sent before anything else is done: setting a timer is slow.
            tokio::task::yield_now().await;
        }
        if let Some(recorded) = worker.hand_over(now_ns) {
            // Nobody listens any more only when the engine is being dropped.
            let _ = deltas.send(recorded);
        }
        tokio::select! {
            biased;
            command = commands.recv() => if !obey(&worker, command) {
                let _ = deltas.send(worker.hand_over_rest());
                return Ok(());
            },
            () = worker.look_again.notified() => {}
            waited = timer.wait_until(worker.next_wake_ns(now_ns), worker.busy()) => waited?,
        }
    }
}

/// Returns whether the worker goes on.
#[expect(clippy::needless_pass_by_value, reason = "a command is used up by obeying it")]
fn obey(worker: &Worker, command: Option<Command>) -> bool {
    match command {
        Some(Command::Append(segment)) => worker.append(segment),
        Some(Command::Cut(at_ns)) => worker.cut(at_ns),
        Some(Command::GoodWithin(bound_ns)) => worker.set_good_within(bound_ns),
        Some(Command::Stop) | None => return false,
    }
    true
}
