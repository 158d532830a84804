//! The stretch of time that a visit falls into.

use std::fmt;

use super::stamp::Stamp;

/// How long a bucket is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Every {
    /// An hour of the log's own clock: `2015-05-17T10`
    Hour,
    /// A day of the log's own calendar: `2015-05-17`
    #[default]
    Day,
    /// One bucket for everything: `all`
    All,
}

/// A bucket; its text is what its keys end in.
///
/// Buckets of one length are ordered by time.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Bucket {
    /// All of time.
    All,
    /// A day.
    Day {
        /// 1 to 9999.
        year: u16,
        /// 1 to 12.
        month: u8,
        /// From 1.
        day: u8,
    },
    /// An hour.
    Hour {
        /// 1 to 9999.
        year: u16,
        /// 1 to 12.
        month: u8,
        /// From 1.
        day: u8,
        /// 0 to 23.
        hour: u8,
    },
}

impl Every {
    /// The bucket of a moment, by the local time written in it.
    #[must_use]
    pub const fn bucket(self, stamp: &Stamp) -> Bucket {
        let Stamp { year, month, day, hour, .. } = *stamp;
        match self {
            Self::Hour => Bucket::Hour { year, month, day, hour },
            Self::Day => Bucket::Day { year, month, day },
            Self::All => Bucket::All,
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Day { year, month, day } => write!(f, "{year:04}-{month:02}-{day:02}"),
            Self::Hour { year, month, day, hour } => {
                write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}")
            }
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
        }
    }
}
