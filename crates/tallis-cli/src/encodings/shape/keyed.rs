//! Values that are a key each.

use tallis::Store;

use super::{Extent, Holder, Result, Step, Work, key};

/// Values of which each is one key of a store, and what does a step on one of them.
pub(super) struct Keyed<F> {
    store: Store,
    keys: Vec<String>,
    step: F,
}

impl<F: Fn(&Store, &str, Work, &Step<'_>) -> Result<u64>> Keyed<F> {
    /// Values that are not there yet.
    pub(super) fn new(store: Store, extent: Extent, step: F) -> Self {
        Self { store, keys: (0..extent.values).map(key).collect(), step }
    }
}

impl<F: Fn(&Store, &str, Work, &Step<'_>) -> Result<u64>> Holder for Keyed<F> {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        sum(steps, |step| (self.step)(&self.store, &self.keys[step.value], work, step))
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}

/// Does each step, and adds up what they return.
pub(super) fn sum(
    steps: &[Step<'_>],
    mut step: impl FnMut(&Step<'_>) -> Result<u64>,
) -> Result<u64> {
    steps.iter().try_fold(0, |sum, one| Ok(sum + step(one)?))
}
