//! What a change may consult, and where it reports.

use bytes::Bytes;

use super::Shared;
use super::moment::Moment;
use super::sink::Effect;

/// One per command or transaction.
#[derive(Debug)]
pub(crate) struct Context<'s> {
    pub(crate) shared: &'s Shared,
    pub(super) moment: Moment<'s>,
    effects: Vec<Effect>,
}

impl<'s> Context<'s> {
    pub(super) fn new(shared: &'s Shared) -> Self {
        Self { shared, moment: Moment::new(shared.clock()), effects: Vec::new() }
    }

    /// Notes an effect if anyone listens.
    #[inline]
    pub(super) fn note(&mut self, db: u32, args: impl FnOnce() -> Vec<Bytes>) {
        if self.shared.has_sinks() {
            self.effects.push(Effect { db, args: args() });
        }
    }

    /// Lets the sinks hear of all effects so far.
    #[inline]
    pub(super) fn commit(&mut self) {
        if !self.effects.is_empty() {
            self.shared.commit(&self.effects);
            self.effects.clear();
        }
    }
}
