//! Deduplication: reports each item of a stream once, in about ten bits per item.

#[cfg(all(test, feature = "async", feature = "redis"))]
mod asynchronous;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod older;
mod procedures;
mod scripts;

use std::time::Duration;

use bloom::{ItemHash, Settings};
use macros::blocking_and_async;
use smallvec::SmallVec;
use store::{BloomEntry, Error, ErrorKind, Member, Store, ToMember, ToMembers};

use super::rates::period_ms;
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace, call_all, call_all_async};
use crate::errors::invalid;
use crate::held::{self, Held};
use older::older_key;
use procedures::{FilterInfo, InsertTurning, Items, Turn, has, info, insert};

pub(crate) use scripts::SCRIPTS;

/// The most items in a request to a server, which reads at most 2^20 words per request.
const AT_ONCE_ON_SERVER: usize = 1_000_000;

/// The longest period on a server, whose scripts count in 53 bits: 140,000 years.
const LONGEST_ON_SERVER_MS: i64 = 1 << 52;

/// Remembers which items of a stream were seen, in Bloom filters.
///
/// # Idea
///
/// A stream is too long to store its items, but about ten bits per item are enough to recognize one: a Bloom filter
/// never reports a seen item as new, and reports a new item as seen (a *false positive*) at the requested rate.
///
/// Items cannot be removed from a filter, so a single filter fills up, or grows for ever. [`last`](Self::last) and
/// [`within`](Self::within) keep two filters, each for half a period. New items are added to the younger filter. When
/// its half is over, it becomes the older one, and the previous older one is dropped with its items. This exchange is a
/// *turn*.
///
/// ```text
///            half a period        half a period
/// older    [ a b c d e f g h ]  [ i j k l m n o p ]  ...
/// younger                       [ i j k l m n o p ]  [ q r ...
///                               ^ a to h are still known, and forgotten at the next turn
/// ```
///
/// A repeated item is added again. So an item is remembered for at least half a period after it was last seen, and for
/// at most a whole one.
///
/// # Representation
///
/// | key | value |
/// |---|---|
/// | `KEY` | the filter to which new items are added; with a period of time it expires when the period from its first item is over |
/// | `{KEY}:older` | the older filter, if there are two; `KEY:older` if the key has braces that a cluster would take for a hash tag |
///
/// Both are values of RedisBloom, and a turn is RENAME, so a server that has the module can continue with the keys of a
/// store.
///
/// # Error
///
/// The probability that a new item is reported as seen is at most the requested one, as long as at most the planned
/// number of items arrive (per period); [`info`](Self::info) returns the current rate. Without a period the filter
/// grows beyond its plan and keeps the rate; with a period of items it never holds more than planned.
///
/// # Complexity
///
/// As BF.ADD, twice if there are two filters; the cache misses of many items at once overlap.
///
/// # Asynchronous calls
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend). Its future holds a copy of the items.
///
/// # On a server
///
/// The server must have RedisBloom, and version 7.0 or later for [`within`](Self::within). Without the module, as on
/// Valkey, it refuses the commands: [`ErrorKind::UnknownCommand`](store::ErrorKind::UnknownCommand), or
/// [`ErrorKind::Server`](store::ErrorKind::Server) from a script.
///
/// | call | request |
/// |---|---|
/// | [`insert`](Self::insert) without a period | BF.INSERT |
/// | [`insert_many`](Self::insert_many) without a period | the script `insert.lua` |
/// | [`insert`](Self::insert), [`insert_many`](Self::insert_many) of [`last`](Self::last) | the script `insert_last.lua` |
/// | the same of [`within`](Self::within) | the script `insert_within.lua` |
/// | [`contains`](Self::contains) | BF.EXISTS, of both keys in one pipeline |
/// | [`info`](Self::info) | BF.SCANDUMP of cursor 0, which is the header of the filter |
///
/// Programs in other languages can run the same scripts: `filters.lua` followed by one of the others, whose comment
/// documents KEYS and ARGV.
///
#[doc = concat!("```lua\n", include_str!("filters.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert_last.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert_within.lua"), "```")]
///
/// Both keys are in one slot of a cluster, so each call of `insert` is atomic there too. An exception is a key with a
/// `}` and no hash tag: its older filter is in another slot, and a cluster refuses calls that use both.
///
/// While a slot moves from one node to another, a call of `insert` that makes a turn is refused before anything
/// changes, and so is each call while only one of the two filters has been moved: `TRYAGAIN`, on which cluster clients
/// retry. If they give up, the error is [`ErrorKind::Server`](store::ErrorKind::Server).
///
/// A server detects that it has no memory for a filter only when it has to grow: then earlier items have been added,
/// and an earlier turn has been made. A store detects it in advance, and adds none.
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether the items were added. A repeated call, also by a
/// client that retries, may report its own items as seen. If no item may be lost, treat them as new.
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

