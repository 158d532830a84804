//! What counting visitors asks of whoever holds the keys.

use super::super::sharded_set::SplitSteps;
use crate::commands::{KeyCommands, StringCommands, add_members, increment};
use crate::error::Error;
use crate::member::Member;
use crate::store::Store;

/// The steps that [`Visitors`](super::Visitors) needs, each atomic.
pub trait VisitorSteps: SplitSteps {
    /// SADD of `member` to the set and, if it was new, INCR of the counter: whether it was new. Both or neither, and
    /// nobody sees the one without the other.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn add_then_count(&self, set: &[u8], member: Member<'_>, counter: &[u8])
    -> Result<bool, Error>;

    /// SETNX, unless one of the keys `unless` exists: whether it was set.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn set_once(&self, key: &[u8], value: &str, unless: &[&[u8]]) -> Result<bool, Error>;
}

impl VisitorSteps for Store {
    #[inline]
    fn add_then_count(
        &self,
        set: &[u8],
        member: Member<'_>,
        counter: &[u8],
    ) -> Result<bool, Error> {
        self.write(&[set, counter], |scope, keys| {
            let new = add_members(scope, keys[0], &[member])? == 1;
            if new {
                increment(scope, keys[1], 1)?;
            }
            Ok(new)
        })
    }

    fn set_once(&self, key: &[u8], value: &str, unless: &[&[u8]]) -> Result<bool, Error> {
        self.transaction([&[key], unless].concat(), |tx| {
            Ok(tx.exists(unless)? == 0 && tx.set_nx(key, value)?)
        })
    }
}
