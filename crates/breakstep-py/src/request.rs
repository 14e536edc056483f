//! Building requests.

use breakstep_wire::{RequestSpec, encode_request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[pyfunction]
pub(crate) fn request_bytes<'py>(
    py: Python<'py>,
    method: &str,
    target: &str,
    host: &str,
    headers: Vec<(String, String)>,
    body: &[u8],
    keep_alive: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let spec = RequestSpec { method, target, host, headers: &headers, body, keep_alive };
    let bytes = encode_request(&spec).map_err(|faults| {
        let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
        PyValueError::new_err(lines.join("\n"))
    })?;
    Ok(PyBytes::new(py, &bytes))
}
