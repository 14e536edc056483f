//! A request on the steady path allocates nothing. Alone in its binary: it counts for the process.

mod common;

use std::alloc::System;

use breakstep_engine::engine::{Config, Engine};
use breakstep_engine::schedule::Load;
use common::{MS, answer_at_once, config, listen, offer_on, open, request};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// For each second and worker: the hand-over, the tallies that Python or this test holds on to.
const FOR_THE_SECONDS: usize = 400;

#[test]
fn requests_on_the_steady_path_allocate_nothing() {
    let requests = vec![request("GET", "/", 3.0), request("GET", "/other", 1.0)];
    let config = Config { requests, ..config(listen(answer_at_once)) };
    let mut engine = Engine::start(&config).expect("it starts");
    let closed = Load::Closed { concurrency: 8, think_ns: 0 };
    for load in [closed, open(2_000.0)] {
        offer_on(&mut engine, load, 1_500 * MS);
        let region = Region::new(ALLOCATOR);
        let sum = offer_on(&mut engine, load, 2_500 * MS);
        let allocations = region.change().allocations;
        assert!(sum.counters.completed >= 4_000, "{} requests", sum.counters.completed);
        assert!(
            allocations <= FOR_THE_SECONDS,
            "{allocations} allocations for {} requests",
            sum.counters.completed
        );
    }
}
