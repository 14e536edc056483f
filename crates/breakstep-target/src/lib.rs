//! The model server: an HTTP/1.1 server whose queueing behaviour is known exactly.
//!
//! Service is an event in a virtual queue, not work: a response is written when its finish
//! instant comes, so one thread can pretend to be any number of servers and still know when each
//! of them would have finished. The [`model`] is pure; [`Server`] gives it sockets and a clock.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on has failed"))]

mod arrival_log;
mod connection;
pub mod discipline;
pub mod fate;
pub mod fcfs;
pub mod freeze;
mod listener;
pub mod model;
pub mod parameters;
pub mod patience;
mod response;
pub mod server;
pub mod service;
mod serving;
mod shared;
pub mod sharing;
pub mod simulate;
mod slot;
mod text;
mod truth;

pub use parameters::Parameters;
pub use server::{Server, StartError};
