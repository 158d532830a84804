//! Writing visits to buckets, and merging these into larger ones.

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind};

use super::UvWindows;
use super::bucket::UvBucket;
use super::calendar::out_of_range;
use super::level::UvLevel;
use super::procedures::{self, Answer, RollKeys};
use super::recent::Minute;
use super::spread::{self, is_marked, without_mark};
use super::users::User;
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::errors::invalid;

/// The most buckets that are merged in one step, because a Lua function accepts only some thousand arguments.
const MERGED: usize = 2000;

/// How visits get into the larger buckets. It does not affect the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UvFilling {
    /// A visit is written to the minute, the hour, the day and the month, in one atomic step.
    #[default]
    WriteThrough,
    /// A visit is written to the minute only; [`roll_up`](UvWindows::roll_up) merges minutes that are over into their
    /// hours, hours into days and days into months.
    RollUp,
}

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    /// Writes a visit to each of its buckets that is kept.
    #[inline]
    pub(super) async fn write_through(&self, user: User<'_>, second: i64) -> Result<bool, Error> {
        if self.backend.kind() != BackendKind::Store {
            let changed = self.record_sent(user.alone(), &[second]).await?;
            return Ok(changed > 0);
        }
        let added = self.write_through_at(user, second).await?;
        changed(added, second)
    }

    /// Writes a visit to those of these buckets that are kept.
    #[inline]
    async fn write_through_in(&self, user: User<'_>, kept: &Minute) -> Result<Answer, Error> {
        let [minute, ..] = &kept.buckets;
        // A visit in the minute is in all larger buckets. Looking it up costs less than four locks.
        if kept.is_dense() {
            match self.backend.call(&procedures::has_user(minute, user)).await? {
                Answer::Yes => return Ok(Answer::No),
                Answer::No => {}
                Answer::None => kept.set_dense(false),
            }
        }
        self.write_to_all(user, kept).await
    }

    /// Writes a visit that is probably not in the minute yet.
    #[inline(never)]
    async fn write_to_all(&self, user: User<'_>, kept: &Minute) -> Result<Answer, Error> {
        let [minute, hour, ..] = &kept.buckets;
        let add = procedures::add_if_in_hour(minute, hour, user);
        if let Some(added) = self.backend.call(&add).await? {
            kept.set_dense(added.dense);
            return Ok(added.changed.into());
        }
        self.backend.call(&procedures::add_to_all(&kept.buckets, user)).await
    }

    /// Writes a visit to its minute.
    #[inline]
    pub(super) async fn write_minute(&self, user: User<'_>, second: i64) -> Result<bool, Error> {
        if self.backend.kind() != BackendKind::Store {
            let changed = self.record_sent(user.alone(), &[second]).await?;
            return Ok(changed > 0);
        }
        let added = self.write_if_open(user, second).await?;
        if added == Answer::None {
            self.write_and_open(user, second).await
        } else {
            Ok(added == Answer::Yes)
        }
    }

    /// Writes a visit to the smallest bucket that is kept, which is not open.
    #[cold]
    async fn write_and_open(&self, user: User<'_>, second: i64) -> Result<bool, Error> {
        let now = self.backend.call(&procedures::now()).await?;
        for level in UvLevel::ALL {
            let bucket = self.calendar.bucket_of(level, second)?;
            if self.expired(&bucket, now) {
                continue;
            }
            if level == UvLevel::Month {
                let buckets = &[self.prepared(bucket)];
                let added = self.backend.call(&procedures::add_to_all(buckets, user)).await?;
                return changed(added, second);
            }
            let key = &self.bucket_key(bucket);
            let add = procedures::add_and_open(&self.open_key, key, user.alone());
            // The one user is added, or there is an error.
            let (changed, _) = self.backend.call(&add).await?;
            let changed = changed > 0;
            if changed && bucket.has(now.div_euclid(1000)) {
                // A minute has begun, so earlier ones are merged. Old visits come here too, without a merge for each.
                // The visit is counted even if the merge fails; it will be tried again.
                let _merged = self.roll_up().await;
            }
            return Ok(changed);
        }
        Err(too_late(second))
    }

    /// Merges every open bucket that is over into the next larger one that is kept: minutes into hours, hours into
    /// days, days into months. Returns how many were merged; from then on they expire.
    ///
    /// Counts are correct without it, and never call it: it bounds the memory. With [`UvFilling::RollUp`] the first
    /// visit of a minute calls it, and is counted even if it fails. Call it regularly if visits may stop, and after
    /// recording visits of the past. O(buckets that are over); the PFMERGE into each larger bucket is atomic, and other
    /// calls run in between.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] and [`ErrorKind::InvalidHll`] if a key holds another type or is no valid HyperLogLog.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::sync::Arc;
    /// use tallis::jiff::Timestamp;
    /// use tallis::{ManualClock, Store, UvFilling, UvWindows};
    ///
    /// let now: Timestamp = "2019-09-28T19:11:30Z".parse()?;
    /// let clock = Arc::new(ManualClock::new(now.as_millisecond()));
    /// let store = Store::builder().clock(clock.clone()).build();
    /// let windows = UvWindows::new(store.clone(), "uv:").filling(UvFilling::RollUp);
    /// windows.record("alice", now)?;
    /// assert_eq!(windows.roll_up()?, 0);
    ///
    /// clock.advance(60_000);
    /// assert_eq!(windows.roll_up()?, 1);
    /// assert_eq!(store.pfcount(["uv:2019092819"])?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn roll_up(&self) -> Result<u64, Error> {
        let mut rolled = 0;
        for level in [UvLevel::Minute, UvLevel::Hour, UvLevel::Day] {
            let (now, names) = self.backend.call(&procedures::open_names(&self.open_key)).await?;
            self.reopen(&names).await?;
            let mut over = self.open_buckets(&names)?;
            over.retain(|bucket| bucket.level() == level && bucket.end.saturating_mul(1000) <= now);
            let mut over = over.as_slice();
            while let Some(first) = over.first() {
                let into = self.next_kept(first, now)?;
                let last = into.map_or(first.end, |into| into.end);
                // For a later one a smaller bucket may be kept, which must not be skipped.
                let joins = |one: &UvBucket| {
                    one.end <= last && self.next_kept(one, now).is_ok_and(|next| next == into)
                };
                let joined = over.partition_point(joins).clamp(1, MERGED);
                let (group, rest) = over.split_at(joined);
                rolled += self.roll(group, into.as_ref()).await?;
                over = rest;
            }
        }
        Ok(rolled)
    }

    /// Merges buckets into one.
    async fn roll(&self, buckets: &[UvBucket], into: Option<&UvBucket>) -> Result<u64, Error> {
        let stays_open = into.is_some_and(|into| into.level() != UvLevel::Month);
        let buckets: Vec<_> = buckets.iter().map(|&one| self.bucket_key(one)).collect();
        let into = into.map(|&into| self.bucket_key(into));
        if self.is_spread() {
            return self.roll_spread(&buckets, into.as_ref(), stays_open).await;
        }
        let keys = RollKeys::new(&self.open_key, &buckets, into.as_ref(), stays_open);
        self.backend.call(&procedures::roll(&keys)).await
    }

    /// Reopens the buckets that an interrupted handle on a cluster was merging. They can be here if keys were copied
    /// from a cluster.
    async fn reopen(&self, names: &[Bytes]) -> Result<(), Error> {
        if self.is_spread() || !names.iter().any(|name| is_marked(name)) {
            return Ok(());
        }
        let marked: Vec<&[u8]> =
            names.iter().filter(|name| is_marked(name)).map(|name| &**name).collect();
        let unmarked: Vec<&[u8]> = marked.iter().map(|name| without_mark(name)).collect();
        self.backend.call(&spread::finish(&self.open_key, &unmarked, &marked)).await
    }
}

