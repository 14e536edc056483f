//! One worker: takes arrivals from the schedule when they are due and gives each to a connection.
//!
//! An arrival goes, in this order, to the connection that became idle last, to a new connection
//! while there are fewer than the cap, or into the queue, where it waits for the first connection
//! that comes free. Whatever happens, it has ended `timeout` after its intended start: as a
//! timeout if it was sent, as dropped if it never was.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;

use slab::Slab;
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::connection;
use crate::mix::{Mix, Request};
use crate::outcome::{Failure, Outcome};
use crate::recorder::{Arrival, Delta, Ending, Recorder};
use crate::schedule::{Schedule, Segment};
use crate::transport::Transport;

/// Late arrivals that one worker keeps waiting at most: 24 MB of them.
const QUEUE_MAX: usize = 1 << 20;

/// Arrivals closer together than this share one wake-up: a timed sleep costs about as much CPU.
const COALESCE_NS: u64 = 50_000;

/// Expired requests are looked for at most this often.
const SWEEP_NS: u64 = 1_000_000;

/// Bytes read at once.
const SCRATCH: usize = 64 * 1024;

/// What fixes a worker's behaviour.
pub(crate) struct Policy {
    pub(crate) transport: Transport,
    pub(crate) requests: Vec<Request>,
    pub(crate) mix: Mix,
    pub(crate) keep_alive: bool,
    pub(crate) timeout_ns: u64,
    pub(crate) max_connections: usize,
    pub(crate) spin: bool,
}

pub(crate) struct Worker {
    pub(crate) clock: Clock,
    pub(crate) policy: Policy,
    /// Where every connection reads into: responses are decoded at once and not kept.
    pub(crate) scratch: RefCell<Box<[u8]>>,
    state: RefCell<State>,
    /// Tells the pacer to look again before it had meant to.
    pub(crate) look_again: Notify,
    /// The intended start that the pacer waits for.
    awaited_ns: Cell<u64>,
    in_flight: Arc<AtomicU64>,
}

struct State {
    schedule: Schedule,
    recorder: Recorder,
    queue: VecDeque<Arrival>,
    /// Idle connections, the newest last; some may have closed meanwhile.
    idle: Vec<Rc<Slot>>,
    slots: Slab<Rc<Slot>>,
    earliest_deadline_ns: u64,
}

/// What the worker knows of a connection.
///
/// | phase | assign | finish, more to do | finish, nothing to do | close |
/// |---|---|---|---|---|
/// | Busy | – | Busy | Idle | Closed |
/// | Idle | Busy | – | – | Closed |
#[derive(Default)]
pub(crate) struct Slot {
    key: Cell<usize>,
    phase: Cell<Phase>,
    assigned: Cell<Option<Arrival>>,
    deadline_ns: Cell<u64>,
    expired: Cell<bool>,
    waker: OnceCell<Waker>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Busy,
    Idle,
    Closed,
}

impl Slot {
    /// Takes the arrival that was assigned while idle.
    pub(crate) fn take_assigned(&self) -> Option<Arrival> {
        self.assigned.take()
    }

    /// Whether the arrival being performed has used up its time.
    pub(crate) fn expired(&self) -> bool {
        self.expired.get()
    }

    pub(crate) fn remember(&self, waker: &Waker) {
        // A task keeps its waker for life.
        let _ = self.waker.set(waker.clone());
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }
}

impl Worker {
    pub(crate) fn new(
        clock: Clock,
        policy: Policy,
        schedule: Schedule,
        recorder: Recorder,
        in_flight: Arc<AtomicU64>,
    ) -> Rc<Self> {
        let state = State {
            schedule,
            recorder,
            queue: VecDeque::with_capacity(1024),
            idle: Vec::with_capacity(64),
            slots: Slab::with_capacity(64),
            earliest_deadline_ns: u64::MAX,
        };
        Rc::new(Self {
            clock,
            policy,
            scratch: RefCell::new(vec![0; SCRATCH].into()),
            state: RefCell::new(state),
            look_again: Notify::new(),
            awaited_ns: Cell::new(0),
            in_flight,
        })
    }

    pub(crate) fn append(&self, segment: Segment) {
        let state = &mut *self.state.borrow_mut();
        state.schedule.append(segment);
        state.recorder.append(&segment, self.clock.now_ns());
    }

    pub(crate) fn cut(&self, at_ns: u64) {
        let state = &mut *self.state.borrow_mut();
        state.schedule.cut(at_ns);
        state.recorder.cut(at_ns);
    }

