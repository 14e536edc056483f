//! Facts of the bookkeeping.

use crate::outcome::{Failure, Outcome};
use crate::recorder::{Arrival, Delta, Ending, Recorder, Row};
use crate::schedule::{Load, Segment};
use crate::tally::{Tally, Timing};

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn recorder(segments: &[(u64, u64)]) -> Recorder {
    let mut recorder = Recorder::new(0, u64::MAX);
    for (start_ns, duration_ns) in segments {
        let load = Load::Closed { concurrency: 1, think_ns: 0 };
        let segment =
            Segment { start_ns: *start_ns, duration_ns: *duration_ns, load, seed: 0, rows: true };
        recorder.append(&segment, 0);
    }
    recorder
}

fn arrival(intended_ns: u64) -> Arrival {
    Arrival { intended_ns, seen_ns: intended_ns, request: 0, retried: false }
}

fn answer(sent_ns: u64, ended_ns: u64, status: u16) -> Ending {
    Ending { sent_ns: Some(sent_ns), ended_ns, result: Ok(status), ..Ending::unsent() }
}

/// One arrival that is sent at once and answered with 200.
fn perform(recorder: &mut Recorder, intended_ns: u64, ended_ns: u64) {
    recorder.due(&arrival(intended_ns));
    recorder.sent(intended_ns, 10);
    recorder.ended(&arrival(intended_ns), &answer(intended_ns, ended_ns, 200));
}

fn of(deltas: &[Delta], from_ns: u64) -> Tally {
    let mut sum = Tally::default();
    for delta in deltas.iter().filter(|delta| delta.span.from_ns == from_ns) {
        sum.merge(&delta.page.tally);
    }
    sum
}

#[test]
fn each_event_belongs_to_the_second_of_its_own_instant() {
    let mut recorder = recorder(&[(0, 10 * S)]);
    recorder.due(&arrival(900 * MS));
    recorder.sent(1_500 * MS, 10);
    recorder.ended(&arrival(900 * MS), &answer(1_500 * MS, 2_700 * MS, 200));
    let deltas = recorder.hand_over();
    let [first, second, third] = [0, S, 2 * S].map(|from_ns| of(&deltas, from_ns));
    assert_eq!((first.counters.arrivals, first.counters.sent, first.counters.completed), (1, 0, 0));
    assert_eq!((second.counters.sent, second.counters.bytes_out), (1, 10));
    assert_eq!((third.counters.completed, third.counters.good), (1, 1));
    assert_eq!(first.histogram(Timing::Ok).len(), 1, "latency by the intended second");
    assert!(first.histogram(Timing::Lateness).max().abs_diff(600 * MS) < MS);
    assert!(first.histogram(Timing::Service).max().abs_diff(1_200 * MS) < 2 * MS);
}

#[test]
fn an_arrival_that_ends_after_a_hand_over_still_reaches_its_own_second() {
    let mut recorder = recorder(&[(0, 10 * S)]);
    recorder.due(&arrival(100 * MS));
    recorder.advance(S);
    let first = recorder.hand_over();
    assert_eq!(of(&first, 0).counters.outcomes.iter().sum::<u64>(), 0);
    recorder.ended(&arrival(100 * MS), &answer(100 * MS, 5 * S, 500));
    let later = of(&recorder.hand_over(), 0);
    assert_eq!(later.counters.arrivals, 0, "only what is new is handed over");
    assert_eq!(later.counters.outcomes[Outcome::HttpError as usize], 1);
    assert_eq!(later.histogram(Timing::Failed).len(), 1);
}

#[test]
fn the_integral_of_the_number_in_flight_is_the_sum_of_the_response_times() {
    let mut recorder = recorder(&[(0, 10 * S)]);
    let mut expected = 0;
    for k in 0..100 {
        perform(&mut recorder, k * 50 * MS, k * 50 * MS + 20 * MS);
        expected += 20 * MS;
    }
    recorder.due(&Arrival { seen_ns: 6 * S + MS, ..arrival(6 * S) });
    recorder.ended(&arrival(6 * S), &answer(6 * S + MS, 9 * S, 200));
    expected += 3 * S;
    let area: u64 = recorder.hand_over().iter().map(|d| d.page.tally.counters.in_flight_ns).sum();
    assert_eq!(area, expected, "Little's law, to the nanosecond");
}

