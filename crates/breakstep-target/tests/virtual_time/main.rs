//! The model in virtual time: laws of queueing, and what each parameter adds to them.

mod discipline;
mod formula;
mod front;
mod offer;
mod stall;
