//! Seen before: each item of a stream once, in some ten bits an item.

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

/// How many items a server takes at once: it reads no more than 2^20 words in a request.
const AT_ONCE_ON_SERVER: usize = 1_000_000;

/// The longest period on a server, whose scripts count in 53 bits: 140,000 years.
const LONGEST_ON_SERVER_MS: i64 = 1 << 52;

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
/// # Asynchronous calls
///
/// Each call that asks the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend). Its future holds a copy of the items.
///
/// # On a server
///
/// The server has to have RedisBloom, and be of version 7.0 or later for [`within`](Self::within). Without the module, as
/// Valkey is, it refuses the commands: [`ErrorKind::UnknownCommand`](store::ErrorKind::UnknownCommand), or
/// [`ErrorKind::Server`](store::ErrorKind::Server) from a script.
///
/// | call | what is sent |
/// |---|---|
/// | [`insert`](Self::insert) without a period | BF.INSERT |
/// | [`insert_many`](Self::insert_many) without a period | the script `insert.lua` |
/// | [`insert`](Self::insert), [`insert_many`](Self::insert_many) of [`last`](Self::last) | the script `insert_last.lua` |
/// | the same of [`within`](Self::within) | the script `insert_within.lua` |
/// | [`contains`](Self::contains) | BF.EXISTS, of both keys in one pipeline |
/// | [`info`](Self::info) | BF.SCANDUMP of cursor 0, which is the header of the filter |
///
/// Programs in other languages take part with the scripts' Lua: `filters.lua` with one of the others behind it, in which
/// the comment says what KEYS and ARGV are.
///
#[doc = concat!("```lua\n", include_str!("filters.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert_last.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("insert_within.lua"), "```")]
///
/// Both keys lie in one slot of a cluster, so each call of `insert` is atomic there too; but a key with a `}` and no hash
/// tag has its older filter in another slot, and a cluster refuses it where there are two.
///
/// While a slot moves from node to node, a call of `insert` for which the filters take turns is refused before anything
/// changes, and so is each one while one of the two filters is there and the other is not: `TRYAGAIN`, on which clients of a
/// cluster send the same again. If they give up first, the error is [`ErrorKind::Server`](store::ErrorKind::Server).
///
/// The server says of a filter for which it has no memory only when it should grow: then the items before have been added,
/// and a turn that came before has been made. A store knows it before, and adds none.
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) the items were added or were not, and a caller who asks again, a client with
/// retries included, may be told that they were seen before: by itself. What must not be lost has to be taken for new then.
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
    /// As of [`new`](Self::new); also for a period of no time, or of more than 146 million years, on a server 140,000.
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
        // A half of it is smaller than any that can be asked for.
        if !(rate >= f64::MIN_POSITIVE && rate < if turn.is_some() { 0.5 } else { 1.0 }) {
            return Err(invalid("ERR the error rate is not between 0 and 1, neither included"));
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
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds something else;
    /// [`ErrorKind::OutOfMemory`](store::ErrorKind::OutOfMemory) if the filter would grow beyond
    /// [`Limits::bloom_memory_usage_limit`](store::Limits::bloom_memory_usage_limit);
    /// [`ErrorKind::FilterFull`](store::ErrorKind::FilterFull) if another client made one that does not grow. Nothing
    /// has changed then.
    #[inline]
    pub fn insert(&self, item: impl ToMember) -> Result<bool, Error> {
        item.with_member(|item| Ok(self.add(&[item])?.first().copied().unwrap_or_default()))
    }

    /// [`insert`](Self::insert) of each item, in order, at once. Without items nothing is looked at.
    ///
    /// # Errors
    ///
    /// As of [`insert`](Self::insert): then none of them is added. On a server also for more than a million items.
    pub fn insert_many(&self, items: impl ToMembers) -> Result<Vec<bool>, Error> {
        items.with_members(|items| self.add(items))
    }

    /// Whether an item was seen, without adding it.
    ///
    /// # Errors
    ///
    /// Those of the backend; the store has none: a key that holds something else has no items.
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
    /// What is kept now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds something else.
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
        // Through logarithms, because 1 - p has few digits left where p is small.
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
            return Err(invalid("ERR a server takes a million items at once, at most"));
        }
        let settings = self.settings;
        // Outside of the lock.
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
            // The younger one first: what a turn moves meanwhile is found in the older one.
            let mut found = false;
            let both = [key, older].map(|key| has(key, item));
            call_all(&self.backend, &both, |_, has| found |= has).await?;
            return Ok(found);
        }
        Ok(self.backend.call(&has(key, item)).await?
            || self.turn.is_some() && self.backend.call(&has(older, item)).await?)
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
