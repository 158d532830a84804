//! How visits get into the buckets, and from there into larger ones.

use super::UvWindows;
use super::bucket::{Key, UvBucket};
use super::calendar::out_of_range;
use super::level::UvLevel;
use super::steps::{UvHashed, UvKey, UvSteps};
use crate::error::{Error, ErrorKind};
use crate::member::Member;

/// How visits get into the larger buckets. Counts are the same either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UvFilling {
    /// Each visit is written to the minute, the hour, the day and the month, in one atomic step.
    #[default]
    WriteThrough,
    /// A visit is written to the minute alone; [`roll_up`](UvWindows::roll_up) merges minutes that are over into their
    /// hours, hours into days and days into months.
    RollUp,
}

impl<S: UvSteps> UvWindows<S> {
    /// Writes a visit to every bucket that it lies in and that is kept.
    #[inline]
    pub(super) fn write_through(&self, user: Member<'_>, second: i64) -> Result<bool, Error> {
        let expires_at = |place: usize| {
            Ok(self.expires_at(&self.calendar.bucket_of(UvLevel::ALL[place], second)?))
        };
        let added =
            self.with_keys(second, |keys: &[_; 4]| self.steps.add_to_all(keys, user, expires_at))?;
        added.ok_or_else(|| too_late(second))
    }

    /// Writes a visit to its minute.
    #[inline]
    pub(super) fn write_minute(&self, user: Member<'_>, second: i64) -> Result<bool, Error> {
        if let Some(changed) =
            self.with_keys(second, |&[minute]| self.steps.add_if_open(minute, user))?
        {
            return Ok(changed);
        }
        self.write_and_open(user, second)
    }

    /// Writes a visit to the smallest bucket that is kept, which is not open.
    #[cold]
    fn write_and_open(&self, user: Member<'_>, second: i64) -> Result<bool, Error> {
        let now = self.steps.now_ms()?;
        for level in UvLevel::ALL {
            let bucket = self.calendar.bucket_of(level, second)?;
            if self.expired(&bucket, now) {
                continue;
            }
            let (key, expires_at) = (self.key_of(&bucket), self.expires_at(&bucket));
            if level == UvLevel::Month {
                let month = UvHashed { key: &key, hash: self.steps.hash_key(&key) };
                let added = self.steps.add_to_all(&[month], user, |_| Ok(expires_at))?;
                return added.ok_or_else(|| too_late(second));
            }
            let to = self.uv_key(&key, expires_at);
            let changed = self.steps.add_and_open(&self.open_key, to, user)?;
            let second = now.div_euclid(1000);
            if changed && bucket.start <= second && second < bucket.end {
                // A minute has begun: what the last ones left is cleared away. Old visits that are fed in come here too, and do
                // not do so for each.
                self.roll_up()?;
            }
            return Ok(changed);
        }
        Err(too_late(second))
    }

    /// Merges every open bucket that is over into the next larger one that is kept: minutes into hours, hours into days, days into
    /// months. How many were merged; from then on they expire.
    ///
    /// Counts are right whether or not this is called, and call it for nobody: it is what bounds the memory. With
    /// [`UvFilling::RollUp`] the first visit of each minute of the present calls it. Call it yourself from time to time if visits stop
    /// coming, and after feeding in visits of the past. O(buckets that are over); the PFMERGE into each larger
    /// bucket is atomic, and others go on between.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] and [`ErrorKind::InvalidHll`] if a key holds something else.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use jiff::Timestamp;
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
    pub fn roll_up(&self) -> Result<u64, Error> {
        let mut rolled = 0;
        for level in [UvLevel::Minute, UvLevel::Hour, UvLevel::Day] {
            let now = self.steps.now_ms()?;
            let names = self.steps.open_names(&self.open_key)?;
            let mut over = self.open_buckets(&names)?;
            over.retain(|bucket| bucket.level() == level && bucket.end.saturating_mul(1000) <= now);
            over.sort_unstable();
            let mut over = over.as_slice();
            while let Some(first) = over.first() {
                let into = self.next_kept(first, now)?;
                let last = into.map_or(first.end, |into| into.end);
                // Of a later one a smaller bucket may be kept, which must not be passed over.
                let along = |one: &UvBucket| {
                    one.end <= last && self.next_kept(one, now).is_ok_and(|next| next == into)
                };
                let (group, rest) = over.split_at(over.partition_point(along));
                rolled += self.roll(group, into.as_ref())?;
                over = rest;
            }
        }
        Ok(rolled)
    }

    /// Merges buckets into one.
    fn roll(&self, buckets: &[UvBucket], into: Option<&UvBucket>) -> Result<u64, Error> {
        let keys: Vec<Key> = buckets.iter().map(|bucket| self.key_of(bucket)).collect();
        let buckets: Vec<UvKey<'_>> = keys
            .iter()
            .zip(buckets)
            .map(|(key, bucket)| self.uv_key(key, self.expires_at(bucket)))
            .collect();
        let key = into.map(|into| self.key_of(into));
        let to = into.zip(key.as_ref()).map(|(into, key)| self.uv_key(key, self.expires_at(into)));
        let stays_open = into.is_some_and(|into| into.level() != UvLevel::Month);
        self.steps.roll(&self.open_key, &buckets, to, stays_open)
    }

    /// The smallest bucket that holds this one, is larger, and is kept.
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

    /// The buckets of those names.
    pub(super) fn open_buckets(&self, names: &[bytes::Bytes]) -> Result<Vec<UvBucket>, Error> {
        let named = |name: &bytes::Bytes| self.calendar.named(name).ok_or_else(|| no_bucket(name));
        names.iter().map(named).collect()
    }

    fn uv_key<'k>(&self, key: &'k Key, expires_at: Option<i64>) -> UvKey<'k> {
        UvKey { key, name: &key[self.prefix.len()..], expires_at }
    }
}

#[cold]
fn too_late(second: i64) -> Error {
    match jiff::Timestamp::from_second(second) {
        Ok(at) => Error::new(
            ErrorKind::NotKept,
            format!("ERR a visit at {at} comes too late: no bucket of that time is kept any more"),
        ),
        Err(_) => out_of_range(second),
    }
}

#[cold]
fn no_bucket(name: &[u8]) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!(
            "ERR '{}' is among the open buckets and names none in this time zone",
            name.escape_ascii()
        ),
    )
}
