//! The atomic steps of [`Dedup`](super::Dedup).

use bloom::{BloomFilter, ItemHash, Loader, MAX_ERROR_RATE, Settings};
use bytes::Bytes;
use store::{BloomEntry, BloomInsertOptions, Error, Member, Tx};

use super::scripts::{INSERT, INSERT_LAST, INSERT_WITHIN};
use crate::procedure::{Procedure, parts, read, step, unexpected};
use crate::request::Request;

/// Items with their hashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'p> {
    pub(super) items: &'p [Member<'p>],
    pub(super) hashes: &'p [ItemHash],
}

impl Items<'_> {
    const fn len(self) -> usize {
        self.items.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (items, hashes) = (self.items.split_at(at), self.hashes.split_at(at));
        (Self { items: items.0, hashes: hashes.0 }, Self { items: items.1, hashes: hashes.1 })
    }

    /// BF.INSERT.
    fn insert(
        self,
        filter: &mut BloomEntry<'_>,
        options: &BloomInsertOptions,
    ) -> Result<Vec<bool>, Error> {
        match (self.items, self.hashes) {
            (&[item], &[hash]) => Ok(vec![filter.add_hashed(item, hash, options)?]),
            (items, hashes) => filter.add_hashed_many(items, hashes, options),
        }
    }

    /// Returns whether `check` finds room for the items that the filter lacks, but for at most `most`.
    #[inline]
    fn check(
        self,
        filter: Option<&BloomFilter>,
        most: u64,
        check: impl Fn(u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // There is usually room for all of them, and then it does not matter which are new.
        if check(most.min(self.len() as u64)).is_ok() {
            return Ok(());
        }
        check(most.min(self.new_to(filter)))
    }

    /// Returns whether the filter has room for the items, but for at most `most`.
    #[inline]
    fn check_room(
        self,
        filter: &BloomEntry<'_>,
        most: u64,
        options: &BloomInsertOptions,
    ) -> Result<(), Error> {
        self.check(filter.filter(), most, |new| filter.check_room(new, options))
    }

    /// Returns how many different items the filter lacks.
    #[cold]
    fn new_to(self, filter: Option<&BloomFilter>) -> u64 {
        let has = |hash: &ItemHash| filter.is_some_and(|filter| filter.contains_hash(*hash));
        let mut new: Vec<(u64, u64)> =
            self.hashes.iter().filter(|&hash| !has(hash)).map(|hash| hash.parts()).collect();
        new.sort_unstable();
        new.dedup();
        new.len() as u64
    }
}

/// BF.INSERT: adds all of the items, or none; returns for each whether it was new.
#[inline]
pub(super) fn insert(
    key: &[u8],
    items: Items<'_>,
    settings: Settings,
) -> impl Procedure<Output = Vec<bool>> {
    step([key], move |tx| {
        let options = BloomInsertOptions::new(settings);
        tx.with_bloom(key, |filter| {
            // A single item is added or not.
            if items.len() > 1 {
                items.check_room(filter, u64::MAX, &options)?;
            }
            items.insert(filter, &options)
        })
    })
    .on_server_with(
        move || {
            let (capacity, rate) = (capacity_arg(&settings), rate_arg(&settings));
            // A single item is added or not.
            if items.len() > 1 {
                let request = Request::script(&INSERT).key(key).arg(capacity).arg(&*rate);
                return request.args(items.items.iter().copied());
            }
            let words = Request::command("BF.INSERT").key(key).arg("CAPACITY").arg(capacity);
            let words = words.arg("ERROR").arg(&*rate).arg("EXPANSION").arg(EXPANSION).arg("ITEMS");
            words.args(items.items.iter().copied())
        },
        move |reply| parts(reply, items.len()),
    )
}

/// The growth factor of a filter, because the default of a server can be changed.
const EXPANSION: i64 = Settings::DEFAULT_EXPANSION as i64;

/// Returns the capacity of a filter as an argument.
const fn capacity_arg(settings: &Settings) -> i64 {
    settings.capacity().cast_signed()
}

