//! The extension module `breakstep._engine`: a thin shim over the engine and the model server.
//! `python/breakstep/_engine.pyi` documents it.

#![allow(
    clippy::needless_pass_by_value,
    clippy::wrong_self_convention,
    reason = "pyo3 hands arguments over by value, and Python's names are Python's"
)]

mod engine;
mod histogram;
mod request;
mod tally;
mod target;
mod wakeup;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::engine::{Engine, Interval, Segment, intended_requests, intended_starts};
    #[pymodule_export]
    use super::histogram::Histogram;
    #[pymodule_export]
    use super::request::request_bytes;
    #[pymodule_export]
    use super::tally::Tally;
    #[pymodule_export]
    use super::target::{TargetServer, simulate};
    #[pymodule_export]
    use super::wakeup::{WakeProbe, WakeSample};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
