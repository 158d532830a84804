//! The atomic steps of [`Locations`](super::Locations).

use store::{Error, KeyRef, SortedSetAddOptions, Tx, UpdateCheck};

use crate::procedure::{Procedure, read, step};

/// The key of the sorted set that holds the largest user id.
pub(super) const LARGEST: &str = "location:max";

/// Its member.
const MAX: &str = "max";

/// The code of a user, and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location<'p> {
    pub(super) shard: &'p [u8],
    pub(super) offset: usize,
    pub(super) code: [u8; 2],
    pub(super) user: u64,
}

impl Location<'_> {
    #[inline]
    fn set_range(&self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.with_string(self.shard, |string| string.set_range(self.offset, self.code)).map(drop)
    }

    fn score(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
        let score = self.user as f64;
        score
    }
}

/// SETRANGE of a user's code, if the largest id is at least the user's; returns whether it is.
///
/// The key of the largest id is locked for reading only, so that users of different shards do not wait for each other.
#[inline]
pub(super) fn set<'k>(
    location: Location<'k>,
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
pub(super) fn set_largest(location: Location<'_>) -> impl Procedure<Output = ()> {
    step([location.shard, LARGEST.as_bytes()], move |tx| {
        // What is no sorted set is refused before the string changes.
        tx.zscore(LARGEST, MAX)?;
        location.set_range(tx)?;
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(LARGEST, MAX, location.score(), higher).map(drop)
    })
}

/// ZSCORE of the largest id.
pub(super) fn largest() -> impl Procedure<Output = Option<f64>> {
    step([read(LARGEST.as_bytes())], |tx| tx.zscore(LARGEST, MAX))
}

/// GET of a shard, which `look` sees in place; an empty string if there is none.
#[inline]
pub(super) fn look_at<R>(shard: &[u8], look: impl Fn(&[u8]) -> R) -> impl Procedure<Output = R> {
    step([read(shard)], move |tx| tx.get_with(shard, |string| look(string.unwrap_or_default())))
}
