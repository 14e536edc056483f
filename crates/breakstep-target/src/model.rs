//! The model server's behaviour as pure values: arrivals in, answers out, no socket and no clock.

use std::collections::VecDeque;

use crate::discipline::{Discipline, Job};
use crate::fate::Fates;
use crate::fcfs::Fcfs;
use crate::freeze::{Freezes, NEVER};
use crate::parameters::{DisciplineName, Parameters};
use crate::patience::Patience;
use crate::sharing::ProcessorSharing;

/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 200
    Ok,
    /// 500: one of `--errors`.
    Error,
    /// 503: the queue was full.
    Refused,
    /// 504: the front gave up waiting.
    GaveUp,
}

/// What is to be done about an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Answer now.
    Answer(Status),
    /// The answer will come out of [`Model::advance`] under this number.
    Wait(u64),
}

/// An answer and the exact instant at which it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// When, ns since the start of serving.
    pub at_ns: u64,
    /// To whom: the number in [`Decision::Wait`].
    pub number: u64,
    /// What.
    pub status: Status,
}

/// Counters since the start of serving.
///
/// `arrivals = answered + errors + refused + gave_up +` those still waiting for their answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Requests that reached the model.
    pub arrivals: u64,
    /// Answered 200.
    pub answered: u64,
    /// Answered 503.
    pub refused: u64,
    /// Answered 504.
    pub gave_up: u64,
    /// Answered 500.
    pub errors: u64,
    /// Jobs waiting and in service, those given up included.
    pub in_system: usize,
    /// The most there ever were.
    pub max_in_system: usize,
    /// How late the answers that had to wait were handed out.
    pub lateness: Lateness,
}

/// By how much the caller missed the instants at which answers were due: the server's own error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Answers handed out.
    pub answers: u64,
    /// Sum of their lateness.
    pub sum_ns: u64,
    /// The worst.
    pub max_ns: u64,
}

impl Lateness {
    fn add(&mut self, late_ns: u64) {
        self.answers += 1;
        self.sum_ns = self.sum_ns.saturating_add(late_ns);
        self.max_ns = self.max_ns.max(late_ns);
    }
}

/// Servers, queue, front and freezes. Time is ns since the start of serving and never goes back.
///
/// Every event is computed from the instants of the events before it, never from the instant at
/// which the caller got round to it, so a late call delays one answer and shifts nothing else.
/// At equal instants a finish comes before a give-up, and both come before an arrival.
pub struct Model {
    fates: Fates,
    fast_errors: bool,
    discipline: Box<dyn Discipline>,
    /// Jobs that fit: the servers and the queue.
    room: usize,
    patience: Option<Patience>,
    freezes: Freezes,
    next_number: u64,
    /// Decided, in order of time, not handed out yet.
    due: VecDeque<Answer>,
    seen: Seen,
}

impl Model {
    /// An idle server.
    pub fn new(parameters: &Parameters) -> Self {
        let servers = parameters.servers;
        Self {
            fates: Fates::new(parameters.service, parameters.error_share, parameters.seed),
            fast_errors: parameters.fast_errors,
            discipline: match parameters.discipline {
                DisciplineName::Fcfs => Box::new(Fcfs::new(servers)),
                DisciplineName::Ps => Box::new(ProcessorSharing::new(servers)),
            },
            room: parameters.queue.map_or(usize::MAX, |queue| servers + queue),
            patience: parameters.give_up_ns.map(Patience::new),
            freezes: parameters.freezes(),
            next_number: 0,
            due: VecDeque::new(),
            seen: Seen::default(),
        }
    }

    /// When the server can act on what happens at `now_ns`: at once, or when its freeze ends.
    pub fn thaw_ns(&self, now_ns: u64) -> u64 {
        self.freezes.thaw_ns(now_ns)
    }

    /// A request arrives; within a freeze it is seen when the freeze ends.
    pub fn arrive(&mut self, now_ns: u64) -> Decision {
        let seen_ns = self.thaw_ns(now_ns);
        self.run_until(seen_ns);
        self.seen.arrivals += 1;
        let fate = self.fates.draw();
        if fate.fails && self.fast_errors {
            return self.answer_at(seen_ns, now_ns, Status::Error);
        }
        if self.discipline.in_system() >= self.room {
            return self.answer_at(seen_ns, now_ns, Status::Refused);
        }
        let number = self.enter(seen_ns);
        let job = Job { number, fails: fate.fails };
        self.discipline.arrive(job, self.freezes.to_work_ns(seen_ns), fate.service_ns);
        self.seen.max_in_system = self.seen.max_in_system.max(self.discipline.in_system());
        Decision::Wait(number)
    }

