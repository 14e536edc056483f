//! Waiting for an absolute instant: a timerfd inside the worker's runtime.
//!
//! tokio's own timer has millisecond steps, so it never paces load. A timerfd wakes 30–60 µs
//! late on a virtual machine. Most of that is always there, so the timer learns how late it is
//! woken at least and asks to be woken so much sooner; what is left of the time it yields away.
//! Spinning over the whole wait removes the rest at the price of a core.

use std::cell::Cell;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll, ready};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::clock::Clock;

/// A spinning wait of up to this length never sleeps, ns.
const SPIN_WHOLE_NS: u64 = 1_000_000;

/// A longer one sleeps until this long before the instant, ns.
const SPIN_LAST_NS: u64 = 60_000;

/// An absolute timer on a [`Clock`]. One waiter at a time.
pub struct Timer {
    clock: Clock,
    fd: AsyncFd<OwnedFd>,
    spin: bool,
    lead: Lead,
}

/// How much sooner than wanted the timer is set: an estimate of the lower quartile of how late
/// wake-ups come, so that one in four yields for a moment and the others come a little late.
///
/// Each wake-up moves it by a fixed step, up by ¼ when it came later than estimated and down by ¾
/// when not: the two balance where one in four is not (stochastic approximation of a quantile).
#[derive(Debug, Default)]
struct Lead {
    ns: Cell<u64>,
}

impl Lead {
    const UP_NS: u64 = 250;
    const DOWN_NS: u64 = 750;
    /// A host that is later than this is not made up for by yielding so long.
    const MOST_NS: u64 = 50_000;

    fn learn(&self, late_ns: u64) {
        let ns = self.ns.get();
        let learned =
            if late_ns > ns { ns + Self::UP_NS } else { ns.saturating_sub(Self::DOWN_NS) };
        self.ns.set(learned.min(Self::MOST_NS));
    }
}

impl Timer {
    /// A timer registered with the current tokio runtime; `spin` trades a core for exact wake-ups.
    #[expect(deprecated, reason = "the successor is unsafe; an OwnedFd keeps what it asks for")]
    pub fn new(clock: Clock, spin: bool) -> io::Result<Self> {
        let fd = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
        Ok(Self { clock, fd, spin, lead: Lead::default() })
    }

    /// Returns once the clock shows `at_ns` or later; never early.
    ///
    /// `busy` says that something else may happen meanwhile, such as the end of a response: a
    /// spinning timer then does not sleep at all, so that it is seen at once.
    pub async fn wait_until(&self, at_ns: u64, busy: bool) -> io::Result<()> {
        let sleep_to = self.sleep_to(at_ns, busy);
        while self.clock.now_ns() < sleep_to {
            self.arm(sleep_to)?;
            std::future::poll_fn(|cx| self.poll_expired(cx)).await?;
            self.lead.learn(self.clock.now_ns().saturating_sub(sleep_to));
        }
        // Yielding lets the runtime poll the sockets between two looks at the clock.
        while self.clock.now_ns() < at_ns {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    fn sleep_to(&self, at_ns: u64, busy: bool) -> u64 {
        let soon = at_ns.saturating_sub(self.clock.now_ns()) <= SPIN_WHOLE_NS;
        match (self.spin, busy || soon) {
            (false, _) => at_ns.saturating_sub(self.lead.ns.get()),
            (true, true) => 0,
            (true, false) => at_ns - SPIN_LAST_NS,
        }
    }

    /// Sets the instant at which [`Self::poll_expired`] becomes ready, replacing the one before.
    fn arm(&self, at_ns: u64) -> io::Result<()> {
        let once = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: self.clock.monotonic(at_ns),
        };
        timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &once)?;
        Ok(())
    }

    /// Ready when the timer has fired since it was last found ready.
    ///
    /// The descriptor is never read: tokio watches it edge-triggered, and each expiry is an edge
    /// of its own. That saves a system call for each wake-up.
    fn poll_expired(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.fd.poll_read_ready(cx))?.clear_ready();
        Poll::Ready(Ok(()))
    }
}

/// Asks the kernel to wake the calling thread as close to its timers as it can.
pub fn set_timer_slack_minimal() -> io::Result<()> {
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Lead;

    #[test]
    fn the_lead_settles_at_the_lower_quartile_of_lateness() {
        let lead = Lead::default();
        // Evenly spread from 20 to 60 µs, in an order that repeats late.
        for k in 0..20_000_u64 {
            lead.learn(20_000 + (k * 7_919) % 40_000);
        }
        assert!(lead.ns.get().abs_diff(30_000) < 3_000, "{}", lead.ns.get());
    }

    #[test]
    fn a_host_that_wakes_at_once_or_far_too_late_is_not_waited_for() {
        let (quick, slow) = (Lead::default(), Lead::default());
        for _ in 0..10_000 {
            quick.learn(100);
            slow.learn(5_000_000);
        }
        assert!(quick.ns.get() <= Lead::DOWN_NS);
        assert_eq!(slow.ns.get(), Lead::MOST_NS);
    }
}
