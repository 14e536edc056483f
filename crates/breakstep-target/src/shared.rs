//! What the serving thread and its owner both look at.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::Model;
use crate::parameters::Parameters;
use crate::truth::truth;

/// The model behind a lock that is never contended, except by whoever asks for the truth.
pub(crate) struct Shared {
    parameters: Parameters,
    /// Where the server really listens.
    pub(crate) address: String,
    model: Mutex<Model>,
}

impl Shared {
    pub(crate) fn new(parameters: Parameters, address: String) -> Self {
        let model = Mutex::new(Model::new(&parameters));
        Self { parameters, address, model }
    }

    /// The model. A thread that panicked cannot have left it half changed in a way that matters
    /// to the truth.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn truth(&self) -> String {
        let seen = self.model().seen();
        truth(&self.parameters, &self.address, &seen)
    }
}