impl<B: Backend> UvWindows<B> {
    /// Writes a visit to every bucket of its minute.
    #[inline]
    fn write_through_at(&self, user: User<'_>, second: i64) -> Result<Answer, Error> {
        self.with_minute(second, |kept| self.write_through_in(user, kept))
    }

    /// Writes a visit to its minute if that is open.
    #[inline]
    fn write_if_open(&self, user: User<'_>, second: i64) -> Result<Answer, Error> {
        self.with_minute(second, |kept| {
            self.backend.call(&procedures::add_if_open(&kept.buckets[0], user))
        })
    }
}

impl<B: AsyncBackend> UvWindows<B> {
    async fn write_through_at_async(&self, user: User<'_>, second: i64) -> Result<Answer, Error> {
        let kept = self.take_minute(second)?;
        let added = self.write_through_in_async(user, &kept).await;
        kept.give_back();
        added
    }

    async fn write_if_open_async(&self, user: User<'_>, second: i64) -> Result<Answer, Error> {
        let kept = self.take_minute(second)?;
        let minute = &kept.buckets[0];
        let added = self.backend.call_async(&procedures::add_if_open(minute, user)).await;
        kept.give_back();
        added
    }
}

impl<B: Keyspace> UvWindows<B> {
    /// Returns the smallest larger bucket that contains this one and is kept.
    fn next_kept(&self, bucket: &UvBucket, now: i64) -> Result<Option<UvBucket>, Error> {
        let mut level = bucket.level();
        while let Some(above) = level.above() {
            let larger = self.calendar.bucket_of(above, bucket.start)?;
            if !self.expired(&larger, now) {
                return Ok(Some(larger));
            }
            level = above;
        }
        Ok(None)
    }

    /// Returns the buckets with these names, in order.
    pub(super) fn open_buckets(&self, names: &[Bytes]) -> Result<Vec<UvBucket>, Error> {
        let named =
            |name: &Bytes| self.calendar.named(without_mark(name)).ok_or_else(|| no_bucket(name));
        let mut buckets: Vec<UvBucket> = names.iter().map(named).collect::<Result<_, Error>>()?;
        buckets.sort_unstable();
        buckets.dedup();
        Ok(buckets)
    }
}

/// Returns whether a visit of this second changed one of its buckets, if one is kept.
#[inline]
pub(super) fn changed(added: Answer, second: i64) -> Result<bool, Error> {
    if added == Answer::None { Err(too_late(second)) } else { Ok(added == Answer::Yes) }
}

#[cold]
pub(super) fn too_late(second: i64) -> Error {
    match jiff::Timestamp::from_second(second) {
        Ok(at) => Error::new(
            ErrorKind::NotKept,
            format!("ERR a visit at {at} is too late: no bucket of that time is kept any more"),
        ),
        Err(_) => out_of_range(second),
    }
}

#[cold]
fn no_bucket(name: &[u8]) -> Error {
    let name = name.escape_ascii();
    invalid(format!("ERR '{name}' in the list of open buckets is not a bucket in this time zone"))
}
