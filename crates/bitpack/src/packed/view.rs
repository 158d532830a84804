//! A view of the records in a borrowed string.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use super::{Codec, Record};

/// A view of the records in a borrowed string.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{PackedView, PostalCode};
///
/// // The records of two users, and a byte that is no record.
/// let areas = PackedView::<PostalCode>::new(&[0, 0x27, 0x11, 0, 0, 0, 0xff]);
/// assert_eq!(areas.len(), 2);
/// assert_eq!(areas.get(0), Some(Some(10000)));
/// assert_eq!(areas.get(2), None);
/// assert!(areas.iter().eq([Some(10000), None]));
/// ```
pub struct PackedView<'a, C: Codec> {
    bytes: &'a [u8],
    codec: PhantomData<fn() -> C>,
}

impl<'a, C: Codec> PackedView<'a, C> {
    /// Creates a view of these bytes.
    #[inline]
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, codec: PhantomData }
    }

    /// The bytes, including those after the last whole record.
    #[inline]
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The whole records, as byte arrays.
    #[inline]
    #[must_use]
    pub fn records(self) -> &'a [C::Record] {
        C::Record::records(self.bytes)
    }

    /// The number of whole records.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len() / C::Record::WIDTH
    }

    /// Whether there is no whole record.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the item of a record, or `None` beyond the last one. O(1).
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<C::Item> {
        self.records().get(index).copied().map(C::decode)
    }

    /// Iterates over the items, in order of their indices.
    #[inline]
    #[must_use]
    pub fn iter(self) -> Iter<'a, C> {
        Iter { records: self.records().iter() }
    }
}

impl<C: Codec> Clone for PackedView<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Codec> Copy for PackedView<'_, C> {}

impl<C: Codec<Item: fmt::Debug>> fmt::Debug for PackedView<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, C: Codec> IntoIterator for PackedView<'a, C> {
    type Item = C::Item;
    type IntoIter = Iter<'a, C>;

    fn into_iter(self) -> Iter<'a, C> {
        self.iter()
    }
}

/// The iterator of [`PackedView::iter`].
pub struct Iter<'a, C: Codec> {
    records: slice::Iter<'a, C::Record>,
}

impl<C: Codec> Clone for Iter<'_, C> {
    fn clone(&self) -> Self {
        Self { records: self.records.clone() }
    }
}

impl<C: Codec> fmt::Debug for Iter<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Iter").field(&self.records.as_slice()).finish()
    }
}

impl<C: Codec> Iterator for Iter<'_, C> {
    type Item = C::Item;

    #[inline]
    fn next(&mut self) -> Option<C::Item> {
        self.records.next().copied().map(C::decode)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<C::Item> {
        self.records.nth(n).copied().map(C::decode)
    }
}

impl<C: Codec> DoubleEndedIterator for Iter<'_, C> {
    #[inline]
    fn next_back(&mut self) -> Option<C::Item> {
        self.records.next_back().copied().map(C::decode)
    }
}

impl<C: Codec> ExactSizeIterator for Iter<'_, C> {}
impl<C: Codec> FusedIterator for Iter<'_, C> {}
