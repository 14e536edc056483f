//! The engine: worker threads, the commands to them and what they hand over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use rustix::thread::{CpuSet, sched_setaffinity};
use rustls::pki_types::ServerName;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::clock::Clock;
use crate::mix::{self, Mix, Request};
use crate::pacer::{self, Command};
use crate::recorder::{Delta, Recorder};
use crate::schedule::{Load, Schedule, Segment};
use crate::timer::set_timer_slack_minimal;
use crate::tls::{self, Trust};
use crate::transport::{Address, Transport};
use crate::worker::{Policy, Worker};

/// A cut lies this far ahead, so that every worker hears of it before its time.
const CUT_NOTICE_NS: u64 = 10_000_000;

/// No machine sends more: beyond this a schedule would only keep the worker busy drawing it.
pub const HIGHEST_PER_S: f64 = 1e7;

/// What fixes the load generator.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the load goes.
    pub address: Address,
    /// What arrivals perform: one of these.
    pub requests: Vec<Request>,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
    /// Name to verify and whom to trust, for TLS.
    pub tls: Option<(String, Trust)>,
    /// Threads.
    pub workers: usize,
    /// The core of each worker, in turn; empty leaves it to the kernel.
    pub pin: Vec<usize>,
    /// Whether workers spin over the last stretch before an intended start.
    pub spin: bool,
    /// Connections of all workers together, at most.
    pub max_in_flight: usize,
    /// An arrival has ended this long after its intended start.
    pub timeout_ns: u64,
    /// The response time up to which an ok response counts as good.
    pub good_within_ns: Option<u64>,
}

/// Why the engine cannot do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A value of the configuration makes no sense.
    #[error("{0}")]
    Config(String),
    /// The segment begins before the last one ends, has no length, or a rate beyond reason.
    #[error(
        "a segment must have a length, start at or after {earliest_ns} ns, and offer at most \
         {HIGHEST_PER_S} arrivals a second"
    )]
    Segment {
        /// The end of the last segment.
        earliest_ns: u64,
    },
    /// The system refused a thread, a timer or a core.
    #[error("worker {worker}: {source}")]
    Worker {
        /// Its number.
        worker: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// A worker's thread panicked.
    #[error("worker {0} died; this is a bug in breakstep")]
    Died(usize),
}

/// Worker threads that offer segments of load to one address.
#[derive(Debug)]
pub struct Engine {
    clock: Clock,
    workers: Vec<Handle>,
    /// In a mutex to make the engine `Sync`; every use has it to itself and locks nothing.
    deltas: Mutex<Receiver<Vec<Delta>>>,
    segments: u32,
    earliest_ns: u64,
}

