//! What happened to the arrivals of a span of time: counters and histograms that add up.

use hdrhistogram::Histogram;

use crate::outcome::Outcome;

/// Durations from 1 µs to 1 h, in ns, with 3 significant digits.
pub fn new_histogram() -> Histogram<u64> {
    #[expect(clippy::expect_used, reason = "the bounds are constants that the library accepts")]
    Histogram::new_with_bounds(1_000, HIGHEST_NS, 3).expect("valid constant bounds")
}

/// The longest duration a histogram tells apart, ns.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;

/// The durations kept of an arrival. See [`Tally`] for what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Timing {
    /// Response time of arrivals that ended ok: last byte − intended start.
    Ok,
    /// Response time of arrivals that failed after a wait.
    Failed,
    /// Last byte − sent.
    Service,
    /// First byte − intended start.
    FirstByte,
    /// Sent − intended start.
    Lateness,
    /// The generator's own part of the lateness: seen by the worker − intended start.
    Lag,
    /// Time to open a connection, TLS included.
    Connect,
}

impl Timing {
    /// Every timing with its name, in the order of its index.
    pub const ALL: [(Timing, &'static str); 7] = [
        (Timing::Ok, "ok"),
        (Timing::Failed, "failed"),
        (Timing::Service, "service"),
        (Timing::FirstByte, "first_byte"),
        (Timing::Lateness, "lateness"),
        (Timing::Lag, "lag"),
        (Timing::Connect, "connect"),
    ];
}

/// Counters, additive over time and workers but for `in_flight_max`.
///
/// Arrivals, outcomes, statuses, causes and histograms belong to the span of the *intended start*;
/// `sent` and `bytes_out` to that of sending; `completed*`, `good` and `bytes_in` to that of
/// completion. All three are kept because each answers another question.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Arrivals due.
    pub arrivals: u64,
    /// By [`Outcome`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Complete responses by HTTP status.
    pub statuses: Vec<(u16, u64)>,
    /// Failures by cause.
    pub causes: Vec<(&'static str, u64)>,
    /// Requests written.
    pub sent: u64,
    /// Bytes written, before TLS.
    pub bytes_out: u64,
    /// Complete responses.
    pub completed: u64,
    /// Complete responses that count as success.
    pub completed_ok: u64,
    /// Of these, those within the bound given to the engine.
    pub good: u64,
    /// Bytes read, after TLS.
    pub bytes_in: u64,
    /// Connections opened.
    pub connections_opened: u64,
    /// Requests sent again because the server had closed the idle connection.
    pub retried: u64,
    /// Connections closed because of bytes nobody asked for.
    pub unsolicited: u64,
    /// Most arrivals in flight at once, on any one worker.
    pub in_flight_max: u64,
    /// Integral of the number in flight, ns.
    pub in_flight_ns: u64,
    /// CPU time of the worker, ns.
    pub cpu_ns: u64,
    /// Time the worker was runnable and had no core, ns.
    pub run_delay_ns: u64,
}

impl Counters {
    fn merge(&mut self, other: &Self) {
        self.arrivals += other.arrivals;
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            *mine += theirs;
        }
        for &(status, count) in &other.statuses {
            add_count(&mut self.statuses, status, count);
        }
        for &(cause, count) in &other.causes {
            add_count(&mut self.causes, cause, count);
        }
        self.sent += other.sent;
        self.bytes_out += other.bytes_out;
        self.completed += other.completed;
        self.completed_ok += other.completed_ok;
        self.good += other.good;
        self.bytes_in += other.bytes_in;
        self.connections_opened += other.connections_opened;
        self.retried += other.retried;
        self.unsolicited += other.unsolicited;
        self.in_flight_max = self.in_flight_max.max(other.in_flight_max);
        self.in_flight_ns += other.in_flight_ns;
        self.cpu_ns += other.cpu_ns;
        self.run_delay_ns += other.run_delay_ns;
    }

    fn reset(&mut self) {
        let (mut statuses, mut causes) =
            (std::mem::take(&mut self.statuses), std::mem::take(&mut self.causes));
        statuses.clear();
        causes.clear();
        *self = Self { statuses, causes, ..Self::default() };
    }
}

/// Adds to the count of a key. The keys are few (statuses seen, fixed causes): a scan is cheapest.
pub(crate) fn add_count<K: PartialEq>(counts: &mut Vec<(K, u64)>, key: K, count: u64) {
    match counts.iter_mut().find(|(k, _)| *k == key) {
        Some((_, n)) => *n += count,
        None => counts.push((key, count)),
    }
}

/// Counters and histograms of one span of time; merging is addition, never an average.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The counters.
    pub counters: Counters,
    timings: [Histogram<u64>; Timing::ALL.len()],
}

impl Default for Tally {
    fn default() -> Self {
        let counters = Counters {
            statuses: Vec::with_capacity(16),
            causes: Vec::with_capacity(16),
            ..Counters::default()
        };
        Self { counters, timings: std::array::from_fn(|_| new_histogram()) }
    }
}

impl Tally {
    /// Adds a duration, ns; one above an hour counts as an hour.
    #[inline]
    pub fn record(&mut self, timing: Timing, value_ns: u64) {
        self.timings[timing as usize].saturating_record(value_ns);
    }

    /// The histogram of a timing.
    pub fn histogram(&self, timing: Timing) -> &Histogram<u64> {
        &self.timings[timing as usize]
    }

    /// Adds another span or another worker.
    pub fn merge(&mut self, other: &Self) {
        self.counters.merge(&other.counters);
        for (mine, theirs) in self.timings.iter_mut().zip(&other.timings) {
            if !theirs.is_empty() {
                #[expect(clippy::expect_used, reason = "all histograms here share their bounds")]
                mine.add(theirs).expect("equal bounds");
            }
        }
    }

    /// Empties it for another use and keeps its memory.
    pub fn reset(&mut self) {
        self.counters.reset();
        for histogram in &mut self.timings {
            if !histogram.is_empty() {
                histogram.reset();
            }
        }
    }
}
