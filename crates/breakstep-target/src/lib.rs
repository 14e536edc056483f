//! The model server: an HTTP/1.1 server whose queueing behaviour is known exactly.
//!
//! Service is an event in a virtual queue, not work: a response is written when its finish
//! instant comes, so one thread can pretend to be any number of servers and still know when each
//! of them would have finished. The [`model`] is pure; [`Server`] gives it sockets and a clock.

pub mod discipline;
pub mod fate;
pub mod fcfs;
pub mod freeze;
pub mod model;
pub mod parameters;
pub mod patience;
pub mod service;
pub mod sharing;
mod text;
mod truth;

pub use parameters::Parameters;
