//! Egalitarian processor sharing: all jobs are in service at once, each with an equal share.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::discipline::{Discipline, Job};

/// With n jobs on c servers each job progresses at `r(n) = min(1, c/n)`.
///
/// All jobs progress alike, so one number P(t), P' = r(n(t)), stands for all of them: a job that
/// arrives at P₀ and needs S finishes when P reaches P₀ + S. Between events r is constant, hence
/// the next finish is at `t + (P₀ + S − P(t)) / r(n)`, rounded up to a whole ns. P then advances
/// by the time that really passed, so that rounding never adds up.
pub struct ProcessorSharing {
    servers: f64,
    /// The instant for which `progress_ns` holds.
    at_ns: u64,
    /// P(t), from 0 each time the system was empty: a float of ns stays exact to 0.01 ns for a
    /// day of unbroken work.
    progress_ns: f64,
    /// The P at which each job leaves, as bits: floats that are not negative sort like their bits.
    leaving: BinaryHeap<Reverse<(u64, Job)>>,
}

impl ProcessorSharing {
    /// Idle servers.
    pub fn new(servers: usize) -> Self {
        Self { servers: servers as f64, at_ns: 0, progress_ns: 0.0, leaving: BinaryHeap::new() }
    }

    fn rate(&self) -> f64 {
        (self.servers / self.leaving.len() as f64).min(1.0)
    }

    fn advance_to(&mut self, at_ns: u64) {
        if self.leaving.is_empty() {
            self.progress_ns = 0.0;
        } else {
            self.progress_ns += (at_ns - self.at_ns) as f64 * self.rate();
        }
        self.at_ns = at_ns;
    }
}

impl Discipline for ProcessorSharing {
    fn arrive(&mut self, job: Job, at_ns: u64, service_ns: u64) {
        self.advance_to(at_ns);
        let leave_at = self.progress_ns + service_ns as f64;
        self.leaving.push(Reverse((leave_at.to_bits(), job)));
    }

    fn next_finish_ns(&self) -> Option<u64> {
        let Reverse((leave_at, _)) = self.leaving.peek()?;
        let missing_ns = (f64::from_bits(*leave_at) - self.progress_ns).max(0.0);
        Some(self.at_ns.saturating_add(libm::ceil(missing_ns / self.rate()) as u64))
    }

    fn take_finished(&mut self) -> Option<Job> {
        self.advance_to(self.next_finish_ns()?);
        self.leaving.pop().map(|Reverse((_, job))| job)
    }

    fn in_system(&self) -> usize {
        self.leaving.len()
    }
}
