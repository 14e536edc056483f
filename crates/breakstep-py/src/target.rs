//! The model server as Python sees it.

use std::collections::BTreeMap;

use breakstep_target::{Parameters, Server};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

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