impl<B: Keyspace> Dedup<B> {
    /// Creates a dedup that remembers all items. The filter is sized for `capacity` items (1 to 2^30) at a false
    /// positive rate of `error_rate` (between 0 and 1), and grows when there are more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for arguments out of range.
    pub fn new(
        backend: B,
        key: impl AsRef<[u8]>,
        capacity: u64,
        error_rate: f64,
    ) -> Result<Self, Error> {
        Self::with(backend, key.as_ref(), Settings::new(capacity, error_rate), None)
    }

    /// Creates a dedup that remembers at least the last `count / 2` different items (rounded up), and at most about
    /// `count` of them. `count` is 1 to 2^30.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
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
        // Each filter has half of the rate, because both are queried.
        let settings = Settings::new(half, error_rate / 2.0).non_scaling();
        Self::with(backend, key.as_ref(), settings, Some(Turn::Items(half)))
    }

    /// Creates a dedup that remembers the items of at least half of `period`, and of at most all of it. The filters are
    /// sized for `capacity` items per period (1 to 2^30), and grow when there are more.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); also for a period of zero, or of more than 146 million years, on a server 140,000.
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
        if backend.kind() != BackendKind::Store && period_ms > LONGEST_ON_SERVER_MS {
            return Err(invalid("ERR the period is too long for a server"));
        }
        let settings = Settings::new(capacity.div_ceil(2), error_rate / 2.0);
        Self::with(backend, key.as_ref(), settings, Some(Turn::PeriodMs(period_ms)))
    }

    fn with(backend: B, key: &[u8], settings: Settings, turn: Option<Turn>) -> Result<Self, Error> {
        if !(1..=bloom::MAX_CAPACITY).contains(&settings.capacity()) {
            return Err(invalid("ERR the number of items is not between 1 and 1073741824"));
        }
        let rate = settings.error_rate();
        // Half of a smaller rate is below the smallest valid one.
        if !(rate >= f64::MIN_POSITIVE && rate < if turn.is_some() { 0.5 } else { 1.0 }) {
            return Err(invalid("ERR the error rate is not between 0 and 1 (exclusive)"));
        }
        Ok(Self { backend, keys: [key.to_vec(), older_key(key)], settings, turn })
    }

    fn keys(&self) -> [&[u8]; 2] {
        let [key, older] = &self.keys;
        [key, older]
    }
}

/// # Items
impl<B: Backend> Dedup<B> {
    /// Adds an item; returns whether it is new.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds another type;
    /// [`ErrorKind::OutOfMemory`](store::ErrorKind::OutOfMemory) if the filter would grow beyond
    /// [`Limits::bloom_memory_usage_limit`](store::Limits::bloom_memory_usage_limit);
    /// [`ErrorKind::FilterFull`](store::ErrorKind::FilterFull) if another client created one that does not grow.
    /// Nothing has changed then.
    #[inline]
    pub fn insert(&self, item: impl ToMember) -> Result<bool, Error> {
        item.with_member(|item| Ok(self.add(&[item])?.first().copied().unwrap_or_default()))
    }

    /// Adds items in order, in one call; returns for each whether it is new, as [`insert`](Self::insert) does. Without
    /// items nothing is read.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert): then no item is added. On a server also for more than a million items.
    pub fn insert_many(&self, items: impl ToMembers) -> Result<Vec<bool>, Error> {
        items.with_members(|items| self.add(items))
    }

