//! The forms in which the visitors of a bucket are stored.

/// The form in which a bucket of [`Visitors`](super::Visitors) stores the numbers of its visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum VisitorsForm {
    /// Intsets, whose number is fixed by a forecast, as in Redis in Action: about 8.7 bytes per visitor if the forecast
    /// is right, several times as much if it is wrong by a factor of a hundred.
    Forecast,
    /// Intsets that are split as they fill: about 8.5 bytes per visitor, for any number of visitors.
    #[default]
    Splitting,
    /// Intsets that are split by the high bits of the numbers. The store keeps the other bits in less memory: under 6
    /// bytes per visitor, for numbers that are spread evenly over their bits, as hashes and random ids are.
    Compact,
    /// As [`Forecast`](Self::Forecast), with a counter for each shard in the same slot of a Redis Cluster (see
    /// [`key_slot`](crate::key_slot)), so that no key is written by every visit.
    Tagged,
    /// A bitmap with a bit for each number up to the greatest, as Redis in Action advises for small ids: an eighth of a
    /// byte per visitor if all ids occur. Numbers are below 2^26, so a bitmap takes at most 8 MiB.
    Bitmap,
}

impl VisitorsForm {
    /// All forms. A later version may add more.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Store, Visitors, VisitorsForm};
    ///
    /// for &form in VisitorsForm::ALL {
    ///     let visitors = Visitors::new(Store::new()).form(form);
    ///     assert!(visitors.count_id(7, Bucket::All)?);
    ///     assert!(!visitors.count_id(7, Bucket::All)?);
    /// }
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub const ALL: &[Self] =
        &[Self::Forecast, Self::Tagged, Self::Splitting, Self::Compact, Self::Bitmap];
}
