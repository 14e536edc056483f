//! The engine against real sockets.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use breakstep_engine::engine::{Config, Engine, EngineError};
use breakstep_engine::mix::{Mix, bits_of};
use breakstep_engine::outcome::Outcome;
use breakstep_engine::recorder::Row;
use breakstep_engine::schedule::{Load, Segment};
use breakstep_engine::tally::Timing;
use common::{MS, answer_at_once, config, listen, never_answer, offer, open, request};

/// Answers 404 under `/missing`, and to a HEAD as to the GET of the same path.
fn answer_by_path(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    stream.set_nodelay(true).expect("a TCP socket");
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        let request = String::from_utf8_lossy(&buffer[..n]);
        let status = if request.contains("/missing") { "404 Not Found" } else { "200 OK" };
        let body = if request.starts_with("HEAD") { "" } else { "hello" };
        let response = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n{body}");
        if stream.write_all(response.as_bytes()).is_err() {
            break;
        }
    }
}

/// Answers the first request of a connection and closes when the second comes.
fn close_on_the_second(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    if stream.read(&mut buffer).is_ok_and(|n| n > 0) {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        let _ = stream.read(&mut buffer);
    }
}

#[test]
fn every_arrival_is_sent_and_answered_at_a_comfortable_rate() {
    let sum = offer(&config(listen(answer_at_once)), open(500.0), 1_000 * MS);
    let counters = &sum.counters;
    assert_eq!((counters.arrivals, counters.sent, counters.completed_ok), (500, 500, 500));
    assert_eq!(counters.statuses, [(200, 500)]);
    assert_eq!(sum.histogram(Timing::Lateness).len(), 500);
}

#[test]
fn several_workers_offer_together_what_one_would() {
    let config = Config { workers: 3, ..config(listen(answer_at_once)) };
    let sum = offer(&config, open(300.0), 1_000 * MS);
    assert_eq!((sum.counters.arrivals, sum.counters.completed_ok), (300, 300));
}

#[test]
fn without_keep_alive_every_request_has_a_connection_of_its_own() {
    let config = Config { keep_alive: false, ..config(listen(answer_at_once)) };
    let sum = offer(&config, open(100.0), 500 * MS);
    assert_eq!((sum.counters.completed_ok, sum.counters.connections_opened), (50, 50));
}

#[test]
fn a_request_lost_on_a_stale_connection_is_sent_once_more_and_counted() {
    let sum = offer(&config(listen(close_on_the_second)), open(100.0), 500 * MS);
    let counters = &sum.counters;
    assert_eq!((counters.arrivals, counters.completed_ok), (50, 50));
    // Each connection answers one and loses one, which begins the next connection.
    assert_eq!((counters.retried, counters.sent), (49, 50));
    assert_eq!(counters.connections_opened, 50);
}

#[test]
fn what_was_sent_times_out_and_what_never_was_is_dropped() {
    let config = Config { max_in_flight: 3, timeout_ns: 300 * MS, ..config(listen(never_answer)) };
    // All at about the same instant: a connection that comes free at the timeout is too late.
    let sum = offer(&config, open(1e6), MS / 10);
    let count = |outcome| sum.counters.outcomes[outcome as usize];
    assert_eq!(sum.counters.arrivals, 100);
    assert_eq!(count(Outcome::Timeout) + count(Outcome::Dropped), 100);
    assert_eq!(count(Outcome::Timeout), sum.histogram(Timing::Lateness).len());
    assert!(count(Outcome::Timeout) >= 3 && count(Outcome::Dropped) >= 50);
    let waited = sum.histogram(Timing::Failed);
    assert!(waited.len() == 100 && waited.min() >= 299 * MS, "timed from the intended start");
}

#[test]
fn an_arrival_performs_the_request_that_its_number_chooses() {
    let requests =
        vec![request("GET", "/", 6.0), request("GET", "/missing", 3.0), request("HEAD", "/", 1.0)];
    let config = Config { requests, workers: 2, ..config(listen(answer_by_path)) };
    let segment = Segment {
        start_ns: 20 * MS,
        duration_ns: 500 * MS,
        load: open(600.0),
        seed: 9,
        rows: true,
    };
    let mut engine = Engine::start(&config).expect("it starts");
    engine.append(segment).expect("a sound segment");
    std::thread::sleep(Duration::from_millis(800));
    let deltas = engine.drain(Duration::ZERO).expect("workers live");
    let mut rows: Vec<_> = deltas.iter().flat_map(|delta| delta.page.rows.iter()).collect();
    rows.sort_unstable_by_key(|row| row.intended_ns);
    let mix = Mix::new(&[6.0, 3.0, 1.0]);
    let planned: Vec<_> = (0..300).map(|number| mix.choose(bits_of(9, number))).collect();
    assert_eq!(rows.iter().map(|row| row.request).collect::<Vec<_>>(), planned);
    let missing = |row: &&&Row| row.outcome == Outcome::HttpError;
    assert!(rows.iter().filter(missing).all(|row| row.request == 1));
    assert_eq!(
        rows.iter().filter(missing).count(),
        planned.iter().filter(|request| **request == 1).count()
    );
    assert!(rows.iter().all(|row| matches!(row.outcome, Outcome::Ok | Outcome::HttpError)));
}