    pub(crate) fn set_good_within(&self, good_within_ns: u64) {
        self.state.borrow_mut().recorder.set_good_within(good_within_ns);
    }

    /// Starts what is due and ends what has used up its time. Returns whether anything was started.
    pub(crate) fn tick(self: &Rc<Self>, now_ns: u64) -> bool {
        self.expire(now_ns);
        self.drop_late(now_ns);
        let mut started = false;
        while let Some(arrival) = self.take_due(now_ns) {
            self.place(arrival);
            started = true;
        }
        self.state.borrow_mut().recorder.advance(now_ns);
        self.publish();
        started
    }

    /// Whether any arrival is in flight.
    pub(crate) fn busy(&self) -> bool {
        self.state.borrow().recorder.in_flight() > 0
    }

    /// What was recorded since the last time, once an interval has passed or the load is over.
    pub(crate) fn hand_over(&self, now_ns: u64) -> Option<Vec<Delta>> {
        self.state.borrow_mut().recorder.hand_over_if_due(now_ns)
    }

    /// What was recorded since the last time, and the end of it.
    pub(crate) fn hand_over_rest(&self) -> Vec<Delta> {
        let recorder = &mut self.state.borrow_mut().recorder;
        recorder.advance(self.clock.now_ns());
        recorder.hand_over()
    }

    /// When the pacer must look again at the latest.
    pub(crate) fn next_wake_ns(&self, now_ns: u64) -> u64 {
        let state = self.state.borrow();
        let coalesce_ns = if self.policy.spin { 0 } else { COALESCE_NS };
        let awaited_ns = state.schedule.next_ns().unwrap_or(u64::MAX);
        self.awaited_ns.set(awaited_ns);
        let due_ns = awaited_ns.max(now_ns + coalesce_ns);
        let queued_ns = state.queue.front().map_or(u64::MAX, |a| self.deadline_ns(a));
        let sweep_ns = state.earliest_deadline_ns.max(now_ns + SWEEP_NS);
        due_ns.min(queued_ns).min(sweep_ns).min(state.recorder.interval_end_ns())
    }

    pub(crate) fn connected(&self, arrival: &Arrival, took_ns: u64) {
        self.state.borrow_mut().recorder.connected(arrival.intended_ns, took_ns);
    }

    #[inline]
    pub(crate) fn sent(&self, arrival: &Arrival, at_ns: u64) {
        let recorder = &mut self.state.borrow_mut().recorder;
        let bytes = self.request_of(arrival).bytes.len();
        if arrival.retried { recorder.retried(bytes) } else { recorder.sent(at_ns, bytes) }
    }

    /// What an arrival performs.
    #[inline]
    pub(crate) fn request_of(&self, arrival: &Arrival) -> &Request {
        &self.policy.requests[usize::from(arrival.request)]
    }

    pub(crate) fn unsolicited(&self) {
        self.state.borrow_mut().recorder.unsolicited();
    }

    /// An arrival has ended, and its user is free to think of the next.
    #[inline]
    pub(crate) fn ended(&self, arrival: &Arrival, ending: &Ending) {
        let state = &mut *self.state.borrow_mut();
        state.recorder.ended(arrival, ending);
        state.schedule.answered(arrival.intended_ns, ending.ended_ns);
    }

    /// What a connection that came free does next: the arrival that has waited longest, one that
    /// is due at this moment, or None: it is idle now.
    #[inline]
    pub(crate) fn next_for(&self, slot: &Rc<Slot>, now_ns: u64) -> Option<Arrival> {
        self.drop_late(now_ns);
        let queued = self.state.borrow_mut().queue.pop_front();
        let next = queued.or_else(|| self.take_due(now_ns));
        match &next {
            Some(arrival) => self.occupy(slot, arrival),
            None => self.release(slot),
        }
        self.hurry(now_ns);
        next
    }

    /// A connection is gone. Its place goes to the arrival it leaves unanswered, or else to the one
    /// that has waited longest.
    pub(crate) fn closed(self: &Rc<Self>, slot: &Rc<Slot>, unanswered: Option<Arrival>) {
        slot.phase.set(Phase::Closed);
        self.state.borrow_mut().slots.remove(slot.key.get());
        if let Some(arrival) = unanswered.or_else(|| self.state.borrow_mut().queue.pop_front()) {
            self.open(arrival);
        }
        self.hurry(self.clock.now_ns());
    }

