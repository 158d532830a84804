//! A sink that stores the effects that it receives.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::{Mutex, PoisonError};

use tallis::{Effect, Sink};

/// The effects of a store.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Vec<Effect>>);

impl Sink for Journal {
    fn commit(&self, effects: &[Effect]) {
        assert!(!effects.is_empty());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(effects);
    }
}

impl Journal {
    /// Returns the effects since the last call.
    pub(crate) fn take(&self) -> Vec<Effect> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same as lines of text.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.take().iter().map(ToString::to_string).collect()
    }
}