#[test]
fn without_a_request_there_is_no_engine() {
    let config = Config { requests: Vec::new(), ..config(listen(answer_at_once)) };
    assert!(matches!(Engine::start(&config), Err(EngineError::Config(_))));
}

#[test]
fn a_closed_load_keeps_as_many_in_flight_as_it_has_users() {
    let load = Load::Closed { concurrency: 5, think_ns: 0 };
    let sum = offer(&config(listen(answer_at_once)), load, 500 * MS);
    assert_eq!((sum.counters.in_flight_max, sum.counters.connections_opened), (5, 5));
    assert_eq!(sum.counters.completed_ok, sum.counters.arrivals);
}

#[test]
fn a_refused_connection_is_an_outcome_with_its_cause() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let sum = offer(&config(address), open(100.0), 100 * MS);
    assert_eq!(sum.counters.outcomes[Outcome::Connect as usize], 10);
    assert_eq!(sum.counters.causes, [("connection refused", 10)]);
}

#[test]
fn a_cut_ends_the_load_and_what_was_due_is_finished() {
    let mut engine = Engine::start(&config(listen(answer_at_once))).expect("it starts");
    let segment = Segment {
        start_ns: 20 * MS,
        duration_ns: 60_000 * MS,
        load: open(1_000.0),
        seed: 0,
        rows: false,
    };
    engine.append(segment).expect("a sound segment");
    std::thread::sleep(Duration::from_millis(300));
    let at_ns = engine.cut();
    std::thread::sleep(Duration::from_millis(300));
    let deltas = engine.drain(Duration::ZERO).expect("workers live");
    let (mut arrivals, mut ended) = (0, 0);
    for delta in &deltas {
        arrivals += delta.page.tally.counters.arrivals;
        ended += delta.page.tally.counters.outcomes.iter().sum::<u64>();
    }
    assert_eq!(arrivals, (at_ns - 20 * MS).div_ceil(MS), "one each millisecond until the cut");
    assert_eq!(ended, arrivals);
}

#[test]
fn load_after_a_cut_is_counted_as_its_own_segment() {
    let mut engine = Engine::start(&config(listen(answer_at_once))).expect("it starts");
    for start_ns in [20 * MS, 1_000 * MS, 5_000 * MS] {
        let segment =
            Segment { start_ns, duration_ns: 900 * MS, load: open(100.0), seed: 0, rows: false };
        engine.append(segment).expect("a sound segment");
    }
    std::thread::sleep(Duration::from_millis(100));
    engine.cut();
    let sum = common::offer_on(&mut engine, open(200.0), 500 * MS);
    assert_eq!(sum.counters.statuses.len(), 1);
    assert!(sum.counters.arrivals >= 100, "the first segment's rest may be among them");
    let deltas = engine.stop();
    assert!(deltas.iter().all(|delta| delta.span.segment.is_none_or(|number| number == 3)));
}

#[test]
fn stopping_takes_no_second_whatever_is_in_flight() {
    let mut engine = Engine::start(&config(listen(never_answer))).expect("it starts");
    let segment = Segment {
        start_ns: 0,
        duration_ns: 60_000 * MS,
        load: open(1_000.0),
        seed: 0,
        rows: false,
    };
    engine.append(segment).expect("a sound segment");
    std::thread::sleep(Duration::from_millis(100));
    let (before, last) = (engine.clock().now_ns(), engine.stop());
    assert!(engine.clock().now_ns() - before < 1_000 * MS);
    assert!(last.iter().map(|delta| delta.page.tally.counters.arrivals).sum::<u64>() > 0);
}

#[test]
fn segments_may_not_overlap_or_be_empty() {
    let mut engine = Engine::start(&config(listen(answer_at_once))).expect("it starts");
    let segment = Segment {
        start_ns: 1_000 * MS,
        duration_ns: 500 * MS,
        load: open(1.0),
        seed: 0,
        rows: false,
    };
    assert_eq!(engine.append(segment).expect("the first"), 0);
    let overlap = engine.append(Segment { start_ns: 1_400 * MS, ..segment });
    assert!(matches!(overlap, Err(EngineError::Segment { earliest_ns: 1_500_000_000 })));
    let empty = Segment { start_ns: 2_000 * MS, duration_ns: 0, ..segment };
    assert!(engine.append(empty).is_err());
}
