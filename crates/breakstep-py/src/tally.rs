//! Tallies as Python sees them.

use std::collections::HashMap;

use breakstep_engine::outcome::Outcome;
use breakstep_engine::recorder::Lease;
use breakstep_engine::tally::{self, Counters, Timing};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::histogram::Histogram;

/// Either Python's own sum, or what a worker handed over and gets back when Python drops it.
enum Held {
    Own(Box<tally::Tally>),
    Lent(Lease),
}

/// Counters and histograms of a span of time.
#[pyclass(module = "breakstep._engine")]
pub(crate) struct Tally(Held);

impl Tally {
    pub(crate) fn lent(lease: Lease) -> Self {
        Self(Held::Lent(lease))
    }

    fn get(&self) -> &tally::Tally {
        match &self.0 {
            Held::Own(tally) => tally,
            Held::Lent(lease) => &lease.tally,
        }
    }

    fn counters(&self) -> &Counters {
        &self.get().counters
    }
}

#[pymethods]
impl Tally {
    #[new]
    fn new() -> Self {
        Self(Held::Own(Box::default()))
    }

    fn merge(&mut self, other: PyRef<'_, Self>) {
        if let Held::Lent(lease) = &self.0 {
            self.0 = Held::Own(Box::new(lease.tally.clone()));
        }
        if let Held::Own(tally) = &mut self.0 {
            tally.merge(other.get());
        }
    }

    fn histogram(&self, name: &str) -> PyResult<Histogram> {
        let timing = Timing::ALL.iter().find(|(_, known)| *known == name);
        let (timing, _) = timing
            .ok_or_else(|| PyValueError::new_err(format!("no histogram is called {name:?}")))?;
        Ok(Histogram(self.get().histogram(*timing).clone()))
    }

    fn response(&self) -> PyResult<Histogram> {
        let mut response = self.get().histogram(Timing::Ok).clone();
        response
            .add(self.get().histogram(Timing::Failed))
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Histogram(response))
    }

    #[getter]
    fn outcomes(&self) -> HashMap<&'static str, u64> {
        let counts = &self.counters().outcomes;
        Outcome::ALL.iter().map(|outcome| (outcome.name(), counts[*outcome as usize])).collect()
    }

    #[getter]
    fn statuses(&self) -> HashMap<u16, u64> {
        self.counters().statuses.iter().copied().collect()
    }

    #[getter]
    fn causes(&self) -> HashMap<&'static str, u64> {
        self.counters().causes.iter().copied().collect()
    }

    #[getter]
    fn arrivals(&self) -> u64 {
        self.counters().arrivals
    }

    #[getter]
    fn sent(&self) -> u64 {
        self.counters().sent
    }

    #[getter]
    fn completed(&self) -> u64 {
        self.counters().completed
    }

    #[getter]
    fn completed_ok(&self) -> u64 {
        self.counters().completed_ok
    }

    #[getter]
    fn good(&self) -> u64 {
        self.counters().good
    }

    #[getter]
    fn bytes_out(&self) -> u64 {
        self.counters().bytes_out
    }

    #[getter]
    fn bytes_in(&self) -> u64 {
        self.counters().bytes_in
    }

    #[getter]
    fn connections_opened(&self) -> u64 {
        self.counters().connections_opened
    }

    #[getter]
    fn retried(&self) -> u64 {
        self.counters().retried
    }

    #[getter]
    fn unsolicited(&self) -> u64 {
        self.counters().unsolicited
    }

    #[getter]
    fn in_flight_max(&self) -> u64 {
        self.counters().in_flight_max
    }

    #[getter]
    fn in_flight_ns(&self) -> u64 {
        self.counters().in_flight_ns
    }

    #[getter]
    fn cpu_ns(&self) -> u64 {
        self.counters().cpu_ns
    }

    #[getter]
    fn run_delay_ns(&self) -> u64 {
        self.counters().run_delay_ns
    }
}
