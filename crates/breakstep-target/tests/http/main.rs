//! The server over real sockets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod client;
mod life;
mod protocol;
mod timing;
