//! The model server as Python sees it.

use std::collections::BTreeMap;

use breakstep_target::model::Status;
use breakstep_target::{Parameters, Server, simulate as virtual_time};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The ends of arrivals at a model server, in virtual time: instants and statuses.
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    parameters: BTreeMap<String, String>,
    arrivals_ns: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let parameters = parse(parameters)?;
    let (arrivals_ns, rest) = arrivals_ns.as_chunks::<8>();
    if !rest.is_empty() || !arrivals_ns.is_sorted_by_key(|at| u64::from_le_bytes(*at)) {
        return Err(PyValueError::new_err("arrivals: little-endian u64, in order of time"));
    }
    let arrivals_ns: Vec<_> = arrivals_ns.iter().map(|at| u64::from_le_bytes(*at)).collect();
    let ends = py.detach(|| virtual_time::simulate(&parameters, &arrivals_ns));
    let instants: Vec<_> = ends.iter().flat_map(|end| end.at_ns.to_le_bytes()).collect();
    let statuses: Vec<_> = ends.iter().flat_map(|end| code(end.status).to_le_bytes()).collect();
    Ok((PyBytes::new(py, &instants), PyBytes::new(py, &statuses)))
}

fn code(status: Status) -> u16 {
    match status {
        Status::Ok => 200,
        Status::Error => 500,
        Status::Refused => 503,
        Status::GaveUp => 504,
    }
}

fn parse(parameters: BTreeMap<String, String>) -> PyResult<Parameters> {
    let pairs: Vec<_> = parameters.into_iter().collect();
    Parameters::parse(&pairs).map_err(|faults| PyValueError::new_err(faults.join("\n")))
}

/// The model server on a thread of its own.
#[pyclass(module = "breakstep._engine")]
pub(crate) struct TargetServer {
    parameters: Parameters,
    running: Option<Server>,
}

impl TargetServer {
    fn running(&self) -> PyResult<&Server> {
        self.running.as_ref().ok_or_else(|| PyRuntimeError::new_err("the server is not running"))
    }
}

#[pymethods]
impl TargetServer {
    #[new]
    fn new(parameters: BTreeMap<String, String>) -> PyResult<Self> {
        let pairs: Vec<_> = parameters.into_iter().collect();
        let parameters =
            Parameters::parse(&pairs).map_err(|faults| PyValueError::new_err(faults.join("\n")))?;
        Ok(Self { parameters, running: None })
    }

    fn start(&mut self, py: Python<'_>) -> PyResult<String> {
        let parameters = self.parameters.clone();
        let server = py
            .detach(|| Server::start(parameters))
            .map_err(|e| PyOSError::new_err(e.to_string()))?;
        let address = server.address();
        self.running = Some(server);
        Ok(address)
    }

    fn truth(&self) -> PyResult<String> {
        Ok(self.running()?.truth())
    }

    fn stop(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.running.take() {
            Some(server) => Ok(py.detach(|| server.stop())?),
            None => Ok(()),
        }
    }
}
