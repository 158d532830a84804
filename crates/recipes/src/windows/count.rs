//! Estimates of the number of unique visitors in a range.

use bytes::Bytes;
use jiff::{Span, Timestamp};
use macros::blocking_and_async;
use store::{Error, ErrorKind};

use super::UvWindows;
use super::bucket::UvBucket;
use super::calendar::out_of_range;
use super::level::UvLevel;
use super::procedures::{self, CountKeys};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::text::Text;

/// The most keys that a server counts in one step, because a Lua function accepts only some thousand arguments.
const COUNTED: usize = 5000;

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    /// Estimates the number of unique visitors from `from` to before `to`: one union of the fewest keys, each read
    /// once, in one atomic step. No key is written.
    ///
    /// A range that begins or ends within a minute includes the whole minute, so no visit is missed: pass whole minutes
    /// for an exact range. The relative standard error is 0.81 %.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotKept`] if a bucket of the range is no longer kept, so that the count would be too small;
    /// [`ErrorKind::InvalidArgument`] if `from` is after `to`, or for instants outside of the years 1900 to 2299;
    /// [`ErrorKind::WrongType`] and [`ErrorKind::InvalidHll`] if a key holds another type or is no valid HyperLogLog.
    pub async fn count(
        &self,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<u64, Error> {
        self.count_cover(&self.calendar.cover(from, to)?).await
    }

    /// Estimates the unique visitors of the last `count` whole minutes, without the current one.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_minutes(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Minute, count).await
    }

    /// Estimates the unique visitors of the last `count` whole hours, without the current one.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_hours(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Hour, count).await
    }

    /// Estimates the unique visitors of the last `count` whole days, without today.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_days(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Day, count).await
    }

    /// Estimates the unique visitors of the last `count` minutes, with the current one so far.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_minutes_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Minute, count).await
    }

    /// Estimates the unique visitors of the last `count` hours, with the current one so far.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_hours_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Hour, count).await
    }

    /// Estimates the unique visitors of the last `count` days, with today so far.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_days_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Day, count).await
    }

    /// Estimates the unique visitors of the 60 minutes before the current one, as the article's hourly figure.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn hourly(&self) -> Result<u64, Error> {
        self.elapsed(3600).await
    }

    /// Estimates the unique visitors of the 24 hours before the current minute, as the article's daily figure. They
    /// begin within an hour of yesterday, so minutes must be kept for a day; [`last_hours`](Self::last_hours)`(24)`
    /// does not need that.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn daily(&self) -> Result<u64, Error> {
        self.elapsed(24 * 3600).await
    }

    /// Estimates the unique visitors from the same time of day seven days ago to the current minute, as the article's
    /// weekly figure. Minutes must be kept for a week; [`last_days`](Self::last_days)`(7)` does not need that.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn weekly(&self) -> Result<u64, Error> {
        let now = self.present(UvLevel::Minute).await?;
        let zone = self.calendar.time_zone();
        let before = zone.to_datetime(now.start()).saturating_sub(Span::new().days(7));
        let from = zone.to_timestamp(before).map_err(|_| out_of_range(now.start))?;
        self.count(from, now.start()).await
    }

    async fn last(&self, level: UvLevel, count: u32) -> Result<u64, Error> {
        let end = self.present(level).await?.start;
        self.count_seconds(self.calendar.back(level, end, count)?, end).await
    }

    async fn last_now(&self, level: UvLevel, count: u32) -> Result<u64, Error> {
        let end = self.present(level).await?.end;
        self.count_seconds(self.calendar.back(level, end, count)?, end).await
    }

    async fn elapsed(&self, seconds: i64) -> Result<u64, Error> {
        let end = self.present(UvLevel::Minute).await?.start;
        self.count_seconds(end - seconds, end).await
    }

    async fn count_seconds(&self, from: i64, to: i64) -> Result<u64, Error> {
        let timestamp = |second| Timestamp::from_second(second).map_err(|_| out_of_range(second));
        self.count(timestamp(from)?, timestamp(to)?).await
    }

    /// Returns the current bucket of a level.
    async fn present(&self, level: UvLevel) -> Result<UvBucket, Error> {
        self.calendar
            .bucket_of(level, self.backend.call(&procedures::now()).await?.div_euclid(1000))
    }

    /// Counts consecutive buckets.
    async fn count_cover(&self, cover: &[UvBucket]) -> Result<u64, Error> {
        if cover.is_empty() {
            return Ok(0);
        }
        let open = &*self.open_key;
        loop {
            let (now, names) = self.backend.call(&procedures::open_names(open)).await?;
            let kept = self.kept(cover, now)?;
            let keys = self.keys_to_count(&kept, &names)?;
            let by_parts = self.backend.kind() != BackendKind::Store && keys.len() > COUNTED;
            let counted = if self.is_spread() || by_parts {
                self.count_fetched(&names, &keys).await?
            } else {
                self.backend.call(&procedures::count(&CountKeys::new(open, &names, &keys))).await?
            };
            if let Some((count, now)) = counted
                && !kept.iter().any(|bucket| self.expired(bucket, now))
            {
                return Ok(count);
            }
        }
    }
}

