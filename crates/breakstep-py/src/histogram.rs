//! Histograms as Python sees them.

use breakstep_engine::tally::new_histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Counts of durations.
#[pyclass(module = "breakstep._engine")]
#[derive(Clone)]
pub(crate) struct Histogram(pub(crate) hdrhistogram::Histogram<u64>);

#[pymethods]
impl Histogram {
    #[new]
    fn new() -> Self {
        Self(new_histogram())
    }

    #[staticmethod]
    fn decode(data: &[u8]) -> PyResult<Self> {
        let mut bytes = data;
        let decoded = Deserializer::new().deserialize::<u64, _>(&mut bytes);
        let decoded = decoded.map_err(|e| PyValueError::new_err(format!("no histogram: {e}")))?;
        let mut histogram = new_histogram();
        // Another program's histogram may have other bounds: it is counted again within ours.
        for value in decoded.iter_recorded() {
            histogram.saturating_record_n(value.value_iterated_to(), value.count_at_value());
        }
        Ok(Self(histogram))
    }

    fn encode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (value_ns, count = 1))]
    fn record(&mut self, value_ns: u64, count: u64) {
        self.0.saturating_record_n(value_ns, count);
    }

    fn add(&mut self, other: PyRef<'_, Self>) -> PyResult<()> {
        self.0.add(&other.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    #[getter]
    fn count(&self) -> u64 {
        self.0.len()
    }

    #[getter]
    fn mean_ns(&self) -> f64 {
        self.0.mean()
    }

    #[getter]
    fn min_ns(&self) -> u64 {
        self.0.min()
    }

    #[getter]
    fn max_ns(&self) -> u64 {
        self.0.max()
    }

    fn quantile_ns(&self, quantile: f64) -> u64 {
        self.0.value_at_quantile(quantile)
    }

    fn count_at_or_below(&self, value_ns: u64) -> u64 {
        if self.0.is_empty() { 0 } else { self.0.count_between(0, value_ns) }
    }
}
