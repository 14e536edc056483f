//! A rate that goes linearly from one value to another, and the inverse of its integral.

/// Rate over a segment: `r(t) = from + (to − from)·t/duration` for t in \[0, duration), 1/s and s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// At the start, arrivals a second.
    pub from_per_s: f64,
    /// At the end, arrivals a second.
    pub to_per_s: f64,
    /// Seconds, above zero.
    pub duration_s: f64,
}

impl Rate {
    /// Expected arrivals up to `t_s`: `n(t) = from·t + a·t²/2` with `a = (to − from)/duration`.
    pub fn expected_until(&self, t_s: f64) -> f64 {
        self.from_per_s * t_s + self.slope() * t_s * t_s / 2.0
    }

    /// The instant at which `n` arrivals are expected, s; None if the segment ends before.
    ///
    /// The root of `n(t) = n` in the form `t = 2n / (from + √(from² + 2an))`, which is exact for a
    /// constant rate too and never subtracts two close numbers.
    pub fn instant_of(&self, n: f64) -> Option<f64> {
        if n >= self.expected_until(self.duration_s) {
            return None;
        }
        if n <= 0.0 {
            return Some(0.0);
        }
        // Rounding can take the root a hair below zero at the end of a ramp down to zero.
        let root = (self.from_per_s * self.from_per_s + 2.0 * self.slope() * n).max(0.0).sqrt();
        Some(2.0 * n / (self.from_per_s + root))
    }

    fn slope(&self) -> f64 {
        (self.to_per_s - self.from_per_s) / self.duration_s
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Rate;

    proptest! {
        #[test]
        fn the_instant_inverts_the_integral(
            from_per_s in 0.0..100_000.0, to_per_s in 0.0..100_000.0,
            duration_s in 0.001..1000.0, share in 0.0..1.0f64,
        ) {
            let rate = Rate { from_per_s, to_per_s, duration_s };
            let n = share * rate.expected_until(duration_s);
            if let Some(t_s) = rate.instant_of(n) {
                prop_assert!((0.0..=duration_s * (1.0 + 1e-9)).contains(&t_s));
                prop_assert!((rate.expected_until(t_s) - n).abs() <= 1e-6 * n.max(1.0));
            }
        }
    }

    #[test]
    fn a_constant_rate_is_evenly_spaced() {
        let rate = Rate { from_per_s: 10.0, to_per_s: 10.0, duration_s: 1.0 };
        let instants: Vec<_> = (0..11).map(|n| rate.instant_of(f64::from(n))).collect();
        assert_eq!(instants[3], Some(0.3));
        assert_eq!(instants[10], None);
    }

    #[test]
    fn a_ramp_from_zero_reaches_n_at_the_square_root() {
        let rate = Rate { from_per_s: 0.0, to_per_s: 200.0, duration_s: 1.0 };
        assert_eq!(rate.instant_of(25.0), Some(0.5));
    }
}
