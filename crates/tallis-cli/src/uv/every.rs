//! The bucket of a visit.

use tallis::Bucket;

use super::stamp::Stamp;

/// The length of a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Every {
    /// An hour in the local time of the log, such as 2015-05-17T10
    Hour,
    /// A day in the local time of the log, such as 2015-05-17
    #[default]
    Day,
    /// A single bucket for all lines, named all
    All,
}

impl Every {
    /// Returns the bucket of a time, by the local time in the log.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Every, Stamp, StampError};
    ///
    /// let stamp = Stamp::parse(b"17/May/2015:23:05:03 -0700")?;
    /// assert_eq!(Every::Day.bucket(&stamp).to_string(), "2015-05-17");
    /// assert_eq!(Every::Hour.bucket(&stamp).to_string(), "2015-05-17T23");
    /// assert_eq!(Every::All.bucket(&stamp).to_string(), "all");
    /// # Ok::<(), StampError>(())
    /// ```
    #[must_use]
    pub fn bucket(self, stamp: &Stamp) -> Bucket {
        match self {
            Self::Hour => Bucket::hour(stamp.date(), stamp.hour.cast_signed()),
            Self::Day => Bucket::Day(stamp.date()),
            Self::All => Bucket::All,
        }
    }

    /// Returns a number that identifies the bucket of a time.
    #[inline]
    pub(super) fn number(self, stamp: &Stamp) -> u32 {
        let day = (u32::from(stamp.year) * 13 + u32::from(stamp.month)) * 32 + u32::from(stamp.day);
        match self {
            Self::Hour => day * 24 + u32::from(stamp.hour),
            Self::Day => day,
            Self::All => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_sort_as_their_texts_do() {
        let stamps = ["31/Dec/0999:23", "01/Jan/2015:00", "01/Jan/2015:10", "02/Jan/2015:09"]
            .map(|hour| Stamp::parse(format!("{hour}:00:00 +0000").as_bytes()).unwrap());
        for every in [Every::Hour, Every::Day, Every::All] {
            let buckets = stamps.map(|stamp| every.bucket(&stamp));
            let texts = buckets.map(|bucket| bucket.to_string());
            assert!(buckets.is_sorted() && texts.is_sorted(), "{texts:?}");
            let numbers = stamps.map(|stamp| every.number(&stamp));
            for pair in [0, 1, 2].map(|at| [at, at + 1]) {
                let same = |[a, b]: [usize; 2]| (texts[a] == texts[b], numbers[a] == numbers[b]);
                let (text, number) = same(pair);
                assert_eq!(text, number, "{texts:?}");
            }
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }

    #[test]
    fn the_first_and_the_last_day_of_a_stamp_have_a_bucket() {
        for (day, text) in [("01/Jan/0001", "0001-01-01"), ("31/Dec/9999", "9999-12-31")] {
            let stamp = Stamp::parse(format!("{day}:00:00:00 +0000").as_bytes()).unwrap();
            assert_eq!(Every::Day.bucket(&stamp).to_string(), text);
        }
    }
}