    /// Returns whether an item was seen, without adding it.
    ///
    /// # Errors
    ///
    /// Errors of the backend. A store has none: a key of another type has no items.
    pub fn contains(&self, item: impl ToMember) -> Result<bool, Error> {
        item.with_member(|item| self.has(item))
    }
}

/// # Items
impl<B: AsyncBackend> Dedup<B> {
    /// The asynchronous form of [`insert`](Self::insert): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub async fn insert_async(&self, item: impl ToMember) -> Result<bool, Error> {
        let held = Held::new(item);
        Ok(self.add_async(&[held.as_member()]).await?.first().copied().unwrap_or_default())
    }

    /// The asynchronous form of [`insert_many`](Self::insert_many): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`insert_many`](Self::insert_many).
    pub async fn insert_many_async(&self, items: impl ToMembers) -> Result<Vec<bool>, Error> {
        let held = Held::all(items);
        let items = held::members(&held);
        self.add_async(&items).await
    }

    /// The asynchronous form of [`contains`](Self::contains): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains).
    pub async fn contains_async(&self, item: impl ToMember) -> Result<bool, Error> {
        let held = Held::new(item);
        self.has_async(held.as_member()).await
    }
}

#[blocking_and_async]
impl<B: Backend> Dedup<B> {
    /// Returns the size and the false positive rate of the filters.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds another type.
    pub async fn info(&self) -> Result<DedupInfo, Error> {
        let [key, older] = self.keys();
        let keys = if self.turn.is_some() { vec![key, older] } else { vec![key] };
        let all: Vec<_> = keys.into_iter().map(info).collect();
        let (mut filters, mut refused) = (Vec::with_capacity(2), None);
        self.backend
            .call_many(&all, |_, outcome| match outcome {
                Ok(info) => filters.push(info),
                Err(error) if error.kind() == ErrorKind::NoSuchKey => {}
                Err(error) => refused = Some(error),
            })
            .await?;
        if let Some(error) = refused {
            return Err(error);
        }
        let sum = |of: fn(&FilterInfo) -> u64| filters.iter().map(of).sum();
        // Computed by logarithms, because 1 - p is inexact if p is small.
        let known: f64 = filters.iter().map(|info| (-info.error_rate).ln_1p()).sum();
        Ok(DedupInfo {
            items: sum(|info| info.items),
            bytes: sum(|info| info.bytes),
            error_rate: -known.exp_m1(),
        })
    }

    async fn add(&self, items: &[Member<'_>]) -> Result<Vec<bool>, Error> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let [key, older] = self.keys();
        if items.len() > AT_ONCE_ON_SERVER && self.backend.kind() != BackendKind::Store {
            return Err(invalid("ERR a server accepts at most a million items per call"));
        }
        let settings = self.settings;
        // Computed before the lock is taken.
        let hashes: SmallVec<[ItemHash; 32]> =
            items.iter().map(|&item| BloomEntry::hash(item)).collect();
        let items = Items { items, hashes: &hashes };
        match self.turn {
            None => self.backend.call(&insert(key, items, settings)).await,
            Some(turn) => {
                let insert = InsertTurning { key, older, items, settings, turn };
                self.backend.call(&insert.procedure()).await
            }
        }
    }

    async fn has(&self, item: Member<'_>) -> Result<bool, Error> {
        let [key, older] = self.keys();
        if self.turn.is_some() && self.backend.kind() != BackendKind::Store {
            // The younger filter first: items that a concurrent turn moves are found in the older one.
            let mut found = false;
            let both = [key, older].map(|key| has(key, item));
            call_all(&self.backend, &both, |_, has| found |= has).await?;
            return Ok(found);
        }
        Ok(self.backend.call(&has(key, item)).await?
            || self.turn.is_some() && self.backend.call(&has(older, item)).await?)
    }
}

/// The state of a [`Dedup`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DedupInfo {
    /// The number of items in the filters. If there are two, an item may be in both.
    pub items: u64,
    /// The memory of the filters in bytes, as RedisBloom reports it.
    pub bytes: u64,
    /// The probability that a new item is currently reported as seen.
    pub error_rate: f64,
}