/// Formats an error rate as an argument, so that it parses to the same number. RedisBloom before version 8 does not
/// round a high rate of a filter that does not grow.
fn rate_arg(settings: &Settings) -> String {
    format!("{:?}", settings.error_rate().min(MAX_ERROR_RATE))
}

/// When the younger of two filters becomes the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Turn {
    /// When it has this number of items.
    Items(u64),
    /// When half of this period in milliseconds has passed since its first item, at which its expiry was set to the end
    /// of the period.
    PeriodMs(i64),
}

/// For each item in order:
///
/// 1. BF.EXISTS of `older`,
/// 2. if a [`Turn`] is due, RENAME `key` to `older`,
/// 3. BF.INSERT into `key`; if that created the filter and turns depend on time, PEXPIREAT at the end of the period.
///
/// A full filter makes no turn for an item that it has.
///
/// Returns for each item whether neither filter had it. All are added, or none.
///
/// Of the settings, a server uses the capacity and the error rate. A filter with turns by items has the capacity of one
/// turn, and does not scale; one with turns by time does.
#[derive(Clone, Copy, Debug)]
pub(super) struct InsertTurning<'p> {
    pub(super) key: &'p [u8],
    pub(super) older: &'p [u8],
    pub(super) items: Items<'p>,
    pub(super) settings: Settings,
    pub(super) turn: Turn,
}

impl InsertTurning<'_> {
    pub(super) fn procedure(&self) -> impl Procedure<Output = Vec<bool>> {
        step([self.key, self.older], |tx| self.run(tx))
            .on_server_with(|| self.request(), |reply| parts(reply, self.items.len()))
    }

    fn request(&self) -> Request {
        let script = match self.turn {
            Turn::Items(_) => &INSERT_LAST,
            Turn::PeriodMs(_) => &INSERT_WITHIN,
        };
        let request = Request::script(script).key(self.key).key(self.older);
        let request = request.arg(capacity_arg(&self.settings)).arg(&*rate_arg(&self.settings));
        let request = match self.turn {
            Turn::Items(_) => request,
            Turn::PeriodMs(period) => request.arg(period),
        };
        request.args(self.items.items.iter().copied())
    }

    const fn options(&self) -> BloomInsertOptions {
        BloomInsertOptions::new(self.settings)
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Vec<bool>, Error> {
        // All checks that can fail come before the first change.
        tx.with_bloom(self.older, |_| Ok(()))?;
        let mut new = Vec::with_capacity(self.items.len());
        match self.turn {
            Turn::PeriodMs(period) => {
                if tx.with_bloom(self.key, |filter| self.check_period(filter, period))? {
                    tx.rename(self.key, self.older)?;
                }
                self.add(tx, self.items, &mut new)?;
            }
            Turn::Items(most) => {
                tx.with_bloom(self.key, |filter| self.check_turns(filter, most))?;
                let mut left = self.items;
                while left.len() > 0 {
                    let room = tx.with_bloom(self.key, |filter| Ok(room(filter, most)))?;
                    let room = usize::try_from(room).unwrap_or(usize::MAX).min(left.len());
                    left = if room == 0 {
                        self.add_to_full(tx, left, &mut new)?
                    } else {
                        let (now, later) = left.split_at(room);
                        self.add(tx, now, &mut new)?;
                        later
                    };
                }
            }
        }
        Ok(new)
    }

    /// Checks that there is room; returns whether half of the period of the younger filter is over. A filter without an
    /// expiry was not created by this recipe, and is treated as old.
    fn check_period(&self, filter: &BloomEntry<'_>, period_ms: i64) -> Result<bool, Error> {
        let left = filter.expires_at_ms().map(|at| at.saturating_sub(filter.now_ms()));
        let is_over = filter.exists() && left.is_none_or(|left| left <= period_ms / 2);
        if is_over {
            self.items.check(None, u64::MAX, |new| filter.check_new(new, &self.options()))?;
        } else {
            self.items.check_room(filter, u64::MAX, &self.options())?;
        }
        Ok(is_over)
    }

    /// Checks that there is room.
    fn check_turns(&self, filter: &BloomEntry<'_>, most: u64) -> Result<(), Error> {
        let room = room(filter, most);
        self.items.check_room(filter, room, &self.options())?;
        if self.items.len() as u64 <= room {
            return Ok(());
        }
        // There is a turn if more of them are new. The filters that it creates have room for what they get.
        match filter.check_new(1, &self.options()) {
            Err(why) if self.items.new_to(filter.filter()) > room => Err(why),
            _ => Ok(()),
        }
    }

    /// Adds items to the younger filter.
    fn add(&self, tx: &Tx<'_>, items: Items<'_>, new: &mut Vec<bool>) -> Result<(), Error> {
        let known = has_each(tx, self.older, items.hashes)?;
        let added = tx.with_bloom(self.key, |filter| {
            let made = !filter.exists();
            let added = items.insert(filter, &self.options())?;
            if let (true, Turn::PeriodMs(period)) = (made, self.turn) {
                filter.expire_at_ms(filter.now_ms().saturating_add(period));
            }
            Ok(added)
        })?;
        new.extend(known.into_iter().zip(added).map(|(known, added)| !known && added));
        Ok(())
    }

    /// Skips items that the younger filter has; at the first that it lacks, it becomes the older one. Returns the
    /// remaining items.
    fn add_to_full<'p>(
        &self,
        tx: &Tx<'_>,
        items: Items<'p>,
        new: &mut Vec<bool>,
    ) -> Result<Items<'p>, Error> {
        /// The number of items that are looked up at once.
        const WINDOW: usize = 32;
        let held = has_each(tx, self.key, &items.hashes[..items.len().min(WINDOW)])?;
        let first = held.iter().take_while(|&&held| held).count();
        new.extend(std::iter::repeat_n(false, first));
        let (_, left) = items.split_at(first);
        if first == held.len() {
            return Ok(left);
        }
        let (next, left) = left.split_at(1);
        // The older filter is queried before it is replaced.
        let known = has_each(tx, self.older, next.hashes)?;
        tx.rename(self.key, self.older)?;
        tx.with_bloom(self.key, |filter| next.insert(filter, &self.options()))?;
        new.extend(known.into_iter().map(|known| !known));
        Ok(left)
    }
}