#[derive(Debug)]
struct Handle {
    commands: UnboundedSender<Command>,
    in_flight: Arc<AtomicU64>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Engine {
    /// Starts the workers; the clock's zero is now.
    pub fn start(config: &Config) -> Result<Self, EngineError> {
        check(config)?;
        let clock = Clock::start();
        let (sender, deltas) = channel();
        let workers = (0..config.workers)
            .map(|worker| Handle::start(worker, clock, config, sender.clone()))
            .collect::<Result<_, _>>()?;
        let deltas = Mutex::new(deltas);
        Ok(Self { clock, workers, deltas, segments: 0, earliest_ns: 0 })
    }

    /// The run's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Adds load after the last segment; returns its number, from 0.
    pub fn append(&mut self, segment: Segment) -> Result<u32, EngineError> {
        if segment.start_ns < self.earliest_ns || segment.duration_ns == 0 || !sound(&segment.load)
        {
            return Err(EngineError::Segment { earliest_ns: self.earliest_ns });
        }
        self.earliest_ns = segment.end_ns();
        self.tell(|| Command::Append(segment));
        self.segments += 1;
        Ok(self.segments - 1)
    }

    /// Ends all load in a moment, at the instant returned; what was due is still finished.
    pub fn cut(&mut self) -> u64 {
        let at_ns = self.clock.now_ns() + CUT_NOTICE_NS;
        self.earliest_ns = self.earliest_ns.min(at_ns);
        self.tell(|| Command::Cut(at_ns));
        at_ns
    }

    /// Changes the bound on good responses, for completions from now on.
    pub fn set_good_within(&self, good_within_ns: Option<u64>) {
        self.tell(|| Command::GoodWithin(good_within_ns.unwrap_or(u64::MAX)));
    }

    /// Arrivals due and not finished, those waiting for a connection included.
    pub fn in_flight(&self) -> u64 {
        self.workers.iter().map(|worker| worker.in_flight.load(Ordering::Relaxed)).sum()
    }

    /// What the workers handed over; waits up to `wait` for the first.
    pub fn drain(&mut self, wait: Duration) -> Result<Vec<Delta>, EngineError> {
        // A disconnected channel means that every worker has ended: the next line finds out why.
        let first = self.handed_over().recv_timeout(wait).unwrap_or_default();
        if let Some(worker) = self.workers.iter().position(Handle::has_ended) {
            return Err(self.workers[worker].reason(worker));
        }
        Ok(first.into_iter().chain(self.handed_over().try_iter().flatten()).collect())
    }

    /// Stops at once; what is unfinished counts for nothing. Returns the last hand-over.
    pub fn stop(&mut self) -> Vec<Delta> {
        self.tell(|| Command::Stop);
        for worker in &mut self.workers {
            if let Some(thread) = worker.thread.take() {
                // A worker that failed has nothing more to say.
                let _ = thread.join();
            }
        }
        self.handed_over().try_iter().flatten().collect()
    }

    fn handed_over(&mut self) -> &Receiver<Vec<Delta>> {
        self.deltas.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, command: impl Fn() -> Command) {
        for worker in &self.workers {
            // A worker that has ended is reported by drain.
            let _ = worker.commands.send(command());
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Handle {
    fn start(
        worker: usize,
        clock: Clock,
        config: &Config,
        deltas: Sender<Vec<Delta>>,
    ) -> Result<Self, EngineError> {
        let (commands, receiver) = unbounded_channel();
        let in_flight = Arc::new(AtomicU64::new(0));
        let core = (!config.pin.is_empty()).then(|| config.pin[worker % config.pin.len()]);
        let make = worker_maker(worker, clock, config, in_flight.clone())?;
        let body = move || work(core, make, receiver, &deltas);
        let thread = thread::Builder::new()
            .name(format!("breakstep-{worker}"))
            .spawn(body)
            .map_err(|source| EngineError::Worker { worker, source })?;
        Ok(Self { commands, in_flight, thread: Some(thread) })
    }

    fn has_ended(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    fn reason(&mut self, worker: usize) -> EngineError {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(source))) => EngineError::Worker { worker, source },
            _ => EngineError::Died(worker),
        }
    }
}

fn work(
    core: Option<usize>,
    make: impl FnOnce() -> std::rc::Rc<Worker>,
    commands: UnboundedReceiver<Command>,
    deltas: &Sender<Vec<Delta>>,
) -> io::Result<()> {
    if let Some(core) = core {
        let mut cores = CpuSet::new();
        cores.set(core);
        sched_setaffinity(None, &cores)?;
    }
    set_timer_slack_minimal()?;
    pacer::run(make, commands, deltas)
}

/// A worker is made on its own thread: it is not `Send`, and it accounts for that thread's CPU.
fn worker_maker(
    worker: usize,
    clock: Clock,
    config: &Config,
    in_flight: Arc<AtomicU64>,
) -> Result<impl FnOnce() -> std::rc::Rc<Worker> + Send + use<>, EngineError> {
    let workers = config.workers;
    let good_within_ns = config.good_within_ns.unwrap_or(u64::MAX);
    let policy = Policy {
        transport: transport(config)?,
        requests: config.requests.clone(),
        mix: Mix::new(&weights(config)),
        keep_alive: config.keep_alive,
        timeout_ns: config.timeout_ns,
        max_connections: share(config.max_in_flight, worker, workers),
        spin: config.spin,
    };
    Ok(move || {
        let schedule = Schedule::new(worker as u64, workers as u64);
        Worker::new(clock, policy, schedule, Recorder::new(worker, good_within_ns), in_flight)
    })
}

fn transport(config: &Config) -> Result<Transport, EngineError> {
    let tls = match &config.tls {
        None => None,
        Some((name, trust)) => {
            let bad_name = |_| EngineError::Config(format!("{name:?} is not a host name for TLS"));
            let name = ServerName::try_from(name.clone()).map_err(bad_name)?;
            Some((Arc::new(tls::client_config(trust).map_err(EngineError::Config)?), name))
        }
    };
    Ok(Transport { address: config.address.clone(), tls })
}

/// Worker `worker`'s part of a whole number divided among all.
fn share(whole: usize, worker: usize, workers: usize) -> usize {
    whole / workers + usize::from(worker < whole % workers)
}

fn weights(config: &Config) -> Vec<f64> {
    config.requests.iter().map(|request| request.weight).collect()
}

/// Whether a configuration makes sense; every fault is in the message, one a line.
pub fn check(config: &Config) -> Result<(), EngineError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let faults = [
        (config.workers == 0, "workers: at least 1".to_owned()),
        (
            config.max_in_flight < config.workers,
            "max_in_flight: at least one for each worker".to_owned(),
        ),
        (config.timeout_ns == 0, "timeout: above zero".to_owned()),
        (
            config.pin.iter().any(|core| *core >= CpuSet::MAX_CPU),
            format!("pin: this machine has cores 0 to {}", cores - 1),
        ),
    ];
    let faults = faults.into_iter().filter(|(bad, _)| *bad).map(|(_, text)| text);
    let faults: Vec<_> = faults.chain(mix::fault(&weights(config))).collect();
    if faults.is_empty() { Ok(()) } else { Err(EngineError::Config(faults.join("\n"))) }
}

fn sound(load: &Load) -> bool {
    match load {
        Load::Open { from_per_s, to_per_s, .. } => {
            let valid = 0.0..=HIGHEST_PER_S;
            valid.contains(from_per_s) && valid.contains(to_per_s)
        }
        Load::Closed { .. } => true,
    }
}
