//! Prints what it costs to decode typical responses that arrive in one read.
//!
//! `cargo run --release -p breakstep-wire --example decode_cost`

use std::hint::black_box;
use std::time::Instant;

use breakstep_wire::{Progress, ResponseDecoder, WireError};

const ROUNDS: u32 = 1_000_000;
const REPEATS: usize = 7;

const SHORT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TYPICAL: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.27.3\r\n\
Date: Sat, 01 Mar 2025 12:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\
Connection: keep-alive\r\nVary: Accept\r\n\r\n{\"id\": 42, \"name\": \"item\"}\n";
const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.27.3\r\n\
Date: Sat, 01 Mar 2025 12:00:00 GMT\r\nContent-Type: application/json\r\n\
Transfer-Encoding: chunked\r\n\r\n1b\r\n{\"id\": 42, \"name\": \"item\"}\n\r\n0\r\n\r\n";

fn main() -> Result<(), WireError> {
    for (name, input) in [("short", SHORT), ("typical", TYPICAL), ("chunked", CHUNKED)] {
        let mut costs = Vec::with_capacity(REPEATS);
        for _ in 0..REPEATS {
            costs.push(cost_ns(input)?);
        }
        costs.sort_unstable_by(f64::total_cmp);
        println!("{name}: {} bytes, median {:.0} ns", input.len(), costs[REPEATS / 2]);
    }
    Ok(())
}

/// Mean cost of one response, ns.
fn cost_ns(input: &[u8]) -> Result<f64, WireError> {
    let mut decoder = ResponseDecoder::new();
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        decoder.start(false);
        let progress = decoder.decode(black_box(input))?;
        assert!(matches!(black_box(progress), Progress::Complete { .. }));
    }
    Ok(begin.elapsed().as_nanos() as f64 / f64::from(ROUNDS))
}
