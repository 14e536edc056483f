//! What chance has in store for each arrival.

use rand_core::SeedableRng;
use rand_pcg::Pcg64;

use crate::service::{Service, unit};

/// Keeps the errors' generator apart from the services': one more error changes no service time.
const ERROR_STREAM: u64 = 0x9e37_79b9_7f4a_7c15;

/// What one arrival would need and how it would end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Service it needs.
    pub service_ns: u64,
    /// Whether its answer is an error.
    pub fails: bool,
}

/// The fates in order of arrival: fate k depends on the seed and on k alone.
pub struct Fates {
    service: Service,
    error_share: f64,
    services: Pcg64,
    errors: Pcg64,
}

impl Fates {
    /// The sequence that belongs to a seed.
    pub fn new(service: Service, error_share: f64, seed: u64) -> Self {
        Self {
            service,
            error_share,
            services: Pcg64::seed_from_u64(seed),
            errors: Pcg64::seed_from_u64(seed ^ ERROR_STREAM),
        }
    }

    /// The next arrival's.
    pub fn draw(&mut self) -> Fate {
        Fate {
            service_ns: self.service.draw(&mut self.services),
            fails: unit(&mut self.errors) < self.error_share,
        }
    }
}
