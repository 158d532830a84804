//! The environment of the measurements.

use tallis::Error;

use super::super::measure::not_interrupted;
use super::super::server::Live;
use crate::failure::Failure;
use crate::memory::Memory;

/// The allocator, a server if there is one, and the number of elements.
pub(super) struct Bench<'m> {
    memory: &'m dyn Memory,
    pub(super) live: Option<Live>,
    /// The number of elements that stands for a million. Tests use fewer, if no printed figure is compared.
    pub(super) million: u64,
}

/// The number of elements of the printed figures.
pub(super) const MILLION: u64 = 1_000_000;

/// The most elements of a call or command.
pub(super) const BATCH: usize = 1000;

/// Calls `add` with the elements, in batches.
///
/// # Errors
///
/// Those of `add`, or an interrupt.
pub(super) fn in_batches<T, R>(
    mut elements: impl Iterator<Item = T>,
    mut add: impl FnMut(Vec<T>) -> Result<R, Error>,
) -> Result<(), Failure> {
    loop {
        not_interrupted()?;
        let batch: Vec<T> = elements.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        add(batch)?;
    }
}

impl<'m> Bench<'m> {
    /// Creates it with an allocator and a server.
    pub(super) const fn new(memory: &'m dyn Memory, live: Option<Live>) -> Self {
        Self { memory, live, million: MILLION }
    }

    /// Creates something, and returns how many bytes of the allocator it holds.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub(super) fn held<T>(
        &self,
        make: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<(T, u64), Failure> {
        let (mut make, mut made) = (Some(make), None);
        let bytes = self.memory.held(&mut || made = make.take().map(|make| make()));
        let made = made.ok_or_else(|| Failure::Trouble("nothing was measured".to_owned()))??;
        Ok((made, bytes.try_into().unwrap_or(0)))
    }

    /// Runs `ask` with the server, if there is one.
    ///
    /// # Errors
    ///
    /// Those of `ask`.
    pub(super) fn served<T>(
        &mut self,
        ask: impl FnOnce(&mut Live) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.live.as_mut().map(ask).transpose()
    }
}
