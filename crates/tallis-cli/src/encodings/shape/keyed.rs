//! Values that are one key each.

use tallis::Store;

use super::{Extent, Holder, Result, Step, Work, key};

/// Values that are one key of a store each, and a function that runs a step on one of them.
pub(super) struct Keyed<F> {
    store: Store,
    keys: Vec<String>,
    step: F,
}

impl<F: Fn(&Store, &str, Work, &Step<'_>) -> Result<u64>> Keyed<F> {
    /// Creates it without values.
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

/// Runs each step, and returns the sum of their results.
pub(super) fn sum(
    steps: &[Step<'_>],
    mut step: impl FnMut(&Step<'_>) -> Result<u64>,
) -> Result<u64> {
    steps.iter().try_fold(0, |sum, one| Ok(sum + step(one)?))
}
