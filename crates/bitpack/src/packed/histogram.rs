//! Counting how often each record occurs.

use core::fmt;

use super::counts::Counts;
use super::record::CountsOf;
use super::{Codec, PackedView};

/// Counts how often each record occurs in one or several strings.
///
/// One histogram can count several strings, such as all shards of one. Its memory is 11 KiB for records of one byte,
/// 1.5 MiB for two bytes, 512 KiB for each first byte that occurs for three bytes, and an entry of a hash table for
/// each distinct record that is wider. Up to 4,096 records of two or three bytes take no more than a list of them.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{CountryCode, Histogram, PackedView};
///
/// let mut histogram = Histogram::<CountryCode>::new();
/// for shard in [&[0, 4, 4][..], &[4, 9]] {
///     histogram.add(PackedView::new(shard));
/// }
/// assert!(histogram.iter().eq([(None, 1), (Some(3), 3), (Some(8), 1)]));
/// assert_eq!((histogram.total(), histogram.of([9])), (5, 1));
///
/// // Only some users, by their number; those beyond the end are counted apart.
/// let mut some = Histogram::<CountryCode>::new();
/// assert_eq!(some.add_at(PackedView::new(&[0, 4, 4]), [2, 0, 700]), 1);
/// assert!(some.iter().eq([(None, 1), (Some(3), 1)]));
/// ```
pub struct Histogram<C: Codec> {
    counts: CountsOf<C::Record>,
    total: u64,
}

/// Records that are collected before they are counted.
const GATHERED: usize = 256;

impl<C: Codec> Histogram<C> {
    /// Creates a histogram with all counts 0.
    #[must_use]
    pub fn new() -> Self {
        Self { counts: Default::default(), total: 0 }
    }

    /// Counts every record of a string. O(records).
    pub fn add(&mut self, packed: PackedView<'_, C>) {
        let records = packed.records();
        self.counts.add(records);
        self.total += records.len() as u64;
    }

    /// Counts the records at these indices and returns the number of indices beyond the end of the string, which are
    /// not counted. O(indices); the cache misses overlap.
    pub fn add_at(
        &mut self,
        packed: PackedView<'_, C>,
        indices: impl IntoIterator<Item = usize>,
    ) -> u64 {
        let records = packed.records();
        let mut beyond = 0;
        let mut gathered = [C::Record::default(); GATHERED];
        let mut len = 0;
        for index in indices {
            let Some(&record) = records.get(index) else {
                beyond += 1;
                continue;
            };
            gathered[len] = record;
            len += 1;
            if len == GATHERED {
                self.add_records(&gathered);
                len = 0;
            }
        }
        self.add_records(&gathered[..len]);
        beyond
    }

    fn add_records(&mut self, records: &[C::Record]) {
        self.counts.add(records);
        self.total += records.len() as u64;
    }

    /// Adds the counts of another histogram, such as another thread's.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.total += other.total;
    }

    /// The number of records that were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The count of one record.
    #[must_use]
    pub fn of(&self, record: C::Record) -> u64 {
        self.counts.of(record)
    }

    /// Iterates over the records that occur and their counts, in ascending order of their bytes.
    pub fn records(&self) -> impl ExactSizeIterator<Item = (C::Record, u64)> + use<C> {
        self.counts.all().into_iter()
    }

    /// Iterates over the items that occur and their counts, in ascending order of the records' bytes. If a codec
    /// decodes several records to one item, the item is returned once for each.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (C::Item, u64)> + use<C> {
        self.records().map(|(record, count)| (C::decode(record), count))
    }
}

impl<C: Codec> Default for Histogram<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Codec> Clone for Histogram<C> {
    fn clone(&self) -> Self {
        Self { counts: self.counts.clone(), total: self.total }
    }
}

impl<C: Codec<Item: fmt::Debug>> fmt::Debug for Histogram<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
