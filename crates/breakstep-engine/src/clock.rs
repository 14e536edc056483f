//! One monotonic clock for a run: `u64` nanoseconds, zero at its epoch.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, Timespec, clock_gettime};

const NS_PER_S: u64 = 1_000_000_000;

/// The run's clock. Copies share the epoch; wall time is recorded once, at the epoch.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// `CLOCK_MONOTONIC` at the epoch, ns.
    epoch_monotonic_ns: u64,
    epoch_wall_ns: u64,
}

impl Clock {
    /// A clock whose zero is now.
    pub fn start() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { epoch_monotonic_ns: monotonic_ns(), epoch_wall_ns: wall.as_nanos() as u64 }
    }

    /// Nanoseconds since the epoch.
    #[inline]
    pub fn now_ns(self) -> u64 {
        monotonic_ns() - self.epoch_monotonic_ns
    }

    /// Wall-clock time of the epoch, ns since 1970.
    pub fn epoch_wall_ns(self) -> u64 {
        self.epoch_wall_ns
    }

    /// `at_ns` of this clock as an absolute `CLOCK_MONOTONIC` instant.
    pub(crate) fn monotonic(self, at_ns: u64) -> Timespec {
        let ns = self.epoch_monotonic_ns.saturating_add(at_ns);
        Timespec { tv_sec: (ns / NS_PER_S) as i64, tv_nsec: (ns % NS_PER_S) as i64 }
    }
}

#[inline]
fn monotonic_ns() -> u64 {
    ns(clock_gettime(ClockId::Monotonic))
}

/// CPU time used so far by the calling thread, ns.
pub fn thread_cpu_ns() -> u64 {
    ns(clock_gettime(ClockId::ThreadCPUTime))
}

#[inline]
fn ns(t: Timespec) -> u64 {
    t.tv_sec as u64 * NS_PER_S + t.tv_nsec as u64
}
