//! The data plane of breakstep: offers load on a schedule and times every arrival from the
//! instant it was meant to start. No request touches an interpreter.

pub mod clock;
pub mod timer;
