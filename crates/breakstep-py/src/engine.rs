//! The engine as Python sees it.

use std::time::Duration;

use breakstep_engine::engine::{self, Config, EngineError};
use breakstep_engine::mix::{self, Mix, Request};
use breakstep_engine::recorder::{Delta, Row};
use breakstep_engine::schedule::{self, Due, Law, Load, Schedule};
use breakstep_engine::timeline::Span;
use breakstep_engine::tls::Trust;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::tally::Tally;

/// Load for a time.
#[pyclass(module = "breakstep._engine", frozen, from_py_object)]
#[derive(Clone)]
pub(crate) struct Segment(schedule::Segment);

#[pymethods]
impl Segment {
    #[new]
    #[pyo3(signature = (*, start_ns, duration_ns, from_per_s = 0.0, to_per_s = 0.0,
                        arrivals = "poisson", seed = 0, concurrency = None, think_ns = 0,
                        rows = false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python constructor")]
    fn new(
        start_ns: u64,
        duration_ns: u64,
        from_per_s: f64,
        to_per_s: f64,
        arrivals: &str,
        seed: u64,
        concurrency: Option<u64>,
        think_ns: u64,
        rows: bool,
    ) -> PyResult<Self> {
        let law = match arrivals {
            "uniform" => Law::Uniform,
            "poisson" => Law::Poisson,
            _ => return Err(PyValueError::new_err("arrivals: write uniform or poisson")),
        };
        let load = match concurrency {
            Some(concurrency) => Load::Closed { concurrency, think_ns },
            None => Load::Open { from_per_s, to_per_s, law },
        };
        Ok(Self(schedule::Segment { start_ns, duration_ns, load, seed, rows }))
    }
}

#[pyfunction]
#[pyo3(signature = (segments, *, worker = 0, workers = 1, limit = 10_000_000))]
pub(crate) fn intended_starts(
    segments: Vec<Segment>,
    worker: u64,
    workers: u64,
    limit: usize,
) -> PyResult<Vec<u64>> {
    Ok(planned(segments, worker, workers)?.map(|due| due.at_ns).take(limit).collect())
}

#[pyfunction]
#[pyo3(signature = (segments, weights, *, worker = 0, workers = 1, limit = 10_000_000))]
pub(crate) fn intended_requests(
    segments: Vec<Segment>,
    weights: Vec<f64>,
    worker: u64,
    workers: u64,
    limit: usize,
) -> PyResult<Vec<u16>> {
    if let Some(fault) = mix::fault(&weights) {
        return Err(PyValueError::new_err(fault));
    }
    let mix = Mix::new(&weights);
    let planned = planned(segments, worker, workers)?;
    Ok(planned.map(|due| mix.choose(due.bits)).take(limit).collect())
}

/// The arrivals of the open segments that a worker would offer.
fn planned(
    segments: Vec<Segment>,
    worker: u64,
    workers: u64,
) -> PyResult<impl Iterator<Item = Due>> {
    if workers == 0 {
        return Err(PyValueError::new_err("workers: at least 1"));
    }
    let mut schedule = Schedule::new(worker, workers);
    for segment in segments {
        if matches!(segment.0.load, Load::Open { .. }) {
            schedule.append(segment.0);
        }
    }
    Ok(std::iter::from_fn(move || schedule.pop()))
}

/// What one worker added to an interval.
#[pyclass(module = "breakstep._engine", frozen)]
pub(crate) struct Interval {
    worker: usize,
    span: Span,
    in_flight_end: Option<u64>,
    rows: Py<PyBytes>,
    tally: Py<Tally>,
}

impl Interval {
    fn new(py: Python<'_>, delta: Delta) -> PyResult<Self> {
        let Delta { worker, span, in_flight_end, page } = delta;
        let rows = PyBytes::new(py, &encode(&page.rows)).unbind();
        let tally = Py::new(py, Tally::lent(page))?;
        Ok(Self { worker, span, in_flight_end, rows, tally })
    }
}

#[pymethods]
impl Interval {
    #[getter]
    fn worker(&self) -> usize {
        self.worker
    }

    #[getter]
    fn segment(&self) -> Option<u32> {
        self.span.segment
    }

    #[getter]
    fn from_ns(&self) -> u64 {
        self.span.from_ns
    }

    #[getter]
    fn to_ns(&self) -> u64 {
        self.span.to_ns
    }

    #[getter]
    fn in_flight_end(&self) -> Option<u64> {
        self.in_flight_end
    }

    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<PyBytes> {
        self.rows.clone_ref(py)
    }

    #[getter]
    fn tally(&self, py: Python<'_>) -> Py<Tally> {
        self.tally.clone_ref(py)
    }
}

/// Worker threads that offer load.
#[pyclass(module = "breakstep._engine")]
pub(crate) struct Engine {
    config: Config,
    running: Option<engine::Engine>,
}

