//! The schedule: a seeded, monotone sequence of intended starts.
//!
//! Every worker generates the whole sequence and takes arrival k of a segment when `k mod workers`
//! is its own number, so the union never depends on the number of workers. The numbers begin anew
//! with each segment: after a cut the workers need not agree how far each had looked ahead.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::mix::bits_of;
use crate::rate::Rate;

const NS_PER_S: f64 = 1e9;

/// How arrivals are spread at a given rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// One arrival whenever the integral of the rate reaches the next whole number.
    Uniform,
    /// Independent arrivals: exponential gaps in the integral of the rate.
    Poisson,
}

/// What a segment offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Arrivals at a rate, whatever the server does.
    Open {
        /// Arrivals a second at the start.
        from_per_s: f64,
        /// Arrivals a second at the end.
        to_per_s: f64,
        /// Their spread.
        law: Law,
    },
    /// Users that each send the next request after the last was answered.
    Closed {
        /// How many users.
        concurrency: u64,
        /// Pause between an answer and the next request.
        think_ns: u64,
    },
}

/// Load from `start_ns` for `duration_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// On the run's clock.
    pub start_ns: u64,
    /// Above zero.
    pub duration_ns: u64,
    /// What is offered.
    pub load: Load,
    /// Of Poisson gaps, and of what each arrival performs.
    pub seed: u64,
    /// Whether a row is kept of each arrival, beside the sums.
    pub rows: bool,
}

impl Segment {
    /// The first instant that no longer belongs to it.
    pub fn end_ns(&self) -> u64 {
        self.start_ns + self.duration_ns
    }
}

/// An arrival that is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its intended start.
    pub at_ns: u64,
    /// Its own random bits, which decide what it performs: see [`crate::mix`].
    pub bits: u64,
}

/// One worker's share of the load: open segments one after another, and users of closed ones.
#[derive(Debug)]
pub struct Schedule {
    worker: u64,
    workers: u64,
    open: OpenLoad,
    closed: Vec<Users>,
}

impl Schedule {
    /// The share of worker number `worker` of `workers`.
    pub fn new(worker: u64, workers: u64) -> Self {
        Self { worker, workers, open: OpenLoad::new(worker, workers), closed: Vec::new() }
    }

    /// Adds a segment; it starts at or after the end of the last one.
    pub fn append(&mut self, segment: Segment) {
        match segment.load {
            Load::Open { .. } => self.open.append(segment),
            Load::Closed { concurrency, think_ns } => {
                self.closed
                    .retain(|users| users.next_ns().is_some() || users.end_ns >= segment.start_ns);
                let left = u64::from(self.worker < concurrency % self.workers);
                let share = concurrency / self.workers + left;
                let stride = (self.worker, self.workers);
                self.closed.push(Users::new(&segment, share, think_ns, stride));
            }
        }
    }

    /// The next intended start, whether or not its time has come.
    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        let users = self.closed.iter().filter_map(Users::next_ns).min();
        match (self.open.next.map(|due| due.at_ns), users) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Takes the next arrival.
    pub fn pop(&mut self) -> Option<Due> {
        let next_ns = self.next_ns()?;
        match self.closed.iter_mut().find(|users| users.next_ns() == Some(next_ns)) {
            Some(users) => users.pop(),
            None => self.open.pop(),
        }
    }

    /// Drops every arrival due at `at_ns` or later.
    pub fn cut(&mut self, at_ns: u64) {
        self.open.cut(at_ns);
        for users in &mut self.closed {
            users.end_ns = users.end_ns.min(at_ns);
        }
    }

    /// The arrival intended at `intended_ns` ended at `now_ns`: its user, if it has one, thinks.
    #[inline]
    pub fn answered(&mut self, intended_ns: u64, now_ns: u64) {
        if let Some(users) = self.closed.iter_mut().rev().find(|u| u.owns(intended_ns)) {
            users.ready_ns.push_back(now_ns + users.think_ns);
        }
    }
}

/// The open segments. The one being offered is kept when exhausted, for what it carries over.
#[derive(Debug)]
struct OpenLoad {
    worker: u64,
    workers: u64,
    /// Each with the instant at which its arrivals end: its own end, or a cut.
    waiting: VecDeque<(Segment, u64)>,
    current: Option<Arrivals>,
    next: Option<Due>,
}

impl OpenLoad {
    fn new(worker: u64, workers: u64) -> Self {
        Self { worker, workers, waiting: VecDeque::new(), current: None, next: None }
    }

    fn append(&mut self, segment: Segment) {
        self.waiting.push_back((segment, segment.end_ns()));
        if self.next.is_none() {
            self.advance();
        }
    }

    fn pop(&mut self) -> Option<Due> {
        let next = self.next;
        self.advance();
        next
    }

