//! Integers of 1 to 64 bits at any bit offset of a string, as in BITFIELD.
//!
//! # Representation
//!
//! A field is a [`FieldType`] and an offset: the bits from that offset on, the highest first, in two's complement if
//! signed.
//!
//! ```text
//! h               e               l
//! 0 1 1 0 1 0 0 0 0 1 1 0 0 1 0 1 0 1 1 0 1 1 0 0 ...
//! |-----| u4 at 0: 6
//!     |---| u3 at 2: 5; i3 at 2: -3
//! ```
//!
//! # Worked example
//!
//! ```
//! use bitpack::bitfield::{FieldType, Overflow, add, get};
//!
//! let mut word = *b"hello";
//! let [u4, u3, i3] = [b"u4", b"u3", b"i3"].map(|name| FieldType::parse(name).unwrap());
//! assert_eq!(get(&word, u4, 0), 6);
//! assert_eq!(get(&word, u3, 2), 5);
//! assert_eq!(get(&word, i3, 2), -3);
//!
//! let run = [11, 12, 13, 14, 15, 0, 1, 2, 3];
//! assert!(run.map(|_| add(&mut word, u4, 2, 1, Overflow::Wrap).unwrap()) == run);
//! assert_eq!(add(&mut word, u4, 2, 13, Overflow::Sat), Some(15));
//! assert_eq!(add(&mut word, u4, 2, 1, Overflow::Fail), None);
//! assert_eq!(get(&word, u4, 2), 15);
//! ```
//!
//! # Growth
//!
//! Reading treats bits beyond the end of the string as zeros. Writing needs the whole field to be in the string: extend
//! it to the length that [`FieldType::bytes_for`] returns, or use a [`Bitmap`](crate::Bitmap). Redis does so for all
//! writes of a call before the first one, so the string grows even if every write fails.
//!
//! # Complexity
//!
//! Each operation is one load of nine bytes, without a loop over bits; near the end of the string the remaining bytes
//! are collected one by one.

mod field;
mod overflow;
mod window;

pub use field::{FieldType, FieldTypeError};
pub use overflow::Overflow;

use crate::word;
use window::Window;

/// Reads the integer in a field; bits beyond the end are 0. O(1).
///
/// # Examples
///
/// ```
/// use bitpack::bitfield::{FieldType, get};
///
/// let i8 = FieldType::parse(b"i8")?;
/// assert_eq!(get(b"\x0f\xf8", i8, 5), -1);
/// assert_eq!(get(b"\x0f\xf8", i8, 12), -128);
/// assert_eq!(get(b"\x0f\xf8", i8, u64::MAX), 0);
/// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
/// ```
#[inline]
#[must_use]
pub fn get(bytes: &[u8], field: FieldType, offset: u64) -> i64 {
    let rest = usize::try_from(offset / 8).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
    match rest.first_chunk() {
        Some(window) => field.top(Window::new(window, offset).top(field)),
        None => field.top(Window::at_end(rest, offset).top(field)),
    }
}

/// Writes a field and returns its previous value. O(1).
///
/// `overflow` says what happens to a value that does not fit (see [`FieldType::fit`]). With [`Overflow::Fail`], nothing
/// is written and the result is `None`.
///
/// # Panics
///
/// If a part of the field is beyond the end of `bytes`: see [`FieldType::bytes_for`].
///
/// # Examples
///
/// ```
/// use bitpack::bitfield::{FieldType, Overflow, get, set};
///
/// let u4 = FieldType::parse(b"u4")?;
/// let mut bytes = [0, 0];
/// assert_eq!(set(&mut bytes, u4, 6, 9, Overflow::Wrap), Some(0));
/// assert_eq!(set(&mut bytes, u4, 6, 100, Overflow::Fail), None);
/// assert_eq!(set(&mut bytes, u4, 6, 100, Overflow::Wrap), Some(9));
/// assert_eq!(set(&mut bytes, u4, 6, -1, Overflow::Sat), Some(100 % 16));
/// assert_eq!(bytes, [0x03, 0xc0]);
/// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
/// ```
#[inline]
pub fn set(
    bytes: &mut [u8],
    field: FieldType,
    offset: u64,
    value: i64,
    overflow: Overflow,
) -> Option<i64> {
    let value = field.fit(value, overflow);
    let (old, _) = change(bytes, field, offset, |old| Some(field.changes(field.top(old), value?)))?;
    Some(field.top(old))
}

/// Adds to a field and returns its new value. O(1).
///
/// `overflow` says what happens to a sum that does not fit. With [`Overflow::Fail`], nothing is written and the result
/// is `None`.
///
/// # Panics
///
/// If a part of the field is beyond the end of `bytes`: see [`FieldType::bytes_for`].
///
/// # Examples
///
/// ```
/// use bitpack::bitfield::{FieldType, Overflow, add};
///
/// let i5 = FieldType::parse(b"i5")?;
/// let mut bytes = [0, 0];
/// assert_eq!(add(&mut bytes, i5, 3, 15, Overflow::Wrap), Some(15));
/// assert_eq!(add(&mut bytes, i5, 3, 1, Overflow::Sat), Some(15));
/// assert_eq!(add(&mut bytes, i5, 3, 1, Overflow::Fail), None);
/// assert_eq!(add(&mut bytes, i5, 3, 1, Overflow::Wrap), Some(-16));
/// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
/// ```
#[inline]
pub fn add(
    bytes: &mut [u8],
    field: FieldType,
    offset: u64,
    by: i64,
    overflow: Overflow,
) -> Option<i64> {
    if overflow == Overflow::Wrap {
        // At the top of a word what runs over is lost, and what follows the field is left alone.
        let by = by.cast_unsigned() << field.spare();
        let (_, new) = change(bytes, field, offset, |old| Some(old ^ old.wrapping_add(by)))?;
        return Some(field.top(new));
    }
    let (_, new) = change(bytes, field, offset, |old| {
        let old = field.top(old);
        Some(field.changes(old, field.sum(old, by, overflow)?))
    })?;
    Some(field.top(new))
}

/// Changes the bits of a field that `changes` gives, if any; returns the old field and the new one. All of them stand
/// at the top of a word, and what follows a field there is of no meaning.
#[inline]
fn change(
    bytes: &mut [u8],
    field: FieldType,
    offset: u64,
    changes: impl FnOnce(u64) -> Option<u64>,
) -> Option<(u64, u64)> {
    let len = bytes.len();
    let rest = usize::try_from(offset / 8).ok().and_then(|at| bytes.get_mut(at..));
    let rest = rest.unwrap_or_default();
    // Nine bytes hold any field that starts in the first, so that nothing is left to check.
    if let Some(bytes) = rest.first_chunk_mut() {
        let window = Window::new(bytes, offset);
        let old = window.top(field);
        let changes = changes(old)?;
        window.put(bytes, field, changes);
        return Some((old, old ^ changes));
    }
    let fits = field.bytes_for(offset).is_some_and(|need| need <= len);
    assert!(fits, "the field extends beyond the end of the string");
    let window = Window::at_end(rest, offset);
    let old = window.top(field);
    let changes = changes(old)?;
    word::put_first(rest, window.word_with(changes));
    Some((old, old ^ changes))
}
