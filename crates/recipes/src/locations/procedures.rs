//! The atomic steps of [`Locations`](super::Locations).

use bitpack::packed::Record;
use store::{Error, ErrorKind, KeyRef, Member, SortedSetAddOptions, Tx, UpdateCheck};

use super::USERS_PER_SHARD;
use crate::procedure::{Procedure, read, step};

/// What the key of the sorted set that holds the largest user id ends with, and its member.
pub(super) const MAX: &str = "max";

/// The code of a user, and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location<'p, R> {
    pub(super) shard: &'p [u8],
    /// The user's place in the shard.
    pub(super) index: usize,
    pub(super) code: R,
    pub(super) user: u64,
}

impl<R: Record> Location<'_, R> {
    #[inline]
    fn set_range(&self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.with_string(self.shard, |string| {
            let len = match string.get() {
                Some(Member::Bytes(bytes)) => bytes.len(),
                Some(number) => text_len(number),
                None => 0,
            };
            check::<R>(self.shard, len)?;
            string.set_range(self.index * R::WIDTH, self.code.as_ref()).map(drop)
        })
    }

    fn score(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
        let score = self.user as f64;
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

/// SETRANGE of a user's code, if the largest id is at least the user's; returns whether it is.
///
/// The key of the largest id is locked for reading only, so that users of different shards do not wait for each other.
#[inline]
pub(super) fn set<'k, R: Record>(
    location: Location<'k, R>,
    largest: KeyRef<'k>,
) -> impl Procedure<Output = bool> {
    step([largest.read(), KeyRef::new(location.shard)], move |tx| {
        let covers = tx.zscore(largest, MAX)?.is_some_and(|largest| largest >= location.score());
        if covers {
            location.set_range(tx)?;
        }
        Ok(covers)
    })
}

/// SETRANGE of a user's code, and ZADD GT of the user's id.
///
/// It is called seldom, and takes the key as bytes so that [`set`] has a ZSCORE of its own, which the compiler inlines.
pub(super) fn set_largest<'k, R: Record>(
    location: Location<'k, R>,
    largest: &'k [u8],
) -> impl Procedure<Output = ()> {
    step([location.shard, largest], move |tx| {
        // What is no sorted set is refused before the string changes.
        tx.zscore(largest, MAX)?;
        location.set_range(tx)?;
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(largest, MAX, location.score(), higher).map(drop)
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
