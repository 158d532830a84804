//! Seen before: each item of a stream once, in some ten bits an item.

mod older;
mod procedures;

use std::time::Duration;

use bloom::{ItemHash, Settings};
use smallvec::SmallVec;
use store::{BloomEntry, BloomInfo, BloomInsertOptions, Error, Member, Store, ToMember, ToMembers};

use super::rates::period_ms;
use crate::Backend;
use crate::errors::invalid;
use older::older_key;
use procedures::{InsertTurning, Items, Turn, has, info, insert};

/// Which items of a stream were seen before, on Bloom filters.
///
/// # Idea
///
/// A stream is too long to keep what it brought, but ten bits an item are enough to know an item again: a Bloom filter
/// never takes an item that it has seen for a new one, and takes a new one for seen as seldom as is asked for.
///
/// A filter cannot forget, so one that goes on for ever fills up, or grows. [`last`](Self::last) and
/// [`within`](Self::within) keep two filters, each for half a period. What is new goes into the younger one; when its
/// half is over, it becomes the older one, and what that had is forgotten.
///
/// ```text
///            half a period        half a period
/// older    [ a b c d e f g h ]  [ i j k l m n o p ]  ...
/// younger                       [ i j k l m n o p ]  [ q r ...
///                               ^ a to h are still known, and forgotten at the next turn
/// ```
///
/// An item that comes again is remembered anew. So an item is known for at least half a period after it came last, and
/// for at most a whole one.
///
/// # Representation
///
/// | key | what |
/// |---|---|
/// | `KEY` | the filter that new items go into; with a period of time it expires when the period from its first item is over |
/// | `{KEY}:older` | the one before, where there are two; `KEY:older` if the key has braces of its own that a cluster would go by |
///
/// Both are values of RedisBloom, and a turn is RENAME: a server that has the module can go on where the store ended.
///
/// # Error
///
/// A new item is taken for one that was seen with at most the probability asked for, as long as no more than the items
/// planned for come (in each period); [`info`](Self::info) returns the rate that is expected now. Without a period the
/// filter grows beyond its plan and keeps the rate; with one of items it never holds more than planned.
///
/// # Complexity
///
/// As of BF.ADD, twice where there are two filters; the cache misses of many items at once overlap.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Dedup, Store};
///
/// let store = Store::new();
/// let seen = Dedup::new(store, "seen", 1_000_000, 0.001)?;
/// assert!(seen.insert("first")?);
/// assert!(!seen.insert("first")?);
/// assert_eq!(seen.insert_many(["first", "second", "second"])?, [false, true, false]);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dedup<B = Store> {
    backend: B,
    keys: [Vec<u8>; 2],
    settings: Settings,
    turn: Option<Turn>,
}

impl<B: Backend> Dedup<B> {
    /// Remembers all items. The filter is made for `capacity` of them (1 to 2^30), of which one in `1 / error_rate`
    /// (between 0 and 1) is wrongly taken for seen, and grows when there are more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for numbers out of range.
    pub fn new(
        backend: B,
        key: impl AsRef<[u8]>,
        capacity: u64,
        error_rate: f64,
    ) -> Result<Self, Error> {
        Self::with(backend, key.as_ref(), Settings::new(capacity, error_rate), None)
    }

