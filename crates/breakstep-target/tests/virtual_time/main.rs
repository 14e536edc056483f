//! The model in virtual time: laws of queueing, and what each parameter adds to them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod discipline;
mod formula;
mod front;
mod offer;
mod stall;
