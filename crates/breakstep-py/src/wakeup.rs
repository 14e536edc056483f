//! The wake-up probe as Python sees it.

use breakstep_engine::wakeup;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::histogram::Histogram;

/// More cores than the kernel's own set of them holds make no sense.
const CORES_MAX: usize = 1024;

/// What the thread of one core saw.
#[pyclass(module = "breakstep._engine", frozen)]
pub(crate) struct WakeSample(wakeup::WakeSample);

#[pymethods]
impl WakeSample {
    #[getter]
    fn core(&self) -> Option<usize> {
        self.0.core
    }

    #[getter]
    fn lateness(&self) -> Histogram {
        Histogram(self.0.lateness.clone())
    }

    #[getter]
    fn events(&self) -> Vec<(u64, u64)> {
        self.0.events.iter().map(|event| (event.planned_wall_ns, event.late_ns)).collect()
    }

    #[getter]
    fn forgotten(&self) -> u64 {
        self.0.forgotten
    }
}

/// Threads that sleep.
#[pyclass(module = "breakstep._engine")]
pub(crate) struct WakeProbe {
    cores: Vec<usize>,
    late_ns: u64,
    running: Option<wakeup::WakeProbe>,
}

#[pymethods]
impl WakeProbe {
    #[new]
    #[pyo3(signature = (cores = None, *, late_ns = 1_000_000))]
    fn new(cores: Option<Vec<usize>>, late_ns: u64) -> PyResult<Self> {
        let cores = cores.unwrap_or_default();
        if cores.iter().any(|core| *core >= CORES_MAX) {
            return Err(PyValueError::new_err(format!("cores: from 0 to {}", CORES_MAX - 1)));
        }
        Ok(Self { cores, late_ns, running: None })
    }

    fn start(&mut self, py: Python<'_>) -> PyResult<()> {
        let (cores, late_ns) = (&self.cores, self.late_ns);
        let started = py.detach(|| wakeup::WakeProbe::start(cores, late_ns));
        self.running = Some(started.map_err(|e| PyOSError::new_err(e.to_string()))?);
        Ok(())
    }

    fn take(&self, py: Python<'_>) -> PyResult<Vec<WakeSample>> {
        let running = self.running.as_ref();
        let running =
            running.ok_or_else(|| PyRuntimeError::new_err("the wake-up probe is not running"))?;
        Ok(py.detach(|| running.take()).into_iter().map(WakeSample).collect())
    }

    fn stop(&mut self, py: Python<'_>) {
        let running = self.running.take();
        py.detach(|| drop(running));
    }
}
