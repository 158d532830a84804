//! The atomic steps of [`Dedup`](super::Dedup), and how the store takes them.

use bloom::ItemHash;
use bytes::Bytes;
use smallvec::SmallVec;

use crate::commands::{
    BloomCommands, BloomInfo, BloomInsertOptions, insert_hashed, insert_items, item_hash, rename,
};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::Store;
use crate::store::door::{Door, Scope};
use crate::value::Value;

/// When the younger of two filters becomes the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// When it has so many items.
    Items(u64),
    /// When half of so many milliseconds are over since its first item, at which it was given an expiry that many milliseconds away.
    PeriodMs(i64),
}

/// The steps that a [`Dedup`](super::Dedup) needs, each atomic.
pub trait DedupSteps {
    /// BF.INSERT: adds items, and tells of each whether it is new.
    ///
    /// # Errors
    ///
    /// A key that holds something else; a filter that cannot take an item.
    fn add(
        &self,
        key: &[u8],
        items: &[Member<'_>],
        options: BloomInsertOptions,
    ) -> Result<Vec<bool>, Error>;

    /// For each item in order:
    ///
    /// 1. BF.EXISTS of `older`,
    /// 2. if it is time for a [`Turn`], RENAME `key` to `older`,
    /// 3. BF.INSERT into `key`; if that made the filter and turns go by time, PEXPIREAT at the end of the period.
    ///
    /// A filter that is full makes no turn for an item that it has.
    ///
    /// Returns of each item whether neither filter had it.
    ///
    /// # Errors
    ///
    /// A key that holds something else, and then nothing is changed; a filter that cannot take an item.
    fn add_turning(
        &self,
        key: &[u8],
        older: &[u8],
        items: &[Member<'_>],
        options: BloomInsertOptions,
        turn: Turn,
    ) -> Result<Vec<bool>, Error>;

    /// BF.EXISTS.
    ///
    /// # Errors
    ///
    /// Those of whoever holds the key.
    fn has(&self, key: &[u8], item: Member<'_>) -> Result<bool, Error>;

    /// BF.INFO; `None` if there is no filter.
    ///
    /// # Errors
    ///
    /// A key that holds something else.
    fn info(&self, key: &[u8]) -> Result<Option<BloomInfo>, Error>;
}

impl DedupSteps for Store {
    #[inline]
    fn add(
        &self,
        key: &[u8],
        items: &[Member<'_>],
        options: BloomInsertOptions,
    ) -> Result<Vec<bool>, Error> {
        insert_items(self, key, items, options)?.complete()
    }

    fn add_turning(
        &self,
        key: &[u8],
        older: &[u8],
        items: &[Member<'_>],
        options: BloomInsertOptions,
        turn: Turn,
    ) -> Result<Vec<bool>, Error> {
        let hashes: SmallVec<[ItemHash; 32]> = items.iter().map(|&item| item_hash(item)).collect();
        self.write(&[key, older], |scope, keys| {
            Turning { key: keys[0], older: keys[1], options, turn }.add(scope, items, &hashes)
        })
    }

    fn has(&self, key: &[u8], item: Member<'_>) -> Result<bool, Error> {
        self.bf_exists(key, item)
    }

    fn info(&self, key: &[u8]) -> Result<Option<BloomInfo>, Error> {
        match self.bf_info(key) {
            Err(error) if error.kind() == ErrorKind::NoSuchKey => Ok(None),
            info => info.map(Some),
        }
    }
}

/// Two filters that take turns.
struct Turning<'k> {
    key: HashedKey<'k>,
    older: HashedKey<'k>,
    options: BloomInsertOptions,
    turn: Turn,
}

impl Turning<'_> {
    fn add(
        &self,
        scope: &mut Scope<'_>,
        items: &[Member<'_>],
        hashes: &[ItemHash],
    ) -> Result<Vec<bool>, Error> {
        let mut new = Vec::with_capacity(items.len());
        // Before anything is changed.
        ask(scope, self.older, &[])?;
        ask(scope, self.key, &[])?;
        while new.len() < items.len() {
            let (items, hashes) = (&items[new.len()..], &hashes[new.len()..]);
            let room = match self.turn {
                Turn::Items(most) => most.saturating_sub(self.held(scope)),
                Turn::PeriodMs(period) => {
                    if self.is_over(scope, period) {
                        rename(scope, self.key, self.older, false)?;
                    }
                    u64::MAX
                }
            };
            let room = usize::try_from(room).unwrap_or(usize::MAX).min(items.len());
            if room == 0 {
                self.add_to_full(scope, items, hashes, &mut new)?;
                continue;
            }
            let known = ask(scope, self.older, &hashes[..room])?;
            let added = self.add_to_younger(scope, &items[..room], &hashes[..room])?;
            new.extend(known.into_iter().zip(added).map(|(known, added)| !known && added));
        }
        Ok(new)
    }

    /// Passes over items that the younger filter has; for the first that it has not, it becomes the older one. What that had
    /// is asked before it goes.
    fn add_to_full(
        &self,
        scope: &mut Scope<'_>,
        items: &[Member<'_>],
        hashes: &[ItemHash],
        new: &mut Vec<bool>,
    ) -> Result<(), Error> {
        /// As many as are asked at once.
        const WINDOW: usize = 32;
        let held = ask(scope, self.key, &hashes[..hashes.len().min(WINDOW)])?;
        let first = held.iter().take_while(|&&held| held).count();
        new.extend(std::iter::repeat_n(false, first));
        if first < held.len() {
            let known = ask(scope, self.older, &hashes[first..=first])?;
            rename(scope, self.key, self.older, false)?;
            self.add_to_younger(scope, &items[first..=first], &hashes[first..=first])?;
            new.extend(known.into_iter().map(|known| !known));
        }
        Ok(())
    }

    /// How many items the younger filter has.
    fn held(&self, scope: &mut Scope<'_>) -> u64 {
        scope.change(self.key, |slot| {
            slot.value().and_then(Value::as_bloom).map_or(0, bloom::BloomFilter::len)
        })
    }

    /// Whether half of the period of the younger filter is over; one without an expiry is none of ours, and is taken for old.
    fn is_over(&self, scope: &mut Scope<'_>, period_ms: i64) -> bool {
        let now = scope.now_ms();
        scope.change(self.key, |slot| {
            let left = slot.expires_at().map(|at| at.saturating_sub(now));
            slot.value().is_some() && left.is_none_or(|left| left <= period_ms / 2)
        })
    }

    fn add_to_younger(
        &self,
        scope: &mut Scope<'_>,
        items: &[Member<'_>],
        hashes: &[ItemHash],
    ) -> Result<Vec<bool>, Error> {
        let limit = scope.rules().limits.bloom_memory_usage_limit;
        scope.change(self.key, |slot| {
            let made = slot.value().is_none();
            let insertion = insert_hashed(slot, items, hashes, self.options, limit)?;
            if let (true, Turn::PeriodMs(period)) = (made, self.turn) {
                let expires_at = slot.now_ms().saturating_add(period);
                slot.set_expiry(Some(expires_at));
                slot.changed("PEXPIREAT", || vec![Bytes::from(expires_at.to_string())]);
            }
            insertion.complete()
        })
    }
}

/// Which items the filter at a key has.
fn ask(scope: &mut Scope<'_>, key: HashedKey<'_>, hashes: &[ItemHash]) -> Result<Vec<bool>, Error> {
    scope.change(key, |slot| {
        let Some(value) = slot.value() else { return Ok(vec![false; hashes.len()]) };
        let filter = value.as_bloom().ok_or_else(Error::wrong_type)?;
        let mut known = Vec::with_capacity(hashes.len());
        filter.contains_hashes(hashes, &mut known);
        Ok(known)
    })
}
