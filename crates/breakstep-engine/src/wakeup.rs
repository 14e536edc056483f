//! How late this host wakes a thread: one that sleeps from instant to instant and does nothing else.
//!
//! Every planned instant counts, also those that passed while the thread still slept: a request
//! meant to start then would have been that late. A stall is thus as many late instants as it was
//! long, and one late *event*.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::{io, thread};

use hdrhistogram::Histogram;
use rustix::thread::{CpuSet, clock_nanosleep_absolute, sched_setaffinity};
use rustix::time::ClockId;

use crate::clock::Clock;
use crate::tally::new_histogram;
use crate::timer::set_timer_slack_minimal;

/// Planned instants lie this far apart, ns.
pub const INTERVAL_NS: u64 = 1_000_000;

/// Late events kept for each core; the oldest make room.
pub const EVENTS_MAX: usize = 4096;

/// After a longer sleep the plan starts afresh: the machine itself was stopped. A minute.
const INSTANTS_MAX: u64 = 60_000;

/// A wake-up that was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateWake {
    /// The planned instant, ns since 1970.
    pub planned_wall_ns: u64,
    /// How late it was, ns.
    pub late_ns: u64,
}

/// What the thread of one core saw since the last take.
#[derive(Clone, Debug)]
pub struct WakeSample {
    /// Its core; None where the kernel chooses.
    pub core: Option<usize>,
    /// Lateness of every planned instant, ns.
    pub lateness: Histogram<u64>,
    /// The latest late events, in order of time.
    pub events: VecDeque<LateWake>,
    /// Events that had to make room.
    pub forgotten: u64,
}

impl WakeSample {
    fn new(core: Option<usize>) -> Self {
        let events = VecDeque::with_capacity(EVENTS_MAX);
        Self { core, lateness: new_histogram(), events, forgotten: 0 }
    }

    /// Adds the instants from `planned_ns` to `now_ns`; returns the next one to sleep to.
    fn record(&mut self, planned_ns: u64, now_ns: u64, probe: &Plan) -> u64 {
        let late_ns = now_ns.saturating_sub(planned_ns);
        if late_ns >= probe.late_ns {
            self.remember(LateWake {
                planned_wall_ns: probe.clock.epoch_wall_ns() + planned_ns,
                late_ns,
            });
        }
        let passed = 1 + late_ns / INTERVAL_NS;
        for instant in 0..passed.min(INSTANTS_MAX) {
            self.lateness.saturating_record(late_ns - instant * INTERVAL_NS);
        }
        planned_ns + passed * INTERVAL_NS
    }

    fn remember(&mut self, event: LateWake) {
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
            self.forgotten += 1;
        }
        self.events.push_back(event);
    }
}

/// What the threads share.
#[derive(Clone, Copy, Debug)]
struct Plan {
    clock: Clock,
    /// From this lateness on a wake-up is an event, ns.
    late_ns: u64,
}

/// Threads that sleep, one for each core.
#[derive(Debug)]
pub struct WakeProbe {
    sleepers: Vec<Sleeper>,
}

#[derive(Debug)]
struct Sleeper {
    core: Option<usize>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    stopping: AtomicBool,
    sample: Mutex<WakeSample>,
}

impl Shared {
    fn sample(&self) -> MutexGuard<'_, WakeSample> {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WakeProbe {
    /// Starts a thread pinned to each of `cores`, or a single one where the kernel likes.
    ///
    /// # Errors
    /// The system refuses a thread or a core.
    pub fn start(cores: &[usize], late_ns: u64) -> io::Result<Self> {
        let plan = Plan { clock: Clock::start(), late_ns };
        let cores: Vec<_> = match cores {
            [] => vec![None],
            cores => cores.iter().copied().map(Some).collect(),
        };
        let sleepers = cores.into_iter().map(|core| Sleeper::start(core, plan));
        Ok(Self { sleepers: sleepers.collect::<Result<_, _>>()? })
    }

    /// What was seen since the last take, by core.
    pub fn take(&self) -> Vec<WakeSample> {
        self.sleepers.iter().map(Sleeper::take).collect()
    }
}

