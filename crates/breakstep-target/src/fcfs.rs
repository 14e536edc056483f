//! First come, first served: each job gets the server that is free first, whole, until it is done.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::discipline::{Discipline, Job};

/// `start = max(arrival, earliest free server)`, `finish = start + service`: known on arrival.
pub struct Fcfs {
    /// When each server will have done all the work given to it so far.
    free_ns: BinaryHeap<Reverse<u64>>,
    finishes: BinaryHeap<Reverse<(u64, Job)>>,
}

impl Fcfs {
    /// Idle servers.
    pub fn new(servers: usize) -> Self {
        Self {
            free_ns: std::iter::repeat_n(Reverse(0), servers).collect(),
            finishes: BinaryHeap::new(),
        }
    }
}

impl Discipline for Fcfs {
    fn arrive(&mut self, job: Job, at_ns: u64, service_ns: u64) {
        let mut earliest = self.free_ns.peek_mut().expect("there is at least one server");
        let finish_ns = at_ns.max(earliest.0).saturating_add(service_ns);
        *earliest = Reverse(finish_ns);
        self.finishes.push(Reverse((finish_ns, job)));
    }

    fn next_finish_ns(&self) -> Option<u64> {
        self.finishes.peek().map(|Reverse((finish_ns, _))| *finish_ns)
    }

    fn take_finished(&mut self) -> Option<Job> {
        self.finishes.pop().map(|Reverse((_, job))| job)
    }

    fn in_system(&self) -> usize {
        self.finishes.len()
    }
}
