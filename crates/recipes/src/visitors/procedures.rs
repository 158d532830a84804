//! The procedures of counting visitors in sets of a fixed number of shards, and of beginning a bucket.

use smallvec::SmallVec;
use store::{Error, KeyRef, Tx};

use crate::counted::{change_and_count, check_counter};
use crate::procedure::Procedure;

/// SADD of an id to a shard and, if it is new, INCR of the counter: whether it is new.
#[derive(Debug)]
pub(super) struct AddAndCount<'k> {
    pub(super) shard: &'k [u8],
    pub(super) counter: &'k [u8],
    pub(super) id: i64,
}

impl Procedure for AddAndCount<'_> {
    type Output = bool;
    type Keys<'p>
        = [KeyRef<'p>; 2]
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> Self::Keys<'_> {
        [KeyRef::new(self.counter), KeyRef::new(self.shard)]
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        let would = || Ok(!tx.sismember(self.shard, self.id)?);
        let change = || tx.with_set(self.shard, |set| set.add(self.id));
        Ok(change_and_count(tx, self.counter, 1, would, change)?.is_some())
    }
}

/// SET of the key that says the form of a bucket, unless there is one that does: whether it was set.
#[derive(Debug)]
pub(super) struct Begin<'k> {
    pub(super) form: &'k [u8],
    pub(super) value: &'k str,
    /// The keys of the other forms.
    pub(super) others: [&'k [u8]; 2],
    /// The counter, and the shard of the visit for which the bucket is begun: nothing is written if the visit would be
    /// refused.
    pub(super) visit: Option<(&'k [u8], &'k [u8])>,
}

impl Procedure for Begin<'_> {
    type Output = bool;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        let visit = self.visit.into_iter().flat_map(|(counter, shard)| [counter, shard]);
        let read = self.others.into_iter().chain(visit).map(|key| KeyRef::new(key).read());
        std::iter::once(KeyRef::new(self.form)).chain(read).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        if tx.exists(self.others)? > 0 {
            return Ok(false);
        }
        if let Some((counter, shard)) = self.visit {
            tx.scard(shard)?;
            check_counter(tx, counter, 1)?;
        }
        tx.set_nx(self.form, self.value)
    }
}
