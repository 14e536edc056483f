//! One worker's bookkeeping: every event is added to the interval it belongs to.
//!
//! What was added is handed over about once a second and the receiver adds it up, so an arrival
//! that ends long after its intended start still reaches the interval of that start.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::clock::thread_cpu_ns;
use crate::outcome::{Failure, Outcome};
use crate::schedule::Segment;
use crate::tally::{Tally, Timing, add_count};
use crate::timeline::{Span, Timeline};

/// One arrival that has ended, where its segment asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its intended start.
    pub intended_ns: u64,
    /// When it was sent; `u64::MAX` if it never was.
    pub sent_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// How.
    pub outcome: Outcome,
    /// What it performed: the number of the request.
    pub request: u16,
}

impl Row {
    fn new(arrival: &Arrival, ending: &Ending, outcome: Outcome) -> Self {
        Self {
            intended_ns: arrival.intended_ns,
            sent_ns: ending.sent_ns.unwrap_or(u64::MAX),
            ended_ns: ending.ended_ns,
            outcome,
            request: arrival.request,
        }
    }
}

/// A tally and the rows behind it.
#[derive(Debug, Default)]
pub struct Page {
    /// The sums.
    pub tally: Tally,
    /// The arrivals that ended, in order of their ends; empty unless the segment keeps rows.
    pub rows: Vec<Row>,
}

/// What one worker added to one interval since the last hand-over.
#[derive(Debug)]
pub struct Delta {
    /// Number of the worker.
    pub worker: usize,
    /// The interval.
    pub span: Span,
    /// In flight when the interval's time had passed; in one hand-over of it only.
    pub in_flight_end: Option<u64>,
    /// What was added. Returns to the worker for another use when dropped.
    pub page: Lease,
}

/// A page on loan from its worker, so that the worker need not allocate a new one each second.
#[derive(Debug)]
pub struct Lease {
    page: Option<Box<Page>>,
    home: Sender<Box<Page>>,
}

impl std::ops::Deref for Lease {
    type Target = Page;
    #[expect(clippy::expect_used, reason = "only drop takes the page out")]
    fn deref(&self) -> &Page {
        self.page.as_ref().expect("present until dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(mut page) = self.page.take() {
            page.tally.reset();
            page.rows.clear();
            // A worker that has ended needs no page back.
            let _ = self.home.send(page);
        }
    }
}

/// An arrival as the worker knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) intended_ns: u64,
    /// When the worker saw that it was due.
    pub(crate) seen_ns: u64,
    /// What it performs: the number of the request.
    pub(crate) request: u16,
    /// Sent again once already, on a fresh connection.
    pub(crate) retried: bool,
}

/// How an arrival ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    pub(crate) sent_ns: Option<u64>,
    pub(crate) first_byte_ns: Option<u64>,
    pub(crate) ended_ns: u64,
    pub(crate) bytes_in: u64,
    /// Status of the complete response, or why there is none.
    pub(crate) result: Result<u16, Failure>,
}

impl Ending {
    /// Where an arrival stands before anything was sent.
    pub(crate) fn unsent() -> Self {
        Self {
            sent_ns: None,
            first_byte_ns: None,
            ended_ns: 0,
            bytes_in: 0,
            result: Err(Failure::timeout()),
        }
    }
}

/// Pages ready for use at the start, so that the first seconds allocate nothing.
const SPARE: usize = 4;

pub(crate) struct Recorder {
    worker: usize,
    timeline: Timeline,
    current: Span,
    open: Vec<(Span, Option<u64>, Box<Page>)>,
    #[expect(clippy::vec_box, reason = "pages travel between threads boxed")]
    spare: Vec<Box<Page>>,
    returns: (Sender<Box<Page>>, Receiver<Box<Page>>),
    good_within_ns: u64,
    in_flight: u64,
    counted_to_ns: u64,
    cpu_ns: u64,
    run_delay_ns: u64,
}

impl Recorder {
    pub(crate) fn new(worker: usize, good_within_ns: u64) -> Self {
        let timeline = Timeline::default();
        Self {
            worker,
            current: timeline.locate(0),
            timeline,
            open: Vec::with_capacity(64),
            spare: (0..SPARE).map(|_| Box::default()).collect(),
            returns: channel(),
            good_within_ns,
            in_flight: 0,
            counted_to_ns: 0,
            cpu_ns: thread_cpu_ns(),
            run_delay_ns: run_delay_ns(),
        }
    }

    pub(crate) fn append(&mut self, segment: &Segment, now_ns: u64) {
        self.timeline.append(segment);
        self.relocate(now_ns);
    }