impl<B: Keyspace> UvWindows<B> {
    /// Returns the keys of the range, in order of time: the largest buckets that fit, with minutes at both ends. Their
    /// number is the minimum; see [`UvCalendar::cover`](super::UvCalendar::cover).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] as [`count`](Self::count).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::Timestamp;
    /// use tallis::{Store, UvWindows};
    ///
    /// let windows = UvWindows::new(Store::new(), "USER:LOGIN:");
    /// let from: Timestamp = "2019-09-28T17:59Z".parse()?;
    /// let keys = windows.cover(from, "2019-09-28T19:01Z".parse::<Timestamp>()?)?;
    /// assert_eq!(keys[0], b"USER:LOGIN:201909281759");
    /// assert_eq!(keys[1], b"USER:LOGIN:2019092818");
    /// assert_eq!(keys[2], b"USER:LOGIN:201909281900");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cover(
        &self,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let cover = self.calendar.cover(from, to)?;
        Ok(cover.iter().map(|bucket| self.key(bucket)).collect())
    }

    /// Returns the keys of consecutive buckets, and of the open buckets inside of them.
    pub(super) fn keys_to_count(
        &self,
        kept: &[UvBucket],
        open: &[Bytes],
    ) -> Result<Vec<Text>, Error> {
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Ok(Vec::new()) };
        let range = UvBucket { end: last.end, ..*first };
        let mut keys: Vec<Text> = kept.iter().map(|bucket| self.key_of(bucket)).collect();
        // An open bucket has visits that no larger one has.
        for bucket in self.open_buckets(open)? {
            if range.holds(&bucket) && kept.binary_search(&bucket).is_err() {
                keys.push(self.key_of(&bucket));
            }
        }
        Ok(keys)
    }

    /// Returns the range in buckets that are kept: a bucket that is not is replaced by the smaller ones that it
    /// consists of.
    fn kept(&self, cover: &[UvBucket], now: i64) -> Result<Vec<UvBucket>, Error> {
        let mut kept = Vec::with_capacity(cover.len());
        for bucket in cover {
            if !self.expired(bucket, now) {
                kept.push(*bucket);
                continue;
            }
            let Some(level) = bucket.level().below() else { return Err(not_kept(bucket)) };
            let parts = self.calendar.parts(level, bucket.start, bucket.end)?;
            kept.extend(self.kept(&parts, now)?);
        }
        Ok(kept)
    }
}

#[cold]
fn not_kept(bucket: &UvBucket) -> Error {
    let start = bucket.start();
    let text = format!(
        "ERR the count would be too small: minute {bucket}, of {start}, is not kept any more"
    );
    Error::new(ErrorKind::NotKept, text)
}
