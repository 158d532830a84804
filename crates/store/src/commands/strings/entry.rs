//! The entry of a string.

use std::iter;

use bytes::Bytes;

use crate::commands::{STRING_MAX, checked, entry_of};
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::store::slot::{Entry, Expires, Outcome};
use crate::text::extended::{Extended, NOT_A_FLOAT, NOT_FINITE};
use crate::to_member::ToMember;
use crate::value::Value;

/// The string at a key, with one look-up and one type check: see [`Store::with_string`](crate::Store::with_string).
pub type StringEntry<'e> = Entry<'e, StringKind>;

entry_of!(StringEntry, StringKind, with_string, "string", |value| value.as_str().is_some());

impl StringEntry<'_> {
    /// Returns the string, if the key exists: its bytes, or its integer if it is stored as one. O(1).
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<Member<'_>> {
        self.value().and_then(Value::as_str)
    }

    /// Returns the string as an integer; `None` if the key does not exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotInteger`] if the string is not an integer.
    #[inline]
    pub fn get_int(&self) -> Result<Option<i64>> {
        // A string that was changed in place may be an integer too.
        let number = |string: Member<'_>| string.as_int().ok_or_else(Error::not_integer);
        self.get().map(number).transpose()
    }

    /// SET: sets the string and removes the expiry. O(length).
    ///
    /// # Errors
    ///
    /// The string exceeds 512 MiB.
    pub fn set(&mut self, value: impl ToMember) -> Result<()> {
        value.with_member(|value| {
            self.put_string(checked(value)?, Expires::Never);
            Ok(())
        })
    }

    /// SET with PXAT: sets the string and its expiry, in milliseconds since the Unix epoch. A time in the past is not
    /// an error: the string is set, and never returned.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub fn set_until(&mut self, value: impl ToMember, at_ms: i64) -> Result<()> {
        value.with_member(|value| {
            self.put_string(checked(value)?, Expires::At(at_ms));
            Ok(())
        })
    }

    /// SET, with the given effect on the expiry.
    #[inline]
    fn put_string(&mut self, value: Member<'_>, expires: Expires) {
        put(self, value, expires);
    }

    /// INCRBY: adds to the integer in the string, or to 0 if the key does not exist; returns the sum. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotInteger`] if the string is not an integer, or the sum does not fit.
    #[inline]
    pub fn incr(&mut self, delta: i64) -> Result<i64> {
        let sum = self.get_int()?.unwrap_or(0).checked_add(delta).ok_or_else(Error::overflow)?;
        let words = || vec![Member::Int(delta).to_bytes()];
        self.put(Value::Int(sum), Expires::Keep, ("INCRBY", words));
        Ok(sum)
    }

    /// INCRBYFLOAT: adds to the 80-bit number in the string; returns the new text.
    pub(crate) fn incr_float(&mut self, delta: &[u8]) -> Result<Bytes> {
        let parse = |text: &[u8]| Extended::parse(text).ok_or_else(|| not_a_float(NOT_A_FLOAT));
        let old = self.get().unwrap_or(Member::Int(0)).with_bytes(parse)?;
        let sum = old.add(parse(delta)?).ok_or_else(|| not_a_float(NOT_FINITE))?;
        let text = Bytes::from(sum.to_text());
        // Text even for an integer: INCR converts it when it needs to.
        let words = || vec![text.clone(), "KEEPTTL".into()];
        self.put(taking_place(self, Value::text(&text)), Expires::Keep, ("SET", words));
        Ok(text)
    }

    /// APPEND: appends bytes; returns the length in bytes. If the key does not exist, the value is set, and may be
    /// stored as an integer.
    ///
    /// # Errors
    ///
    /// The string would exceed 512 MiB.
    pub fn append(&mut self, value: impl ToMember) -> Result<usize> {
        value.with_member(|value| {
            checked(value)?;
            let words = || vec![value.to_bytes()];
            if let Some(len) = self.get().map(Member::byte_len) {
                return self.write_at(len, value, || ("APPEND", words()));
            }
            self.put(Value::string(value), Expires::Keep, ("APPEND", words));
            Ok(value.byte_len())
        })
    }

    /// SETRANGE: writes bytes at an offset, zero-padding a shorter string; returns the length in bytes. An empty value
    /// changes nothing.
    ///
    /// # Errors
    ///
    /// The string would exceed 512 MiB.
    #[inline]
    pub fn set_range(&mut self, offset: usize, value: impl ToMember) -> Result<usize> {
        value.with_member(|value| {
            if value.byte_len() == 0 {
                return Ok(self.get().map_or(0, Member::byte_len));
            }
            let words = || vec![Bytes::from(offset.to_string()), value.to_bytes()];
            // Whether the key exists is known without reading the string.
            if self.exists() {
                return self.write_at(offset, value, || ("SETRANGE", words()));
            }
            let end = end_of(offset, value)?;
            let mut bytes = vec![0; end];
            value.with_bytes(|value| bytes[offset..].copy_from_slice(value));
            self.put(Value::raw_string(bytes), Expires::Keep, ("SETRANGE", words));
            Ok(end)
        })
    }

    fn write_at(
        &mut self,
        offset: usize,
        value: Member<'_>,
        effect: impl FnOnce() -> (&'static str, Vec<Bytes>),
    ) -> Result<usize> {
        let end = end_of(offset, value)?;
        self.announce_bytes(iter::once(offset..end));
        let written = self.edit(
            |old| (value.with_bytes(|new| old.write_at(offset, new)), Outcome::Changed),
            |_| effect(),
        );
        written.flatten().ok_or_else(Error::wrong_type)
    }
}

/// SET on a key with a value of any type.
#[inline]
pub(super) fn put<K>(slot: &mut Entry<'_, K>, value: Member<'_>, expires: Expires) {
    // The effect needs no KEEPTTL if there is no expiry.
    let stays = expires == Expires::Keep && slot.expires_at_ms().is_none();
    let expires = if stays { Expires::Never } else { expires };
    let words = || {
        let mut words = vec![value.to_bytes()];
        match expires {
            Expires::Never => {}
            Expires::Keep => words.push("KEEPTTL".into()),
            Expires::At(at_ms) => words.extend(["PXAT".into(), at_ms.to_string().into()]),
        }
        words
    };
    slot.put(taking_place(slot, Value::string(value)), expires, ("SET", words));
}

/// Converts a string that replaces the value of a key: to `raw` if its block has no room for the expiry of the key.
#[inline]
pub(super) fn taking_place<K>(slot: &Entry<'_, K>, string: Value) -> Value {
    let embedding = slot.shared().profile().embedding();
    match string.as_str() {
        Some(Member::Bytes(bytes))
            if embedding.yields_to_expiry(bytes.len(), slot.key().len())
                && slot.expires_at_ms().is_some() =>
        {
            Value::raw_string(bytes.to_vec())
        }
        Some(_) | None => string,
    }
}

/// The end offset of a write, if a string may be that long.
fn end_of(offset: usize, value: Member<'_>) -> Result<usize> {
    let end = offset.checked_add(value.byte_len());
    end.filter(|&end| end <= STRING_MAX).ok_or_else(Error::too_long)
}

#[cold]
fn not_a_float(text: &'static str) -> Error {
    Error::new(ErrorKind::NotInteger, text)
}
