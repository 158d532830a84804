//! Records in an owned string.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::{Codec, PackedView, Record};

/// An owned string of records, which grows with zeros.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{CountryCode, Packed};
///
/// let mut countries = Packed::<CountryCode>::new();
/// countries.set(3, Some(0))?;
/// assert_eq!(countries.as_bytes(), [0, 0, 0, 1]);
/// assert_eq!(countries.get(3), Some(Some(0)));
/// assert_eq!(countries.get(2), Some(None));
/// assert_eq!(countries.get(4), None);
/// # Ok::<(), bitpack::packed::EncodeError>(())
/// ```
pub struct Packed<C: Codec> {
    bytes: Vec<u8>,
    codec: PhantomData<fn() -> C>,
}

impl<C: Codec> Packed<C> {
    /// Creates an empty string, without heap memory.
    #[must_use]
    pub const fn new() -> Self {
        Self::from_bytes(Vec::new())
    }

    /// Creates a string of these bytes, without a copy.
    #[must_use]
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, codec: PhantomData }
    }

    /// The bytes, including those after the last whole record.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A borrowed view, which iterates and counts.
    #[inline]
    #[must_use]
    pub fn view(&self) -> PackedView<'_, C> {
        PackedView::new(&self.bytes)
    }

    /// The number of whole records.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there is no whole record.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view().is_empty()
    }

    /// Returns the item of a record, or `None` beyond the last one. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Item> {
        self.view().get(index)
    }

    /// Writes a record. If it is beyond the last one, the string grows with zeros up to it, and a partial record at the
    /// end becomes a whole one, as under SETRANGE. O(1), and O(new bytes) if the string grows.
    ///
    /// # Errors
    ///
    /// If the codec has no record for the item; nothing is written.
    ///
    /// # Panics
    ///
    /// If the string would be longer than `isize::MAX` bytes.
    #[inline]
    #[expect(clippy::expect_used, reason = "the panic is documented, as for a capacity overflow")]
    pub fn set(&mut self, index: usize, item: C::Item) -> Result<(), C::Error> {
        let record = C::encode(item)?;
        if let Some(place) = C::Record::records_mut(&mut self.bytes).get_mut(index) {
            *place = record;
            return Ok(());
        }
        let start =
            index.checked_mul(C::Record::WIDTH).filter(|&start| start < isize::MAX as usize);
        let start = start.expect("the string would be longer than isize::MAX bytes");
        // A part of the record may be there.
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(record.as_ref());
        Ok(())
    }
}

impl<C: Codec> Default for Packed<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Codec> Clone for Packed<C> {
    fn clone(&self) -> Self {
        Self::from_bytes(self.bytes.clone())
    }
}

/// By the bytes, those after the last record included.
impl<C: Codec> PartialEq for Packed<C> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<C: Codec> Eq for Packed<C> {}

impl<C: Codec<Item: fmt::Debug>> fmt::Debug for Packed<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
