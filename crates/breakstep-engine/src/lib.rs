//! The data plane of breakstep: offers load on a schedule and times every arrival from the
//! instant it was meant to start. No request touches an interpreter.
//!
//! The flow: [`schedule`] says when arrivals are due; a worker's pacer wakes for them and gives
//! each to a connection; the recorder adds what happened to the interval it belongs to; the
//! [`engine::Engine`] hands the sums over about once a second.

pub mod clock;
mod connection;
pub mod engine;
pub mod mix;
pub mod outcome;
mod pacer;
pub mod rate;
pub mod recorder;
pub mod schedule;
pub mod tally;
pub mod timeline;
pub mod timer;
pub mod tls;
pub mod transport;
pub mod wakeup;
mod worker;

#[cfg(test)]
mod recorder_test;
#[cfg(test)]
mod schedule_test;