#[test]
fn every_interval_tells_once_how_many_were_in_flight_at_its_end() {
    let mut recorder = recorder(&[(0, 2 * S), (2 * S, S / 2)]);
    recorder.due(&arrival(300 * MS));
    recorder.due(&arrival(1_300 * MS));
    recorder.advance(4 * S);
    let deltas = recorder.hand_over();
    let ends: Vec<_> =
        deltas.iter().filter_map(|d| d.in_flight_end.map(|n| (d.span.to_ns, n))).collect();
    assert_eq!(ends, [(S, 1), (2 * S, 2), (5 * S / 2, 2), (7 * S / 2, 2)]);
    assert!(recorder.hand_over().iter().all(|d| d.in_flight_end.is_none()));
}

#[test]
fn a_row_is_kept_of_each_arrival_that_ended() {
    let mut recorder = recorder(&[(0, S)]);
    perform(&mut recorder, 100 * MS, 120 * MS);
    let rows: Vec<_> = recorder.hand_over().iter().flat_map(|d| d.page.rows.clone()).collect();
    let (intended_ns, ended_ns) = (100 * MS, 120 * MS);
    assert_eq!(
        rows,
        [Row { intended_ns, sent_ns: intended_ns, ended_ns, outcome: Outcome::Ok, request: 0 }]
    );
}

#[test]
fn failures_are_counted_by_cause_and_only_waits_have_a_duration() {
    let mut recorder = recorder(&[(0, S)]);
    let refused = Failure { outcome: Outcome::Connect, cause: "connection refused" };
    let dropped = Failure { outcome: Outcome::Dropped, cause: "too late" };
    for (k, failure) in [refused, refused, dropped].into_iter().enumerate() {
        let arrival = arrival(k as u64);
        recorder.due(&arrival);
        let ending = Ending { ended_ns: 10 * MS, result: Err(failure), ..Ending::unsent() };
        recorder.ended(&arrival, &ending);
    }
    let sum = of(&recorder.hand_over(), 0);
    assert_eq!(sum.counters.causes, [("connection refused", 2), ("too late", 1)]);
    assert_eq!(sum.histogram(Timing::Failed).len(), 1, "a refusal at once is no response time");
    assert_eq!(sum.counters.completed + sum.counters.sent, 0);
}

#[test]
fn a_good_response_is_ok_and_within_the_bound() {
    let mut recorder = recorder(&[(0, S)]);
    recorder.set_good_within(10 * MS);
    perform(&mut recorder, 0, 5 * MS);
    perform(&mut recorder, 6 * MS, 26 * MS);
    let counters = of(&recorder.hand_over(), 0).counters;
    assert_eq!((counters.completed, counters.completed_ok, counters.good), (2, 2, 1));
}

#[test]
fn a_cut_moves_the_end_of_the_interval_under_way() {
    let mut recorder = recorder(&[(0, 10 * S)]);
    perform(&mut recorder, 1_200 * MS, 1_210 * MS);
    recorder.cut(1_500 * MS);
    recorder.advance(1_600 * MS);
    let deltas = recorder.hand_over();
    let cut = deltas.iter().find(|d| d.span.from_ns == S).expect("the second under way");
    assert_eq!((cut.span.to_ns, cut.in_flight_end), (1_500 * MS, Some(0)));
    assert!(!recorder.load_after(1_500 * MS));
}

#[test]
fn a_tally_comes_home_empty_and_is_used_again() {
    let mut recorder = recorder(&[(0, 100 * S)]);
    for second in 0..50 {
        perform(&mut recorder, second * S, second * S + MS);
        recorder.advance((second + 1) * S);
        let deltas = recorder.hand_over();
        assert_eq!(of(&deltas, second * S).counters.arrivals, 1);
    }
}
