//! Records in a string of their own.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::{Codec, PackedView, Record};

/// Records in a string of their own, which grows with zeros.
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
    /// One without a record.
    #[must_use]
    pub const fn new() -> Self {
        Self::from_bytes(Vec::new())
    }

    /// Takes bytes as they are.
    #[must_use]
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, codec: PhantomData }
    }

    /// The bytes, those after the last record included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the bytes away.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A view, which iterates and counts.
    #[inline]
    #[must_use]
    pub fn view(&self) -> PackedView<'_, C> {
        PackedView::new(&self.bytes)
    }

    /// How many records there are; a part of one at the end is none.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there is no record.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view().is_empty()
    }

    /// The item of a record; `None` beyond the last. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Item> {
        self.view().get(index)
    }

    /// Writes a record. Beyond the last one the string grows with zeros up to it, and a part of a record at the end
    /// becomes a whole one, as under SETRANGE. O(1), or what growing takes.
    ///
    /// # Errors
    ///
    /// If the codec has no record for the item; nothing is written then.
    ///
    /// # Panics
    ///
    /// If no string can be that long.
    #[inline]
    #[expect(clippy::expect_used, reason = "documented, as that of a capacity")]
    pub fn set(&mut self, index: usize, item: C::Item) -> Result<(), C::Error> {
        let record = C::encode(item)?;
        if let Some(place) = C::Record::records_mut(&mut self.bytes).get_mut(index) {
            *place = record;
            return Ok(());
        }
        let start =
            index.checked_mul(C::Record::WIDTH).filter(|&start| start < isize::MAX as usize);
        let start = start.expect("a string can be as long");
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