impl Engine {
    fn running(&mut self) -> PyResult<&mut engine::Engine> {
        self.running.as_mut().ok_or_else(|| PyRuntimeError::new_err("the engine is not running"))
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, address, request = None, head_only = false, mix = Vec::new(),
                        keep_alive = true, tls_server_name = None, ca_pem = None, insecure = false, workers = 1,
                        pin = Vec::new(), spin = false, max_in_flight = 10_000,
                        timeout_ns = 10_000_000_000, good_within_ns = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python constructor")]
    #[expect(clippy::fn_params_excessive_bools, reason = "they are named where they are given")]
    fn new(
        address: &str,
        request: Option<Vec<u8>>,
        head_only: bool,
        mix: Vec<(Vec<u8>, bool, f64)>,
        keep_alive: bool,
        tls_server_name: Option<String>,
        ca_pem: Option<Vec<u8>>,
        insecure: bool,
        workers: usize,
        pin: Vec<usize>,
        spin: bool,
        max_in_flight: usize,
        timeout_ns: u64,
        good_within_ns: Option<u64>,
    ) -> PyResult<Self> {
        let trust = match ca_pem {
            _ if insecure => Trust::Anyone,
            Some(pem) => Trust::Authorities(pem),
            None => Trust::System,
        };
        let config = Config {
            address: address.parse().map_err(PyValueError::new_err)?,
            requests: requests(request, head_only, mix)?,
            keep_alive,
            tls: tls_server_name.map(|name| (name, trust)),
            workers,
            pin,
            spin,
            max_in_flight,
            timeout_ns,
            good_within_ns,
        };
        engine::check(&config).map_err(exception)?;
        Ok(Self { config, running: None })
    }

    fn start(&mut self, py: Python<'_>) -> PyResult<()> {
        let config = &self.config;
        self.running = Some(py.detach(|| engine::Engine::start(config)).map_err(exception)?);
        Ok(())
    }

    fn now_ns(&mut self) -> PyResult<u64> {
        Ok(self.running()?.clock().now_ns())
    }

    #[getter]
    fn epoch_wall_ns(&mut self) -> PyResult<u64> {
        Ok(self.running()?.clock().epoch_wall_ns())
    }

    fn set_good_within(&mut self, good_within_ns: Option<u64>) -> PyResult<()> {
        self.running()?.set_good_within(good_within_ns);
        Ok(())
    }

    fn append(&mut self, segment: &Segment) -> PyResult<u32> {
        self.running()?.append(segment.0).map_err(exception)
    }

    fn cut(&mut self) -> PyResult<u64> {
        Ok(self.running()?.cut())
    }

    fn in_flight(&mut self) -> PyResult<u64> {
        Ok(self.running()?.in_flight())
    }

    #[pyo3(signature = (wait_ns = 0))]
    fn drain(&mut self, py: Python<'_>, wait_ns: u64) -> PyResult<Vec<Interval>> {
        let running = self.running()?;
        let wait = Duration::from_nanos(wait_ns);
        let deltas = py.detach(|| running.drain(wait)).map_err(exception)?;
        deltas.into_iter().map(|delta| Interval::new(py, delta)).collect()
    }

    fn stop(&mut self, py: Python<'_>) -> PyResult<Vec<Interval>> {
        let Some(mut running) = self.running.take() else { return Ok(Vec::new()) };
        let deltas = py.detach(|| running.stop());
        deltas.into_iter().map(|delta| Interval::new(py, delta)).collect()
    }
}

/// The one request, or the several of a mix.
fn requests(
    one: Option<Vec<u8>>,
    head_only: bool,
    several: Vec<(Vec<u8>, bool, f64)>,
) -> PyResult<Vec<Request>> {
    let mix = several.into_iter();
    let mut requests: Vec<_> =
        mix.map(|(bytes, head_only, weight)| Request { bytes, head_only, weight }).collect();
    match one {
        Some(_) if !requests.is_empty() => {
            Err(PyValueError::new_err("request: leave it out, or leave out mix"))
        }
        Some(bytes) => {
            requests.push(Request { bytes, head_only, weight: 1.0 });
            Ok(requests)
        }
        None => Ok(requests),
    }
}

/// Four little-endian `u64` a row: intended, sent, ended, and in one the outcome's number (lowest
/// byte) and the request's (above it).
fn encode(rows: &[Row]) -> Vec<u8> {
    let what = |row: &Row| row.outcome as u64 | u64::from(row.request) << 8;
    let fields = |row: &Row| [row.intended_ns, row.sent_ns, row.ended_ns, what(row)];
    rows.iter().flat_map(fields).flat_map(u64::to_le_bytes).collect()
}

fn exception(error: EngineError) -> PyErr {
    match error {
        EngineError::Config(_) | EngineError::Segment { .. } => {
            PyValueError::new_err(error.to_string())
        }
        EngineError::Worker { .. } => PyOSError::new_err(error.to_string()),
        EngineError::Died(_) => PyRuntimeError::new_err(error.to_string()),
    }
}
