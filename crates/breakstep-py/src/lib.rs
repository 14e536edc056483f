//! The extension module `breakstep._engine`: a thin shim over the engine and the model server.
use pyo3::prelude::*;

#[pymodule]
mod _engine {}
