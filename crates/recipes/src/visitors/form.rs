//! The forms in which a bucket's visitors are kept.

/// In what a bucket of [`Visitors`](super::Visitors) keeps the numbers of its visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum VisitorsForm {
    /// Intsets whose number a forecast fixes, as the book does: about 8.7 bytes a visitor if the forecast is right,
    /// several times as much if it is a hundred times off.
    Forecast,
    /// Intsets that are split as they fill: about 8.5 bytes a visitor, however many come.
    #[default]
    Splitting,
    /// Intsets that are split by the numbers' high bits, of which the store keeps the rest in less memory: under 6 bytes
    /// a visitor, for numbers that are spread evenly over their bits, as hashes and random ids are.
    Compact,
    /// As [`Forecast`](Self::Forecast), with a counter for each shard, and names by which a shard and its counter lie
    /// in one slot of a Redis Cluster (see [`key_slot`](crate::key_slot)): no key is written by every visit.
    Tagged,
    /// A bitmap with a bit for each number up to the greatest, as the book advises for small ids: an eighth of a byte a
    /// visitor where all ids come. Numbers are below 2^26, so a bitmap takes 8 MiB at most.
    Bitmap,
}

impl VisitorsForm {
    /// All forms. There may be more one day.
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