impl Sleeper {
    fn start(core: Option<usize>, plan: Plan) -> io::Result<Self> {
        let sample = Mutex::new(WakeSample::new(core));
        let shared = Arc::new(Shared { stopping: AtomicBool::new(false), sample });
        let (ready, is_ready) = channel();
        let body = {
            let shared = shared.clone();
            move || sleep_on(core, plan, &shared, &ready)
        };
        let name = core.map_or_else(|| "wake".to_owned(), |core| format!("wake-{core}"));
        let thread = thread::Builder::new().name(name).spawn(body)?;
        // Made before the answer, so that a refused thread is joined as well.
        let sleeper = Self { core, shared, thread: Some(thread) };
        is_ready.recv().unwrap_or_else(|gone| Err(io::Error::other(gone)))?;
        Ok(sleeper)
    }

    fn take(&self) -> WakeSample {
        // Made before the lock: the sleeper must never wait for an allocation.
        let fresh = WakeSample::new(self.core);
        std::mem::replace(&mut *self.shared.sample(), fresh)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

fn sleep_on(core: Option<usize>, plan: Plan, shared: &Shared, ready: &Sender<io::Result<()>>) {
    let prepared = prepare(core);
    let refused = prepared.is_err();
    // The starter waits for this, so it is there to hear it.
    let _ = ready.send(prepared);
    if refused {
        return;
    }
    let mut planned_ns = plan.clock.now_ns() + INTERVAL_NS;
    while !shared.stopping.load(Ordering::Relaxed) {
        // An early return (a signal) is harmless: the loop sleeps on.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &plan.clock.monotonic(planned_ns));
        let now_ns = plan.clock.now_ns();
        if now_ns >= planned_ns {
            planned_ns = shared.sample().record(planned_ns, now_ns, &plan);
        }
    }
}

fn prepare(core: Option<usize>) -> io::Result<()> {
    if let Some(core) = core {
        let mut cores = CpuSet::new();
        cores.set(core);
        sched_setaffinity(None, &cores)?;
    }
    set_timer_slack_minimal()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan { clock: Clock::start(), late_ns: INTERVAL_NS }
    }

    #[test]
    fn a_stall_is_as_many_late_instants_as_it_was_long_and_one_event() {
        let mut sample = WakeSample::new(None);
        let next_ns = sample.record(5_000_000, 8_400_000, &plan());
        assert_eq!(next_ns, 9_000_000);
        assert_eq!(sample.lateness.len(), 4);
        assert_eq!(sample.lateness.count_between(0, 1_000_000), 1);
        assert_eq!(sample.events.len(), 1);
        assert_eq!(sample.events[0].late_ns, 3_400_000);
    }

    #[test]
    fn a_wake_up_in_time_is_no_event() {
        let mut sample = WakeSample::new(None);
        assert_eq!(sample.record(5_000_000, 5_080_000, &plan()), 6_000_000);
        assert_eq!((sample.lateness.len(), sample.events.len()), (1, 0));
    }

    #[test]
    fn the_latest_events_are_kept() {
        let mut sample = WakeSample::new(None);
        let plan = plan();
        for n in 0..EVENTS_MAX as u64 + 3 {
            sample.record(n * 10 * INTERVAL_NS, (n * 10 + 2) * INTERVAL_NS, &plan);
        }
        assert_eq!((sample.events.len(), sample.forgotten), (EVENTS_MAX, 3));
        let first_ns = sample.events[0].planned_wall_ns - plan.clock.epoch_wall_ns();
        assert_eq!(first_ns, 30 * INTERVAL_NS);
    }

    #[test]
    fn a_stopped_machine_does_not_fill_the_histogram() {
        let mut sample = WakeSample::new(None);
        let day_ns = 86_400_000_000_000;
        assert!(sample.record(0, day_ns, &plan()) > day_ns);
        assert_eq!(sample.lateness.len(), INSTANTS_MAX);
    }

    #[test]
    fn a_core_that_does_not_exist_is_refused() {
        assert!(WakeProbe::start(&[CpuSet::MAX_CPU - 1], INTERVAL_NS).is_err());
    }

    #[test]
    fn instants_are_counted_and_taken_once() -> io::Result<()> {
        let probe = WakeProbe::start(&[], INTERVAL_NS)?;
        let mut counted = 0;
        while counted < 50 {
            thread::sleep(std::time::Duration::from_millis(10));
            counted += probe.take()[0].lateness.len();
        }
        let clock = Clock::start();
        assert!(probe.take()[0].lateness.len() <= 2 + clock.now_ns() / INTERVAL_NS + 50);
        Ok(())
    }
}
