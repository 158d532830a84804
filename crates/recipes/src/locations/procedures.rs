//! The atomic steps of [`Locations`](super::Locations).

use bitpack::packed::Record;
use store::{Error, ErrorKind, KeyRef, Member, SortedSetAddOptions, Tx, UpdateCheck};

use super::{USERS_PER_SHARD, index};
use crate::procedure::{Procedure, read, step};

/// What the key of the sorted set that holds the largest user id ends with, and its member.
pub(super) const MAX: &str = "max";

/// The codes of users of one shard, the last of which counts for a user who has several.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfShard<'p, R> {
    pub(super) shard: &'p [u8],
    pub(super) codes: &'p [(u64, R)],
}

impl<R: Record> OfShard<'_, R> {
    #[inline]
    fn set_ranges(&self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.with_string(self.shard, |string| {
            let len = match string.get() {
                Some(Member::Bytes(bytes)) => bytes.len(),
                Some(number) => text_len(number),
                None => 0,
            };
            check::<R>(self.shard, len)?;
            for (user, code) in self.codes {
                string.set_range(index(*user) * R::WIDTH, code.as_ref())?;
            }
            Ok(())
        })
    }

    /// The largest user.
    #[inline]
    fn score(&self) -> f64 {
        let largest = self.codes.iter().map(|&(user, _)| user).max().unwrap_or(0);
        #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
        let score = largest as f64;
        score
    }
}

/// The length of a string that is kept as a number, which no code has left.
#[cold]
fn text_len(number: Member<'_>) -> usize {
    number.byte_len()
}

/// Refuses the length of a string that no codes of this width leave: that of another width, most likely.
#[inline]
fn check<R: Record>(shard: &[u8], len: usize) -> Result<(), Error> {
    if len.is_multiple_of(R::WIDTH) && len as u64 <= USERS_PER_SHARD * R::WIDTH as u64 {
        return Ok(());
    }
    Err(other_width(shard, len, R::WIDTH))
}

#[cold]
fn other_width(shard: &[u8], len: usize, width: usize) -> Error {
    let (shard, s) = (shard.escape_ascii(), if width == 1 { "" } else { "s" });
    let text = format!("ERR the {len} bytes at '{shard}' are no locations of {width} byte{s} each");
    Error::new(ErrorKind::WrongType, text)
}

/// SETRANGE of the code of each user, if the largest id is at least that of each; returns whether it is.
///
/// The key of the largest id is locked for reading only, so that users of different shards do not wait for each other.
#[inline]
pub(super) fn set<'k, R: Record>(
    users: OfShard<'k, R>,
    largest: KeyRef<'k>,
) -> impl Procedure<Output = bool> {
    step([largest.read(), KeyRef::new(users.shard)], move |tx| {
        let covers = tx.zscore(largest, MAX)?.is_some_and(|largest| largest >= users.score());
        if covers {
            users.set_ranges(tx)?;
        }
        Ok(covers)
    })
}

/// SETRANGE of the code of each user, and ZADD GT of the largest id.
///
/// It is called seldom, and takes the key as bytes so that [`set`] has a ZSCORE of its own, which the compiler inlines.
pub(super) fn set_largest<'k, R: Record>(
    users: OfShard<'k, R>,
    largest: &'k [u8],
) -> impl Procedure<Output = ()> {
    step([users.shard, largest], move |tx| {
        // What is no sorted set is refused before the string changes.
        tx.zscore(largest, MAX)?;
        users.set_ranges(tx)?;
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(largest, MAX, users.score(), higher).map(drop)
    })
}

/// ZSCORE of the largest id.
pub(super) fn largest(key: &[u8]) -> impl Procedure<Output = Option<f64>> {
    step([read(key)], move |tx| tx.zscore(key, MAX))
}

/// GET of a shard, whose codes `look` sees in place; there are none without a string.
#[inline]
pub(super) fn look_at<R: Record, T>(
    shard: &[u8],
    look: impl Fn(&[u8]) -> T,
) -> impl Procedure<Output = T> {
    step([read(shard)], move |tx| {
        tx.get_with(shard, |string| {
            let string = string.unwrap_or_default();
            check::<R>(shard, string.len())?;
            Ok(look(string))
        })?
    })
}
