//! Commands on bits: bitmaps and bit fields in strings.
//!
//! | module | contents |
//! |---|---|
//! | `combine` | BITOP: combines several strings |
//! | `fields` | BITFIELD: reads and writes integers of some bits |
//! | `options` | ranges and operations |
//! | `parts` | single bits, ranges, and the growth of strings |

mod combine;
mod fields;
mod options;
mod parts;
pub(super) mod table;

use bitpack::bitfield::{FieldType, Overflow};
use bitpack::bits::{self, Op};

use super::stores;
use super::strings::string_at;
use crate::commands::StringEntry;
use crate::error::Result;
use crate::member::Member;
use crate::store::{Locks, Store};

pub use options::{BitFieldOp, BitRange, BitUnit};

pub(crate) use combine::combine;
pub(crate) use fields::{Operations, operate};
pub(crate) use parts::{count_with, position_with};

use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use parts::{change_one, check_offset};

/// Commands on the bits of strings.
///
/// Bit 0 is the most significant bit of the first byte. Bits after the end of a string, or of a key that does not
/// exist, are 0; a write extends the string as needed. Offsets and counts of bits are `u64`; an offset must be within
/// 512 MiB.
///
/// # Errors
///
/// All of them return [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string, and those that
/// take offsets [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for an offset of 2^32 or more. A call that fails
/// changes nothing. In a transaction, [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) is returned for a key
/// that was not named.
impl<L: Locks> Store<L> {
    /// SETBIT: sets or clears the bit at `offset` and returns its old value. O(1), and the padding if the string grows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert!(!store.setbit("seen", 1, true)?);
    /// assert!(store.setbit("seen", 1, true)?);
    /// assert_eq!(store.get("seen")?, Some("@".into()));
    /// assert!(store.getbit("seen", 1)? && !store.getbit("seen", 1000)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn setbit(&self, key: impl ToKey, offset: u64, value: bool) -> Result<bool> {
        check_offset(offset)?;
        self.entry(key, |entry: &mut StringEntry<'_>| entry.set_bit(offset, value))
    }

    /// GETBIT: returns the bit at `offset`. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`setbit`](Self::setbit).
    #[inline]
    pub fn getbit(&self, key: impl ToKey, offset: u64) -> Result<bool> {
        check_offset(offset)?;
        self.read(key, |view, keys| {
            let Some(string) = string_at(view, keys[0])? else { return Ok(false) };
            Ok(string.with_bytes(|bytes| bits::get(bytes, offset)))
        })
    }

    /// GETBIT of many bits: returns the bits at these offsets, all read at one point in time. O(offsets).
    ///
    /// The reads do not depend on each other, so their cache misses overlap: in a string that is larger than the CPU
    /// caches, one call for a hundred bits takes a fraction of the time of a hundred calls.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key. If one
    /// offset is out of range, the whole call fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.setbit_multiple("seen", &[(7, true), (100, true)])?, [false, false]);
    /// assert_eq!(store.getbit_multiple("seen", &[100, 8, 7, 1 << 31])?, [true, false, true, false]);
    /// assert!(store.getbit_multiple("seen", &[7, 1 << 32]).is_err());
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn getbit_multiple(&self, key: impl ToKey, offsets: &[u64]) -> Result<Vec<bool>> {
        offsets.iter().try_for_each(|&offset| check_offset(offset))?;
        self.read(key, |view, keys| {
            let string = string_at(view, keys[0])?.unwrap_or(Member::Bytes(b""));
            // The reads are so short that the CPU executes dozens of them concurrently: prefetching does not make them
            // faster.
            Ok(string.with_bytes(|bytes| {
                offsets.iter().map(|&offset| bits::get(bytes, offset)).collect()
            }))
        })
    }

    /// SETBIT of many bits, in order, atomically: returns their old values. O(bits), and the padding if the string
    /// grows. Sinks and the log receive it as a BITFIELD.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key. If one
    /// offset is out of range, the whole call fails.
    ///
    /// # Examples
    ///
    /// See [`getbit_multiple`](Self::getbit_multiple).
    pub fn setbit_multiple(&self, key: impl ToKey, values: &[(u64, bool)]) -> Result<Vec<bool>> {
        let set =
            |&(offset, value): &(u64, bool)| BitFieldOp::set(FieldType::BIT, offset, value.into());
        let old = fields::run(self, key, values.iter().map(set))?;
        Ok(old.into_iter().map(|bit| bit == Some(1)).collect())
    }