    /// Opens a connection for an arrival.
    fn open(self: &Rc<Self>, arrival: Arrival) {
        let slot = Rc::new(Slot::default());
        self.occupy(&slot, &arrival);
        slot.key.set(self.state.borrow_mut().slots.insert(slot.clone()));
        tokio::task::spawn_local(connection::serve(self.clone(), slot, arrival));
    }

    fn take_due(&self, now_ns: u64) -> Option<Arrival> {
        let state = &mut *self.state.borrow_mut();
        state.schedule.next_ns().filter(|due_ns| *due_ns <= now_ns)?;
        let due = state.schedule.pop()?;
        let request = self.policy.mix.choose(due.bits);
        let arrival = Arrival { intended_ns: due.at_ns, seen_ns: now_ns, request, retried: false };
        state.recorder.due(&arrival);
        Some(arrival)
    }

    fn place(self: &Rc<Self>, arrival: Arrival) {
        let (idle, full) = {
            let state = &mut *self.state.borrow_mut();
            (state.pop_idle(), state.slots.len() >= self.policy.max_connections)
        };
        match idle {
            Some(slot) => self.assign(&slot, arrival),
            None if full => self.enqueue(arrival),
            None => self.open(arrival),
        }
    }

    fn assign(&self, slot: &Slot, arrival: Arrival) {
        self.occupy(slot, &arrival);
        slot.assigned.set(Some(arrival));
        slot.wake();
    }

    fn enqueue(&self, arrival: Arrival) {
        if self.state.borrow().queue.len() < QUEUE_MAX {
            self.state.borrow_mut().queue.push_back(arrival);
        } else {
            let cause = "too many late arrivals were already waiting";
            self.drop_unsent(&arrival, Failure::new(Outcome::Dropped, cause));
        }
    }

    fn occupy(&self, slot: &Slot, arrival: &Arrival) {
        let deadline_ns = self.deadline_ns(arrival);
        slot.phase.set(Phase::Busy);
        slot.deadline_ns.set(deadline_ns);
        let state = &mut *self.state.borrow_mut();
        state.earliest_deadline_ns = state.earliest_deadline_ns.min(deadline_ns);
    }

    fn release(&self, slot: &Rc<Slot>) {
        slot.phase.set(Phase::Idle);
        slot.deadline_ns.set(u64::MAX);
        self.state.borrow_mut().idle.push(slot.clone());
    }

    fn expire(&self, now_ns: u64) {
        let state = &mut *self.state.borrow_mut();
        if now_ns < state.earliest_deadline_ns {
            return;
        }
        for (_, slot) in state.slots.iter().filter(|(_, slot)| slot.deadline_ns.get() <= now_ns) {
            slot.deadline_ns.set(u64::MAX);
            slot.expired.set(true);
            slot.wake();
        }
        let deadlines = state.slots.iter().map(|(_, slot)| slot.deadline_ns.get());
        state.earliest_deadline_ns = deadlines.min().unwrap_or(u64::MAX);
    }

    fn drop_late(&self, now_ns: u64) {
        while let Some(arrival) = self.take_late(now_ns) {
            self.drop_unsent(&arrival, Failure::dropped_late());
        }
    }

    fn take_late(&self, now_ns: u64) -> Option<Arrival> {
        let queue = &mut self.state.borrow_mut().queue;
        let late = queue.front().is_some_and(|arrival| self.deadline_ns(arrival) <= now_ns);
        if late { queue.pop_front() } else { None }
    }

    fn drop_unsent(&self, arrival: &Arrival, failure: Failure) {
        let ended_ns = self.clock.now_ns();
        self.ended(arrival, &Ending { ended_ns, result: Err(failure), ..Ending::unsent() });
    }

    fn deadline_ns(&self, arrival: &Arrival) -> u64 {
        arrival.intended_ns.saturating_add(self.policy.timeout_ns)
    }

    /// Wakes the pacer if an arrival is due before the one it waits for, or nothing is left to do.
    #[inline]
    fn hurry(&self, now_ns: u64) {
        let state = self.state.borrow();
        let next_ns = state.schedule.next_ns().unwrap_or(u64::MAX);
        let over = state.recorder.in_flight() == 0 && !state.recorder.load_after(now_ns);
        if over || next_ns < self.awaited_ns.get() {
            self.look_again.notify_one();
        }
    }

    fn publish(&self) {
        self.in_flight.store(self.state.borrow().recorder.in_flight(), Ordering::Relaxed);
    }
}

impl State {
    fn pop_idle(&mut self) -> Option<Rc<Slot>> {
        std::iter::from_fn(|| self.idle.pop()).find(|slot| slot.phase.get() == Phase::Idle)
    }
}
