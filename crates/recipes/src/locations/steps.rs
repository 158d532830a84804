//! What locations ask of whoever holds their strings.

use super::largest;
use crate::commands::{set_range, string_at};
use crate::error::Error;
use crate::member::Member;
use crate::store::Store;

/// The steps that [`Locations`](super::Locations) needs, each atomic.
pub trait LocationSteps {
    /// SETRANGE of a code at `offset` of the shard, and ZADD GT of the member `max` with the score `user` to `largest`: both
    /// or neither, and nobody sees the one without the other.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn set_location(
        &self,
        shard: &[u8],
        offset: usize,
        code: [u8; 2],
        largest: &[u8],
        user: u64,
    ) -> Result<(), Error>;

    /// ZSCORE of the member `max`.
    ///
    /// # Errors
    ///
    /// Whatever ZSCORE answers.
    fn largest(&self, key: &[u8]) -> Result<Option<f64>, Error>;

    /// GET: lets `read` see the string at the key, an empty one if there is none.
    ///
    /// # Errors
    ///
    /// Whatever GET answers.
    fn with_shard<R>(&self, shard: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<R, Error>;
}

impl LocationSteps for Store {
    #[inline]
    fn set_location(
        &self,
        shard: &[u8],
        offset: usize,
        code: [u8; 2],
        largest: &[u8],
        user: u64,
    ) -> Result<(), Error> {
        let done = self.write_beside(
            shard,
            largest,
            |view, key| largest::covers(view, key, user),
            |scope, key| scope.change(key, |slot| set_range(slot, offset, Member::Bytes(&code))),
        );
        match done {
            Some(done) => done.map(drop),
            None => set_largest(self, shard, offset, code, largest, user),
        }
    }

    fn largest(&self, key: &[u8]) -> Result<Option<f64>, Error> {
        self.read(&[key], |view, keys| largest::score(view, keys[0]))
    }

    fn with_shard<R>(&self, shard: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
        self.read(&[shard], |view, keys| {
            let string = string_at(view, keys[0])?.unwrap_or(Member::Bytes(b""));
            Ok(string.with_bytes(read))
        })
    }
}

/// The step as it is for a user whose id may be the largest.
#[cold]
fn set_largest(
    store: &Store,
    shard: &[u8],
    offset: usize,
    code: [u8; 2],
    largest: &[u8],
    user: u64,
) -> Result<(), Error> {
    store.write(&[shard, largest], |scope, keys| {
        // What may fail comes first: then nothing is half done.
        largest::score(&scope.view(), keys[1])?;
        scope.change(keys[0], |slot| set_range(slot, offset, Member::Bytes(&code)))?;
        largest::raise(scope, keys[1], user)
    })
}
