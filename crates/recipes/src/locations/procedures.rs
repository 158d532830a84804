//! The atomic steps of [`Locations`](super::Locations).

use store::{Error, KeyRef, SortedSetAddOptions, Tx, UpdateCheck};

use crate::Procedure;

/// The key of the sorted set that holds the largest user id.
pub(super) const LARGEST: &str = "location:max";

/// Its member.
const MAX: &str = "max";

/// SETRANGE of a user's code, if the largest id is at least the user's; returns whether it is.
///
/// The key of the largest id is locked for reading only, so that users of different shards do not wait for each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetLocation<'p> {
    pub(super) shard: &'p [u8],
    pub(super) offset: usize,
    pub(super) code: [u8; 2],
    pub(super) user: u64,
}

impl SetLocation<'_> {
    #[inline]
    fn set_range(&self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.with_string(self.shard, |string| string.set_range(self.offset, &self.code)).map(drop)
    }

    fn score(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
        let score = self.user as f64;
        score
    }
}

impl Procedure for SetLocation<'_> {
    type Output = bool;
    type Keys<'p>
        = [KeyRef<'p>; 2]
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> [KeyRef<'_>; 2] {
        [KeyRef::new(self.shard), KeyRef::new(LARGEST.as_bytes()).read()]
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        let covers = tx.zscore(LARGEST, MAX)?.is_some_and(|largest| largest >= self.score());
        if covers {
            self.set_range(tx)?;
        }
        Ok(covers)
    }
}

/// SETRANGE of a user's code, and ZADD GT of the user's id.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetLargest<'p>(pub(super) SetLocation<'p>);

impl Procedure for SetLargest<'_> {
    type Output = ();
    type Keys<'p>
        = [KeyRef<'p>; 2]
    where
        Self: 'p;

    fn keys(&self) -> [KeyRef<'_>; 2] {
        [KeyRef::new(self.0.shard), KeyRef::new(LARGEST.as_bytes())]
    }

    fn run(&self, tx: &Tx<'_>) -> Result<(), Error> {
        // What is no sorted set is refused before the string changes.
        tx.zscore(LARGEST, MAX)?;
        self.0.set_range(tx)?;
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(LARGEST, MAX, self.0.score(), higher).map(drop)
    }
}

/// ZSCORE of the largest id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Largest;

impl Procedure for Largest {
    type Output = Option<f64>;
    type Keys<'p> = [KeyRef<'p>; 1];

    fn keys(&self) -> [KeyRef<'_>; 1] {
        [KeyRef::new(LARGEST.as_bytes()).read()]
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Option<f64>, Error> {
        tx.zscore(LARGEST, MAX)
    }
}

/// GET of a shard, which `read` sees in place; an empty string if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadShard<'p, F> {
    pub(super) shard: &'p [u8],
    pub(super) read: F,
}

impl<R, F: Fn(&[u8]) -> R> Procedure for ReadShard<'_, F> {
    type Output = R;
    type Keys<'p>
        = [KeyRef<'p>; 1]
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> [KeyRef<'_>; 1] {
        [KeyRef::new(self.shard).read()]
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<R, Error> {
        tx.get_with(self.shard, |string| (self.read)(string.unwrap_or_default()))
    }
}
