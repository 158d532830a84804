//! The meaning of a record's bytes.

use super::Record;

/// The meaning of a record's bytes.
///
/// A codec is a type without values, chosen at compile time. Every record must decode to an item, because a string may
/// contain any bytes. The record of all zeros is where nothing was written, so it should mean *unknown*.
///
/// # Examples
///
/// ```
/// use std::convert::Infallible;
/// use bitpack::packed::{Codec, Packed};
///
/// /// Half stars, 1 to 10; 0 is none given.
/// enum Stars {}
///
/// impl Codec for Stars {
///     type Record = [u8; 1];
///     type Item = Option<f32>;
///     type Error = Infallible;
///
///     fn decode([code]: [u8; 1]) -> Option<f32> {
///         (code > 0).then(|| f32::from(code) / 2.0)
///     }
///
///     fn encode(stars: Option<f32>) -> Result<[u8; 1], Infallible> {
///         Ok([stars.map_or(0, |stars| (stars * 2.0) as u8)])
///     }
/// }
///
/// let mut given = Packed::<Stars>::new();
/// given.set(1, Some(3.5))?;
/// assert!(given.view().iter().eq([None, Some(3.5)]));
/// # Ok::<(), Infallible>(())
/// ```
pub trait Codec {
    /// The bytes of a record: `[u8; 1]` to `[u8; 8]`.
    type Record: Record;
    /// The decoded value of a record.
    type Item;
    /// The error for an item that has no record.
    type Error;

    /// Decodes a record. It never fails: all bytes have an item, which may be *unknown*.
    fn decode(record: Self::Record) -> Self::Item;

    /// Encodes an item.
    ///
    /// # Errors
    ///
    /// If the item has no record.
    fn encode(item: Self::Item) -> Result<Self::Record, Self::Error>;
}
