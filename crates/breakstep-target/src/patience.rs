//! The front's patience: how long a request may take before it is answered without its result.

use std::collections::VecDeque;

/// Deadlines of the jobs not yet answered, in order of arrival, hence of deadline.
pub struct Patience {
    limit_ns: u64,
    /// Number of the job at the front of `waiting`; later jobs follow without a gap.
    first: u64,
    /// The front one is never settled.
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    deadline_ns: u64,
    settled: bool,
}

impl Patience {
    /// Gives up on a job `limit_ns` after its arrival.
    pub fn new(limit_ns: u64) -> Self {
        Self { limit_ns, first: 0, waiting: VecDeque::new() }
    }

    /// Starts waiting for the next job, the numbers being consecutive.
    pub fn enter(&mut self, at_ns: u64) {
        let deadline_ns = at_ns.saturating_add(self.limit_ns);
        self.waiting.push_back(Waiting { deadline_ns, settled: false });
    }

    /// The next instant at which a job is given up.
    pub fn next_deadline_ns(&self) -> Option<u64> {
        self.waiting.front().map(|waiting| waiting.deadline_ns)
    }

    /// The job has its answer. False if it had been given up before.
    pub fn settle(&mut self, number: u64) -> bool {
        let Some(index) = number.checked_sub(self.first) else {
            return false;
        };
        self.waiting[index as usize].settled = true;
        self.drop_settled();
        true
    }

    /// Gives up the job of the next deadline and returns its number.
    pub fn give_up(&mut self) -> Option<u64> {
        self.waiting.pop_front()?;
        let number = self.first;
        self.first += 1;
        self.drop_settled();
        Some(number)
    }

    fn drop_settled(&mut self) {
        while self.waiting.front().is_some_and(|waiting| waiting.settled) {
            self.waiting.pop_front();
            self.first += 1;
        }
    }
}