    pub(crate) fn cut(&mut self, at_ns: u64) {
        self.timeline.cut(at_ns);
        for (span, _, _) in &mut self.open {
            if span.segment.is_some() && span.contains(at_ns) {
                span.to_ns = at_ns;
            }
        }
        self.relocate(at_ns.min(self.counted_to_ns));
    }

    pub(crate) fn set_good_within(&mut self, good_within_ns: u64) {
        self.good_within_ns = good_within_ns;
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// When the current interval's time will have passed.
    pub(crate) fn interval_end_ns(&self) -> u64 {
        self.current.to_ns
    }

    /// Whether load is still to come.
    pub(crate) fn load_after(&self, at_ns: u64) -> bool {
        self.timeline.load_after(at_ns)
    }

    #[inline]
    pub(crate) fn due(&mut self, arrival: &Arrival) {
        self.advance(arrival.seen_ns);
        self.in_flight += 1;
        let in_flight = self.in_flight;
        let now = self.current_tally();
        now.counters.in_flight_max = now.counters.in_flight_max.max(in_flight);
        let lag_ns = arrival.seen_ns - arrival.intended_ns;
        // In the system since it was due, though the worker saw it a moment later.
        now.counters.in_flight_ns += lag_ns;
        let tally = self.tally_at(arrival.intended_ns);
        tally.counters.arrivals += 1;
        tally.record(Timing::Lag, lag_ns);
    }

    #[inline]
    pub(crate) fn sent(&mut self, at_ns: u64, bytes: usize) {
        self.advance(at_ns);
        let counters = &mut self.current_tally().counters;
        counters.sent += 1;
        counters.bytes_out += bytes as u64;
    }

    pub(crate) fn retried(&mut self, bytes: usize) {
        let counters = &mut self.current_tally().counters;
        counters.retried += 1;
        counters.bytes_out += bytes as u64;
    }

    pub(crate) fn unsolicited(&mut self) {
        self.current_tally().counters.unsolicited += 1;
    }

    pub(crate) fn connected(&mut self, intended_ns: u64, took_ns: u64) {
        self.current_tally().counters.connections_opened += 1;
        self.tally_at(intended_ns).record(Timing::Connect, took_ns);
    }

    #[inline]
    pub(crate) fn ended(&mut self, arrival: &Arrival, ending: &Ending) {
        self.advance(ending.ended_ns);
        self.in_flight -= 1;
        let response_ns = ending.ended_ns - arrival.intended_ns;
        let outcome = outcome_of(ending.result);
        self.current_tally().counters.bytes_in += ending.bytes_in;
        if ending.result.is_ok() {
            self.completed(outcome, response_ns);
        }
        let (span, page) = self.page_at(arrival.intended_ns);
        if span.rows {
            page.rows.push(Row::new(arrival, ending, outcome));
        }
        let tally = &mut page.tally;
        tally.counters.outcomes[outcome as usize] += 1;
        match ending.result {
            Ok(status) => add_count(&mut tally.counters.statuses, status, 1),
            Err(failure) => add_count(&mut tally.counters.causes, failure.cause, 1),
        }
        record_timings(tally, arrival, ending, outcome, response_ns);
    }

    fn completed(&mut self, outcome: Outcome, response_ns: u64) {
        let good = outcome == Outcome::Ok && response_ns <= self.good_within_ns;
        let counters = &mut self.current_tally().counters;
        counters.completed += 1;
        counters.completed_ok += u64::from(outcome == Outcome::Ok);
        counters.good += u64::from(good);
    }

    /// Brings the time-weighted count up to `now_ns`, closing the intervals that have passed.
    #[inline]
    pub(crate) fn advance(&mut self, now_ns: u64) {
        while now_ns >= self.current.to_ns {
            self.close_interval();
        }
        self.count_until(now_ns);
    }

    /// Hands over once an interval has passed, or the load is over and everything has ended.
    pub(crate) fn hand_over_if_due(&mut self, now_ns: u64) -> Option<Vec<Delta>> {
        let passed = self.open.iter().any(|(_, in_flight_end, _)| in_flight_end.is_some());
        let over = self.in_flight == 0 && !self.timeline.load_after(now_ns);
        let over = over && !self.open.is_empty();
        (passed || over).then(|| self.hand_over())
    }

    /// Hands over everything added since the last time, the worker's own use included.
    pub(crate) fn hand_over(&mut self) -> Vec<Delta> {
        self.measure_self();
        let (home, worker) = (&self.returns.0, self.worker);
        let lend = |(span, in_flight_end, page)| {
            let page = Lease { page: Some(page), home: home.clone() };
            Delta { worker, span, in_flight_end, page }
        };
        self.open.drain(..).map(lend).collect()
    }

    fn close_interval(&mut self) {
        let end_ns = self.current.to_ns;
        self.count_until(end_ns);
        let (current, in_flight) = (self.current, self.in_flight);
        self.open_at(current).1 = Some(in_flight);
        self.current = self.timeline.locate(end_ns);
    }

    fn count_until(&mut self, now_ns: u64) {
        if now_ns > self.counted_to_ns {
            let area = self.in_flight * (now_ns - self.counted_to_ns);
            self.counted_to_ns = now_ns;
            if area > 0 {
                let in_flight = self.in_flight;
                let counters = &mut self.current_tally().counters;
                counters.in_flight_ns += area;
                counters.in_flight_max = counters.in_flight_max.max(in_flight);
            }
        }
    }

    /// The grid has changed: the current interval may now end elsewhere.
    fn relocate(&mut self, now_ns: u64) {
        let before = self.current;
        self.current = self.timeline.locate(now_ns.max(before.from_ns));
        if self.current.from_ns == before.from_ns {
            for (span, _, _) in &mut self.open {
                if *span == before {
                    *span = self.current;
                }
            }
        }
    }

    fn measure_self(&mut self) {
        let (cpu_ns, run_delay_ns) = (thread_cpu_ns(), run_delay_ns());
        let (used, waited) = (cpu_ns - self.cpu_ns, run_delay_ns - self.run_delay_ns);
        (self.cpu_ns, self.run_delay_ns) = (cpu_ns, run_delay_ns);
        // It was used in the interval that has just passed, if one has.
        let passed = self.open.iter_mut().rev().find(|(_, end, _)| end.is_some());
        let counters = match passed {
            Some((_, _, page)) => &mut page.tally.counters,
            None => &mut self.current_tally().counters,
        };
        counters.cpu_ns += used;
        counters.run_delay_ns += waited;
    }

    #[inline]
    fn current_tally(&mut self) -> &mut Tally {
        &mut self.open_at(self.current).2.tally
    }

    #[inline]
    fn tally_at(&mut self, at_ns: u64) -> &mut Tally {
        &mut self.page_at(at_ns).1.tally
    }

    #[inline]
    fn page_at(&mut self, at_ns: u64) -> (Span, &mut Page) {
        let (span, _, page) = match self.open.iter().rposition(|(s, _, _)| s.contains(at_ns)) {
            Some(i) => &mut self.open[i],
            None => self.open_at(self.timeline.locate(at_ns)),
        };
        (*span, page)
    }

    #[inline]
    fn open_at(&mut self, span: Span) -> &mut (Span, Option<u64>, Box<Page>) {
        let known = self.open.iter().rposition(|(s, _, _)| s.from_ns == span.from_ns);
        let i = known.unwrap_or_else(|| {
            let page = self.spare_page();
            self.open.push((span, None, page));
            self.open.len() - 1
        });
        &mut self.open[i]
    }

    fn spare_page(&mut self) -> Box<Page> {
        self.spare.extend(self.returns.1.try_iter());
        self.spare.pop().unwrap_or_default()
    }
}

fn outcome_of(result: Result<u16, Failure>) -> Outcome {
    match result {
        Ok(status) if status >= 400 => Outcome::HttpError,
        Ok(_) => Outcome::Ok,
        Err(failure) => failure.outcome,
    }
}

#[inline]
fn record_timings(
    tally: &mut Tally,
    arrival: &Arrival,
    ending: &Ending,
    outcome: Outcome,
    response_ns: u64,
) {
    if outcome == Outcome::Ok {
        tally.record(Timing::Ok, response_ns);
    } else if outcome.failed_after_a_wait() {
        tally.record(Timing::Failed, response_ns);
    }
    if let Some(sent_ns) = ending.sent_ns {
        tally.record(Timing::Lateness, sent_ns.saturating_sub(arrival.intended_ns));
        if ending.result.is_ok() {
            tally.record(Timing::Service, ending.ended_ns.saturating_sub(sent_ns));
        }
    }
    if let Some(first_byte_ns) = ending.first_byte_ns {
        tally.record(Timing::FirstByte, first_byte_ns - arrival.intended_ns);
    }
}

/// Time the calling thread was runnable without a core, ns: the second field of its schedstat.
/// Zero where the kernel keeps no such count.
fn run_delay_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
}
