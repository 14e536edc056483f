//! Freezes: spans in which the whole server stands still, as in a stop-the-world collection.

/// An instant that never comes.
pub(crate) const NEVER: u64 = u64::MAX;

/// Freezes of `length_ns` at `first_ns`, `first_ns + period_ns`, …; maps real time to work time.
///
/// Work time is real time less the time frozen so far, so a queue that runs in work time needs to
/// know nothing of freezes. A whole freeze is one instant of work time; going back, that instant
/// is the end of the freeze: what falls due in a freeze is answered when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to the name")]
pub struct Freezes {
    first_ns: u64,
    /// Shorter than the period.
    length_ns: u64,
    period_ns: u64,
}

impl Freezes {
    /// No freeze at all.
    pub const NONE: Self = Self { first_ns: NEVER, length_ns: 0, period_ns: NEVER };

    /// A single freeze.
    pub fn once(length_ns: u64, at_ns: u64) -> Self {
        Self { first_ns: at_ns, length_ns, period_ns: NEVER }
    }

    /// A freeze each time `period_ns` has passed, the first after one period.
    pub fn every(length_ns: u64, period_ns: u64) -> Self {
        debug_assert!(length_ns < period_ns, "no work would ever be done");
        Self { first_ns: period_ns, length_ns, period_ns }
    }

    /// The instant at which the server can act: `real_ns` itself, or the end of its freeze.
    pub fn thaw_ns(&self, real_ns: u64) -> u64 {
        let Some(since_first_ns) = real_ns.checked_sub(self.first_ns) else {
            return real_ns;
        };
        let into_ns = since_first_ns % self.period_ns;
        real_ns.saturating_add(self.length_ns.saturating_sub(into_ns))
    }

    /// Work time at a real instant.
    pub fn to_work_ns(&self, real_ns: u64) -> u64 {
        let Some(since_first_ns) = real_ns.checked_sub(self.first_ns) else {
            return real_ns;
        };
        let whole_ns = (since_first_ns / self.period_ns) * self.length_ns;
        let current_ns = (since_first_ns % self.period_ns).min(self.length_ns);
        real_ns - whole_ns - current_ns
    }

    /// The last real instant with this work time.
    pub fn to_real_ns(&self, work_ns: u64) -> u64 {
        let Some(since_first_ns) = work_ns.checked_sub(self.first_ns) else {
            return work_ns;
        };
        let begun = 1 + since_first_ns / (self.period_ns - self.length_ns);
        work_ns.saturating_add(begun.saturating_mul(self.length_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_time_stands_still_in_a_freeze() {
        let freezes = Freezes::every(200, 5000);
        let real = [0, 4999, 5000, 5100, 5200, 9999, 10_000, 10_200, 10_201];
        let work = [0, 4999, 5000, 5000, 5000, 9799, 9800, 9800, 9801];
        assert_eq!(real.map(|at| freezes.to_work_ns(at)), work);
    }

    #[test]
    fn what_falls_due_in_a_freeze_is_due_at_its_end() {
        let freezes = Freezes::every(200, 5000);
        assert_eq!(
            [4999, 5000, 5001, 9799, 9800].map(|at| freezes.to_real_ns(at)),
            [4999, 5200, 5201, 9999, 10_200]
        );
        assert_eq!(
            [4999, 5000, 5199, 5200].map(|at| freezes.thaw_ns(at)),
            [4999, 5200, 5200, 5200]
        );
    }

    #[test]
    fn a_single_freeze_never_comes_again() {
        let freezes = Freezes::once(1000, 30_000);
        assert_eq!(freezes.to_real_ns(29_999), 29_999);
        assert_eq!(freezes.to_real_ns(30_000), 31_000);
        assert_eq!(freezes.to_work_ns(1_000_000), 999_000);
        assert_eq!(freezes.thaw_ns(1_000_000), 1_000_000);
    }

    #[test]
    fn without_freezes_work_time_is_real_time() {
        for at in [0, 1, 1 << 60] {
            assert_eq!(Freezes::NONE.to_work_ns(at), at);
            assert_eq!(Freezes::NONE.to_real_ns(at), at);
            assert_eq!(Freezes::NONE.thaw_ns(at), at);
        }
    }

    proptest::proptest! {
        #[test]
        fn to_real_is_the_inverse_of_to_work(
            length_ns in 1_u64..5_000, more_ns in 1_u64..5_000, real_ns in 0_u64..1_000_000
        ) {
            let freezes = Freezes::every(length_ns, length_ns + more_ns);
            let work_ns = freezes.to_work_ns(real_ns);
            proptest::prop_assert_eq!(freezes.to_work_ns(freezes.to_real_ns(work_ns)), work_ns);
            proptest::prop_assert_eq!(freezes.to_real_ns(work_ns), freezes.thaw_ns(real_ns));
        }
    }
}