    /// BITCOUNT: returns the number of bits that are set. O(length), near memory bandwidth.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("k", "foobar")?;
    /// assert_eq!(store.bitcount("k")?, 26);
    /// assert_eq!(store.bitcount_range("k", 0, 0)?, 4);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bitcount(&self, key: impl ToKey) -> Result<u64> {
        self.read(key, |view, keys| {
            Ok(string_at(view, keys[0])?.map_or(0, |string| string.with_bytes(bits::count)))
        })
    }

    /// BITCOUNT of a range of bytes: counts the bits that are set from byte `start` to byte `end`, both included;
    /// negative numbers count from the end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`bitcount`](Self::bitcount).
    pub fn bitcount_range(&self, key: impl ToKey, start: i64, end: i64) -> Result<u64> {
        self.bitcount_in(key, BitRange::bytes(start, end))
    }

    /// BITCOUNT of a range of bytes or bits: counts the bits that are set in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`BitRange`].
    pub fn bitcount_in(&self, key: impl ToKey, range: BitRange) -> Result<u64> {
        count_with(self, key, || Ok(range))
    }

    /// BITPOS: returns the offset of the first bit that equals `bit`; `None` if there is none.
    ///
    /// In a string of ones, the first 0 is after the end, but an empty string has none, as in Redis. O(length), near
    /// memory bandwidth.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{BitRange, Store};
    ///
    /// let store = Store::new();
    /// store.set("k", b"\xff\xf0\x00")?;
    /// assert_eq!(store.bitpos("k", false)?, Some(12));
    /// assert_eq!(store.bitpos_in("k", true, BitRange::bytes_from(2))?, None);
    /// assert_eq!(store.bitpos_in("k", false, BitRange::bits(0, 11))?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bitpos(&self, key: impl ToKey, bit: bool) -> Result<Option<u64>> {
        self.bitpos_in(key, bit, BitRange::bytes_from(0))
    }

    /// BITPOS in a range: returns the offset, from the start of the string, of the first bit in the range that equals
    /// `bit`. A range with an explicit end has no 0 after it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`bitpos`](Self::bitpos).
    pub fn bitpos_in(&self, key: impl ToKey, bit: bool, range: BitRange) -> Result<Option<u64>> {
        position_with(self, key, bit, || Ok(range))
    }

    stores! {
        /// BITOP AND: stores the bitwise AND of the strings at `dst` and returns its length in bytes, which is that of
        /// the longest string. An empty result removes the key. The expiry is removed. O(bytes), near memory bandwidth.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
        /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key;
        /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if `keys` is empty.
        ///
        /// # Examples
        ///
        /// ```
        /// # use store as tallis;
        /// use tallis::Store;
        ///
        /// let store = Store::new();
        /// store.mset(&[("a", "foobar"), ("b", "abcdef")])?;
        /// assert_eq!(store.bit_and("both", ["a", "b"])?, 6);
        /// assert_eq!(store.get("both")?, Some("`bc`ab".into()));
        /// # Ok::<(), tallis::Error>(())
        /// ```
        bit_and(dst, keys) => combine[Op::And];

        /// BITOP OR: as [`bit_and`](Self::bit_and), for the bits that are set in any of the strings.
        ///
        /// # Errors
        ///
        /// As [`bit_and`](Self::bit_and).
        bit_or(dst, keys) => combine[Op::Or];

        /// BITOP XOR: as [`bit_and`](Self::bit_and), for the bits that are set in an odd number of the strings.
        ///
        /// # Errors
        ///
        /// As [`bit_and`](Self::bit_and).
        bit_xor(dst, keys) => combine[Op::Xor];
    }

    /// BITOP NOT: as [`bit_and`](Self::bit_and), with all bits of one string inverted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    pub fn bit_not(&self, dst: impl ToKey, key: impl ToKey) -> Result<usize> {
        combine(self, Op::Not, dst, key)
    }

    stores! {
        /// BITOP DIFF: as [`bit_and`](Self::bit_and), for the bits that are set in the first string and in none of the
        /// others. As of Redis 8.2.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
        /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key;
        /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for fewer than two keys.
        ///
        /// # Examples
        ///
        /// ```
        /// # use store as tallis;
        /// use tallis::Store;
        ///
        /// let store = Store::new();
        /// for (key, bits) in [("x", b"\xf0"), ("y1", b"\xcc"), ("y2", b"\xaa")] {
        ///     store.set(key, bits)?;
        /// }
        /// let of = ["x", "y1", "y2"];
        /// store.bit_diff("diff", of)?;
        /// store.bit_diff1("diff1", of)?;
        /// store.bit_and_or("and_or", of)?;
        /// store.bit_one("one", of)?;
        /// assert_eq!(store.get("diff")?.as_deref(), Some(&[0b0001_0000][..]));
        /// assert_eq!(store.get("diff1")?.as_deref(), Some(&[0b0000_1110][..]));
        /// assert_eq!(store.get("and_or")?.as_deref(), Some(&[0b1110_0000][..]));
        /// assert_eq!(store.get("one")?.as_deref(), Some(&[0b0001_0110][..]));
        /// # Ok::<(), tallis::Error>(())
        /// ```
        bit_diff(dst, keys) => combine[Op::Diff];

        /// BITOP DIFF1: as [`bit_diff`](Self::bit_diff), for the bits that are set in any of the others and not in the
        /// first string.
        ///
        /// # Errors
        ///
        /// As [`bit_diff`](Self::bit_diff).
        bit_diff1(dst, keys) => combine[Op::Diff1];

        /// BITOP ANDOR: as [`bit_diff`](Self::bit_diff), for the bits that are set in the first string and in any of
        /// the others.
        ///
        /// # Errors
        ///
        /// As [`bit_diff`](Self::bit_diff).
        bit_and_or(dst, keys) => combine[Op::AndOr];

        /// BITOP ONE: as [`bit_and`](Self::bit_and), for the bits that are set in exactly one of the strings. As of
        /// Redis 8.2.
        ///
        /// # Errors
        ///
        /// As [`bit_and`](Self::bit_and).
        ///
        /// # Examples
        ///
        /// See [`bit_diff`](Self::bit_diff).
        bit_one(dst, keys) => combine[Op::One];
    }

    /// BITFIELD: runs operations on integers of some bits, in order and atomically; returns a result for each.
    ///
    /// If one of them may write, the string is first extended to the end of all that may write, even if all of them
    /// fail, as in Redis. O(operations), and the padding if the string grows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`BitFieldOp`].
    pub fn bitfield(
        &self,
        key: impl ToKey,
        operations: impl IntoIterator<Item = BitFieldOp>,
    ) -> Result<Vec<Option<i64>>> {
        fields::run(self, key, operations)
    }

    /// `BITFIELD_RO`: returns the integers in several fields, all read at one point in time. O(fields).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{FieldType, Store};
    ///
    /// let store = Store::new();
    /// store.set("w", "hello")?;
    /// let fields = [(FieldType::unsigned(4).unwrap(), 0), (FieldType::signed(3).unwrap(), 2)];
    /// assert_eq!(store.bitfield_ro("w", fields)?, [6, -3]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bitfield_ro(
        &self,
        key: impl ToKey,
        of: impl IntoIterator<Item = (FieldType, u64)>,
    ) -> Result<Vec<i64>> {
        let reads = of.into_iter().map(|(field, offset)| BitFieldOp::get(field, offset));
        Ok(fields::run(self, key, reads)?.into_iter().flatten().collect())
    }

    /// BITFIELD GET: returns the integer in one field. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{FieldType, Overflow, Store};
    ///
    /// let store = Store::new();
    /// let u4 = FieldType::unsigned(4).unwrap();
    /// assert_eq!(store.bitfield_set("k", u4, 8, 9, Overflow::Wrap)?, Some(0));
    /// assert_eq!(store.bitfield_incr("k", u4, 8, 9, Overflow::Sat)?, Some(15));
    /// assert_eq!(store.bitfield_incr("k", u4, 8, 9, Overflow::Fail)?, None);
    /// assert_eq!(store.bitfield_get("k", u4, 8)?, 15);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn bitfield_get(&self, key: impl ToKey, field: FieldType, offset: u64) -> Result<i64> {
        check_offset(offset)?;
        self.read(key, |view, keys| {
            let Some(string) = string_at(view, keys[0])? else { return Ok(0) };
            Ok(string.with_bytes(|bytes| bitpack::bitfield::get(bytes, field, offset)))
        })
    }

    /// BITFIELD SET: writes an integer to one field; returns the old one, or `None` if the new one does not fit and the
    /// overflow policy is to fail. O(1), and the padding if the string grows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`bitfield_get`](Self::bitfield_get).
    #[inline]
    pub fn bitfield_set(
        &self,
        key: impl ToKey,
        field: FieldType,
        offset: u64,
        value: i64,
        overflow: Overflow,
    ) -> Result<Option<i64>> {
        change_one(self, key, BitFieldOp::set(field, offset, value).overflow(overflow))
    }

    /// BITFIELD INCRBY: adds to the integer in one field; returns the sum, or `None` if it does not fit and the
    /// overflow policy is to fail. O(1), and the padding if the string grows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string;
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// See [`bitfield_get`](Self::bitfield_get).
    #[inline]
    pub fn bitfield_incr(
        &self,
        key: impl ToKey,
        field: FieldType,
        offset: u64,
        delta: i64,
        overflow: Overflow,
    ) -> Result<Option<i64>> {
        change_one(self, key, BitFieldOp::incr_by(field, offset, delta).overflow(overflow))
    }
}