    /// Remembers at least the last `count / 2` different items (rounded up), and at most about `count` of them. `count`
    /// is 1 to 2^30.
    ///
    /// # Errors
    ///
    /// As of [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Dedup, Store};
    ///
    /// let seen = Dedup::last(Store::new(), "seen", 4, 0.001)?;
    /// assert_eq!(seen.insert_many(1..=4)?, [true; 4]);
    /// assert!(!seen.insert(1)?);
    /// // 5 and 6 come, so 2 is not among the last few any more; 1 came again, and is.
    /// assert_eq!(seen.insert_many([5, 6, 2, 1])?, [true, true, true, false]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn last(
        backend: B,
        key: impl AsRef<[u8]>,
        count: u64,
        error_rate: f64,
    ) -> Result<Self, Error> {
        let half = count.div_ceil(2);
        // Each filter has half of the rate, since two are asked.
        let settings = Settings::new(half, error_rate / 2.0).non_scaling();
        Self::with(backend, key.as_ref(), settings, Some(Turn::Items(half)))
    }

    /// Remembers the items of at least half of `period`, and of at most all of it. The filters are made for `capacity`
    /// items a period (1 to 2^30), and grow when there are more.
    ///
    /// # Errors
    ///
    /// As of [`new`](Self::new); also for a period of no time, or of more than 146 million years.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use tallis::{Dedup, ManualClock, Store};
    ///
    /// let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    /// let store = Store::builder().clock(clock.clone()).build();
    /// let seen = Dedup::within(store, "seen", 1000, 0.001, Duration::from_secs(60))?;
    /// assert!(seen.insert("a")?);
    /// clock.advance(30_000);
    /// assert!(!seen.insert("a")?);
    /// clock.advance(60_000);
    /// assert!(seen.insert("a")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn within(
        backend: B,
        key: impl AsRef<[u8]>,
        capacity: u64,
        error_rate: f64,
        period: Duration,
    ) -> Result<Self, Error> {
        let period_ms = period_ms(period)?;
        let settings = Settings::new(capacity.div_ceil(2), error_rate / 2.0);
        Self::with(backend, key.as_ref(), settings, Some(Turn::PeriodMs(period_ms)))
    }

    fn with(backend: B, key: &[u8], settings: Settings, turn: Option<Turn>) -> Result<Self, Error> {
        if !(1..=bloom::MAX_CAPACITY).contains(&settings.capacity()) {
            return Err(invalid("ERR the number of items is not between 1 and 1073741824"));
        }
        let rate = settings.error_rate();
        // A half of it is smaller than any that can be asked for.
        if !(rate >= f64::MIN_POSITIVE && rate < if turn.is_some() { 0.5 } else { 1.0 }) {
            return Err(invalid("ERR the error rate is not between 0 and 1, neither included"));
        }
        Ok(Self { backend, keys: [key.to_vec(), older_key(key)], settings, turn })
    }

    /// Adds an item; returns whether it is new.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds something else;
    /// [`ErrorKind::OutOfMemory`](store::ErrorKind::OutOfMemory) if the filter would grow beyond
    /// [`Limits::bloom_memory_usage_limit`](store::Limits::bloom_memory_usage_limit);
    /// [`ErrorKind::FilterFull`](store::ErrorKind::FilterFull) if another client made one that does not grow. Nothing
    /// has changed then.
    #[inline]
    pub fn insert(&self, item: impl ToMember) -> Result<bool, Error> {
        item.with_member(|item| Ok(self.add(&[item])?.first().copied().unwrap_or_default()))
    }

    /// [`insert`](Self::insert) of each item, in order, at once.
    ///
    /// # Errors
    ///
    /// As of [`insert`](Self::insert): then none of them is added.
    pub fn insert_many(&self, items: impl ToMembers) -> Result<Vec<bool>, Error> {
        items.with_members(|items| self.add(items))
    }

    fn add(&self, items: &[Member<'_>]) -> Result<Vec<bool>, Error> {
        let [key, older] = self.keys();
        let options = BloomInsertOptions::new(self.settings);
        // Outside of the lock.
        let hashes: SmallVec<[ItemHash; 32]> =
            items.iter().map(|&item| BloomEntry::hash(item)).collect();
        let items = Items { items, hashes: &hashes };
        match self.turn {
            None => self.backend.call(&insert(key, items, options)),
            Some(turn) => {
                let insert = InsertTurning { key, older, items, options, turn };
                self.backend.call(&insert.procedure())
            }
        }
    }

    /// Whether an item was seen, without adding it.
    ///
    /// # Errors
    ///
    /// Those of the backend; the store has none: a key that holds something else has no items.
    pub fn contains(&self, item: impl ToMember) -> Result<bool, Error> {
        item.with_member(|item| {
            let [key, older] = self.keys();
            let has = |key| self.backend.call(&has(key, item));
            Ok(has(key)? || self.turn.is_some() && has(older)?)
        })
    }

    /// What is kept now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds something else.
    pub fn info(&self) -> Result<DedupInfo, Error> {
        let [key, older] = self.keys();
        let info = |key| self.backend.call(&info(key));
        let older = if self.turn.is_some() { info(older)? } else { None };
        let filters = [info(key)?, older];
        let sum = |of: fn(&BloomInfo) -> u64| filters.iter().flatten().map(of).sum();
        // Through logarithms, because 1 - p has few digits left where p is small.
        let known: f64 = filters.iter().flatten().map(|info| (-info.error_rate).ln_1p()).sum();
        Ok(DedupInfo {
            items: sum(|info| info.items),
            bytes: sum(|info| info.size),
            error_rate: -known.exp_m1(),
        })
    }

    fn keys(&self) -> [&[u8]; 2] {
        let [key, older] = &self.keys;
        [key, older]
    }
}

/// What a [`Dedup`] keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DedupInfo {
    /// Items in the filters. Where there are two, an item may be in both.
    pub items: u64,
    /// Bytes, by RedisBloom's reckoning.
    pub bytes: u64,
    /// How often a new item is now taken for one that was seen.
    pub error_rate: f64,
}
