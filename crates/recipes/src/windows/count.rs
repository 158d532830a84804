//! How many unique visitors there were in a range.

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

/// The most keys that a server counts in one step: a Lua function takes no more than some thousand arguments.
const COUNTED: usize = 5000;

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    /// About how many unique visitors there were from `from` to before `to`: one union of the fewest keys, each looked
    /// at once and none written, all at one time.
    ///
    /// A range that begins or ends inside a minute takes in all of that minute, so it never misses a visit: ask for
    /// whole minutes to have no more than was asked for. The relative standard error is 0.81 %.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotKept`] if a bucket of the range is not kept any more, so that the count would be too small;
    /// [`ErrorKind::InvalidArgument`] if `from` is after `to`, or for instants that are not of the years 1900 to 2299;
    /// [`ErrorKind::WrongType`] and [`ErrorKind::InvalidHll`] if a key holds something else.
    pub async fn count(
        &self,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<u64, Error> {
        self.count_cover(&self.calendar.cover(from, to)?).await
    }

    /// The `count` whole minutes before the present one, which is left out.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_minutes(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Minute, count).await
    }

    /// The `count` whole hours before the present one, which is left out.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_hours(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Hour, count).await
    }

    /// The `count` whole days before today, which is left out.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_days(&self, count: u32) -> Result<u64, Error> {
        self.last(UvLevel::Day, count).await
    }

    /// The present minute so far and those before it, `count` in all.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_minutes_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Minute, count).await
    }

    /// The present hour so far and those before it, `count` in all.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_hours_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Hour, count).await
    }

    /// Today so far and the days before it, `count` in all.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn last_days_now(&self, count: u32) -> Result<u64, Error> {
        self.last_now(UvLevel::Day, count).await
    }

    /// The article's hourly figure: the 60 minutes before the present one.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn hourly(&self) -> Result<u64, Error> {
        self.elapsed(3600).await
    }

    /// The article's daily figure: the 24 hours before the present minute, which begin inside an hour of yesterday. So
    /// it needs minutes of a day ago; [`last_hours`](Self::last_hours)`(24)` does not.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn daily(&self) -> Result<u64, Error> {
        self.elapsed(24 * 3600).await
    }

    /// The article's weekly figure: from the same time of day seven days ago to the present minute. So it needs minutes
    /// of a week ago; [`last_days`](Self::last_days)`(7)` does not.
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

    /// The bucket of the present.
    async fn present(&self, level: UvLevel) -> Result<UvBucket, Error> {
        self.calendar
            .bucket_of(level, self.backend.call(&procedures::now()).await?.div_euclid(1000))
    }

    /// Counts buckets that follow on each other.
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
    /// The keys of the range, in the order of time: the largest buckets that fit, minutes at the ragged ends. The
    /// fewest there can be; see [`UvCalendar::cover`](super::UvCalendar::cover).
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

    /// The keys of buckets that follow on each other, and of what is open inside of them.
    pub(super) fn keys_to_count(
        &self,
        kept: &[UvBucket],
        open: &[Bytes],
    ) -> Result<Vec<Text>, Error> {
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Ok(Vec::new()) };
        let range = UvBucket { end: last.end, ..*first };
        let mut keys: Vec<Text> = kept.iter().map(|bucket| self.key_of(bucket)).collect();
        // What is open has visits that nothing larger has.
        for bucket in self.open_buckets(open)? {
            if range.holds(&bucket) && kept.binary_search(&bucket).is_err() {
                keys.push(self.key_of(&bucket));
            }
        }
        Ok(keys)
    }

    /// The same range in buckets that are kept: in place of one that is not, those that it is made up of.
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
