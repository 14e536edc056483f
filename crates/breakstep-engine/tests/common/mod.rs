//! A server for the engine's own tests: blocking, a thread for each connection, allocates nothing
//! while serving.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part of this module")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use breakstep_engine::engine::{Config, Engine};
use breakstep_engine::mix::Request;
use breakstep_engine::schedule::{Law, Load, Segment};
use breakstep_engine::tally::Tally;
use breakstep_engine::transport::Address;

pub const MS: u64 = 1_000_000;

/// Listens and gives every connection to `serve` on a thread of its own, until the process ends.
pub fn listen(serve: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it listens");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Answers every request at once.
pub fn answer_at_once(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    stream.set_nodelay(true).expect("a TCP socket");
    while stream.read(&mut buffer).is_ok_and(|n| n > 0) {
        if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").is_err() {
            break;
        }
    }
}

/// Reads and never answers.
pub fn never_answer(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).is_ok_and(|n| n > 0) {}
}

pub fn config(address: SocketAddr) -> Config {
    Config {
        address: Address::Tcp(address),
        requests: vec![request("GET", "/", 1.0)],
        keep_alive: true,
        tls: None,
        workers: 1,
        pin: Vec::new(),
        spin: false,
        max_in_flight: 100,
        timeout_ns: 5_000 * MS,
        good_within_ns: None,
    }
}

pub fn request(method: &str, path: &str, weight: f64) -> Request {
    let bytes = format!("{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n").into_bytes();
    Request { bytes, head_only: method == "HEAD", weight }
}

pub fn open(rate_per_s: f64) -> Load {
    Load::Open { from_per_s: rate_per_s, to_per_s: rate_per_s, law: Law::Uniform }
}

/// Offers a load for `duration_ns` and waits until every arrival has ended.
pub fn offer(config: &Config, load: Load, duration_ns: u64) -> Tally {
    let mut engine = Engine::start(config).expect("the engine starts");
    let sum = offer_on(&mut engine, load, duration_ns);
    engine.stop();
    sum
}

/// The same on an engine that goes on.
pub fn offer_on(engine: &mut Engine, load: Load, duration_ns: u64) -> Tally {
    let start_ns = engine.clock().now_ns() + 20 * MS;
    let segment = Segment { start_ns, duration_ns, load, seed: 1, rows: true };
    engine.append(segment).expect("a sound segment");
    let (mut sum, mut past_ns) = (Tally::default(), vec![0; engine.workers()]);
    let ended = |sum: &Tally| sum.counters.outcomes.iter().sum::<u64>();
    while past_ns.iter().any(|past_ns| *past_ns < start_ns + duration_ns)
        || ended(&sum) < sum.counters.arrivals
    {
        for delta in engine.drain(Duration::from_millis(20)).expect("workers live") {
            sum.merge(&delta.page.tally);
            if delta.in_flight_end.is_some() {
                past_ns[delta.worker] = delta.span.to_ns;
            }
        }
    }
    sum
}