    /// A request outside the model: neither queued nor counted, but nothing is answered in a
    /// freeze.
    pub fn pass(&mut self, now_ns: u64) -> Decision {
        let seen_ns = self.thaw_ns(now_ns);
        self.run_until(seen_ns);
        self.deliver(seen_ns, now_ns, Status::Ok)
    }

    /// The next instant at which [`Self::advance`] has an answer to give or work to do.
    pub fn next_event_ns(&self) -> Option<u64> {
        let due_ns = self.due.front().map_or(NEVER, |answer| answer.at_ns);
        let event_ns = due_ns.min(self.next_finish_ns()).min(self.next_give_up_ns());
        (event_ns != NEVER).then_some(event_ns)
    }

    /// The next answer due by `now_ns`, in order of time; `None` once all were handed out.
    pub fn advance(&mut self, now_ns: u64) -> Option<Answer> {
        self.run_until(now_ns);
        let late_ns = now_ns.checked_sub(self.due.front()?.at_ns)?;
        self.seen.lateness.add(late_ns);
        self.due.pop_front()
    }

    /// Counters as of the last event.
    pub fn seen(&self) -> Seen {
        Seen { in_system: self.discipline.in_system(), ..self.seen }
    }

    fn run_until(&mut self, until_ns: u64) {
        loop {
            let (finish_ns, give_up_ns) = (self.next_finish_ns(), self.next_give_up_ns());
            match finish_ns.min(give_up_ns) {
                next_ns if next_ns > until_ns || next_ns == NEVER => return,
                next_ns if finish_ns <= give_up_ns => self.finish(next_ns),
                next_ns => self.give_up(next_ns),
            }
        }
    }

    fn next_finish_ns(&self) -> u64 {
        self.discipline.next_finish_ns().map_or(NEVER, |work_ns| self.freezes.to_real_ns(work_ns))
    }

    fn next_give_up_ns(&self) -> u64 {
        let deadline_ns = self.patience.as_ref().and_then(Patience::next_deadline_ns);
        deadline_ns.map_or(NEVER, |at_ns| self.thaw_ns(at_ns))
    }

    fn finish(&mut self, at_ns: u64) {
        let Some(Job { number, fails }) = self.discipline.take_finished() else {
            return;
        };
        if self.patience.as_mut().is_none_or(|patience| patience.settle(number)) {
            let status = if fails { Status::Error } else { Status::Ok };
            self.count(status);
            self.due.push_back(Answer { at_ns, number, status });
        }
    }

    fn give_up(&mut self, at_ns: u64) {
        let Some(number) = self.patience.as_mut().and_then(Patience::give_up) else {
            return;
        };
        self.count(Status::GaveUp);
        self.due.push_back(Answer { at_ns, number, status: Status::GaveUp });
    }

    /// The next number, for a job or for an answer that a freeze delays.
    fn enter(&mut self, at_ns: u64) -> u64 {
        if let Some(patience) = &mut self.patience {
            patience.enter(at_ns);
        }
        self.next_number += 1;
        self.next_number - 1
    }

    fn answer_at(&mut self, at_ns: u64, now_ns: u64, status: Status) -> Decision {
        self.count(status);
        self.deliver(at_ns, now_ns, status)
    }

    fn deliver(&mut self, at_ns: u64, now_ns: u64, status: Status) -> Decision {
        if at_ns <= now_ns {
            return Decision::Answer(status);
        }
        let number = self.enter(at_ns);
        if let Some(patience) = &mut self.patience {
            patience.settle(number);
        }
        self.due.push_back(Answer { at_ns, number, status });
        Decision::Wait(number)
    }

    fn count(&mut self, status: Status) {
        *match status {
            Status::Ok => &mut self.seen.answered,
            Status::Error => &mut self.seen.errors,
            Status::Refused => &mut self.seen.refused,
            Status::GaveUp => &mut self.seen.gave_up,
        } += 1;
    }
}