/// Returns how many more items the younger filter takes.
fn room(filter: &BloomEntry<'_>, most: u64) -> u64 {
    most.saturating_sub(filter.filter().map_or(0, BloomFilter::len))
}

/// Returns for each item whether the filter at a key has it.
fn has_each(tx: &Tx<'_>, key: &[u8], hashes: &[ItemHash]) -> Result<Vec<bool>, Error> {
    tx.with_bloom(key, |filter| {
        let Some(filter) = filter.filter() else { return Ok(vec![false; hashes.len()]) };
        let mut known = Vec::with_capacity(hashes.len());
        filter.contains_hashes(hashes, &mut known);
        Ok(known)
    })
}

/// BF.EXISTS.
pub(super) fn has(key: &[u8], item: Member<'_>) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.bf_exists(key, item))
        .on_server(move || Request::command("BF.EXISTS").key(key).arg(item))
}

/// The state of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FilterInfo {
    pub(super) items: u64,
    /// As RedisBloom reports it.
    pub(super) bytes: u64,
    /// The current probability of a false positive.
    pub(super) error_rate: f64,
}

/// BF.INFO, with the error rate. On a server it is the header of BF.SCANDUMP, from which all figures are computed.
pub(super) fn info(key: &[u8]) -> impl Procedure<Output = FilterInfo> {
    step([read(key)], move |tx| {
        let info = tx.bf_info(key)?;
        Ok(FilterInfo { items: info.items, bytes: info.size, error_rate: info.error_rate })
    })
    .on_server_with(
        move || Request::command("BF.SCANDUMP").key(key).arg(0),
        |reply| {
            let (_, header): (i64, Bytes) = reply.clone().convert()?;
            let filter = Loader::new(&header).map_err(|_| unexpected(&reply))?;
            let (items, bytes) = (filter.len(), filter.memory());
            Ok(FilterInfo { items, bytes, error_rate: filter.error_rate_by_items() })
        },
    )
}