    fn cut(&mut self, at_ns: u64) {
        for (_, end_ns) in &mut self.waiting {
            *end_ns = at_ns.min(*end_ns);
        }
        if let Some(arrivals) = &mut self.current {
            arrivals.end_ns = arrivals.end_ns.min(at_ns);
        }
        self.next = self.next.filter(|due| due.at_ns < at_ns);
    }

    fn advance(&mut self) {
        self.next = loop {
            if let Some(due) = self.draw() {
                break Some(due);
            }
            let Some((segment, end_ns)) = self.waiting.pop_front() else { break None };
            let carry = self.current.as_ref().map_or(0.0, |last| last.carry_into(&segment));
            self.current = Arrivals::new(&segment, end_ns, carry);
        };
    }

    fn draw(&mut self) -> Option<Due> {
        let arrivals = self.current.as_mut()?;
        loop {
            let at_ns = arrivals.next_ns()?;
            let number = arrivals.number;
            arrivals.number += 1;
            if number % self.workers == self.worker {
                return Some(Due { at_ns, bits: bits_of(arrivals.seed, number) });
            }
        }
    }
}

/// The arrivals of an open segment, for all workers together.
#[derive(Debug)]
struct Arrivals {
    start_ns: u64,
    /// As planned: where the last arrival is kept in spite of rounding.
    last_ns: u64,
    /// As planned, or where the load was cut.
    end_ns: u64,
    seed: u64,
    /// Of the next arrival.
    number: u64,
    rate: Rate,
    random: Option<Pcg64Mcg>,
    /// Expected arrivals at the next one, counted from the start of the segment.
    reached: f64,
}

impl Arrivals {
    fn new(segment: &Segment, end_ns: u64, carry: f64) -> Option<Self> {
        let Load::Open { from_per_s, to_per_s, law } = segment.load else { return None };
        let &Segment { start_ns, seed, .. } = segment;
        let mut random = match law {
            Law::Uniform => None,
            Law::Poisson => Some(Pcg64Mcg::seed_from_u64(seed)),
        };
        // A Poisson process has no memory: each segment may start with a gap of its own.
        let reached = random.as_mut().map_or(carry, exponential);
        let rate = Rate { from_per_s, to_per_s, duration_s: segment.duration_ns as f64 / NS_PER_S };
        let last_ns = segment.end_ns() - 1;
        Some(Self { start_ns, last_ns, end_ns, seed, number: 0, rate, random, reached })
    }

    fn next_ns(&mut self) -> Option<u64> {
        let at_s = self.rate.instant_of(self.reached)?;
        let at_ns = self.last_ns.min(self.start_ns + (at_s * NS_PER_S) as u64);
        self.reached += self.random.as_mut().map_or(1.0, exponential);
        (at_ns < self.end_ns).then_some(at_ns)
    }

    /// Expected arrivals between the end of this segment and the next uniform arrival, if the next
    /// segment follows at once. After a pause a segment starts afresh, whatever was before.
    fn carry_into(&self, next: &Segment) -> f64 {
        if self.random.is_some() || next.start_ns != self.last_ns + 1 {
            return 0.0;
        }
        (self.reached - self.rate.expected_until(self.rate.duration_s)).max(0.0)
    }
}

/// The users of a closed segment, for one worker. All think equally long, so they come back in
/// the order in which they were answered.
#[derive(Debug)]
struct Users {
    start_ns: u64,
    end_ns: u64,
    think_ns: u64,
    ready_ns: VecDeque<u64>,
    seed: u64,
    /// Of the next arrival, and from it to the one after it: those between are other workers'.
    stride: (u64, u64),
}

impl Users {
    fn new(segment: &Segment, concurrency: u64, think_ns: u64, stride: (u64, u64)) -> Self {
        let &Segment { start_ns, seed, .. } = segment;
        let ready_ns = (0..concurrency).map(|_| start_ns).collect();
        Self { start_ns, end_ns: segment.end_ns(), think_ns, ready_ns, seed, stride }
    }

    fn pop(&mut self) -> Option<Due> {
        let at_ns = self.ready_ns.pop_front()?;
        let (number, step) = self.stride;
        self.stride.0 += step;
        Some(Due { at_ns, bits: bits_of(self.seed, number) })
    }

    fn next_ns(&self) -> Option<u64> {
        self.ready_ns.front().copied().filter(|at_ns| *at_ns < self.end_ns)
    }

    fn owns(&self, intended_ns: u64) -> bool {
        (self.start_ns..self.end_ns).contains(&intended_ns)
    }
}

/// An exponential variate with mean 1: `−ln(1 − u)`, u uniform in \[0, 1) with 53 bits.
///
/// `libm` gives the same bits on every platform, so a seed is the same schedule everywhere.
fn exponential(random: &mut Pcg64Mcg) -> f64 {
    let u = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    -libm::log1p(-u)
}
