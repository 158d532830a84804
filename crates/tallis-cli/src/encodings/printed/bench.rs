//! What figures are taken with.

use super::super::server::Live;
use crate::failure::Failure;
use crate::memory::Memory;

/// The allocator, a server if there is one, and how much is put into values.
pub(super) struct Bench<'m> {
    memory: &'m dyn Memory,
    pub(super) live: Option<Live>,
    /// How many a million are. Tests take fewer, where no printed figure is to be met.
    pub(super) million: u64,
}

/// What is printed of is always a million.
pub(super) const MILLION: u64 = 1_000_000;

impl<'m> Bench<'m> {
    /// A bench on that allocator and that server.
    pub(super) const fn new(memory: &'m dyn Memory, live: Option<Live>) -> Self {
        Self { memory, live, million: MILLION }
    }

    /// Makes something, and says how many bytes of the allocator it holds.
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

    /// Asks the server, if there is one.
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
