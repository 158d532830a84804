//! The string at a key.

use std::iter;

use bytes::Bytes;

use crate::commands::{STRING_MAX, checked, entry_of};
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::store::slot::{Entry, Expires, Outcome};
use crate::text::extended::{Extended, NOT_A_FLOAT, NOT_FINITE};
use crate::to_member::ToMember;
use crate::value::Value;

/// The string at a key, found once and checked once: see [`Store::with_string`](crate::Store::with_string).
pub type StringEntry<'e> = Entry<'e, StringKind>;

entry_of!(StringEntry, StringKind, with_string, "string", |value| value.as_str().is_some());

impl StringEntry<'_> {
    /// The string, if the key exists: its bytes, or the number that they are kept as. O(1).
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<Member<'_>> {
        self.value().and_then(Value::as_str)
    }

    /// The number that the string is; `None` if there is no key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotInteger`] for any other string.
    #[inline]
    pub fn get_int(&self) -> Result<Option<i64>> {
        // A string that was changed in place may be a number too.
        let number = |string: Member<'_>| string.as_int().ok_or_else(Error::not_integer);
        self.get().map(number).transpose()
    }

    /// SET: sets the string; the key does not expire any more.
    ///
    /// # Errors
    ///
    /// A string of more than 512 MiB.
    pub fn set(&mut self, value: impl ToMember) -> Result<()> {
        value.with_member(|value| {
            self.put_string(checked(value)?, Expires::Never);
            Ok(())
        })
    }

    /// SET with PXAT: sets the string, which expires at a time in milliseconds since the epoch. One that has come
    /// already is no error: the string is not returned then.
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

    /// SET, with what happens to the expiry.
    #[inline]
    fn put_string(&mut self, value: Member<'_>, expires: Expires) {
        put(self, value, expires);
    }

    /// INCRBY: adds to the number that the string is, 0 if there is none; returns the sum. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotInteger`] if the string is no number, or the sum does not fit.
    #[inline]
    pub fn incr(&mut self, delta: i64) -> Result<i64> {
        let sum = self.get_int()?.unwrap_or(0).checked_add(delta).ok_or_else(Error::overflow)?;
        let words = || vec![Member::Int(delta).to_bytes()];
        self.put(Value::Int(sum), Expires::Keep, ("INCRBY", words));
        Ok(sum)
    }

    /// INCRBYFLOAT: adds to the number of 80 bits that the string is; returns the text that is there now.
    pub(crate) fn incr_float(&mut self, delta: &[u8]) -> Result<Bytes> {
        let parse = |text: &[u8]| Extended::parse(text).ok_or_else(|| not_a_float(NOT_A_FLOAT));
        let old = self.get().unwrap_or(Member::Int(0)).with_bytes(parse)?;
        let sum = old.add(parse(delta)?).ok_or_else(|| not_a_float(NOT_FINITE))?;
        let text = Bytes::from(sum.to_text());
        // Text even where it is an integer: INCR makes it one again.
        let words = || vec![text.clone(), "KEEPTTL".into()];
        self.put(taking_place(self, Value::text(&text)), Expires::Keep, ("SET", words));
        Ok(text)
    }

    /// APPEND: adds bytes to the end; returns the length. What is not there yet is set, and so may be a number.
    ///
    /// # Errors
    ///
    /// A string of more than 512 MiB.
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

    /// SETRANGE: writes bytes at an offset, with zeros before them if the string is shorter; returns the length.
    /// Without bytes to write it changes nothing.
    ///
    /// # Errors
    ///
    /// A string of more than 512 MiB.
    #[inline]
    pub fn set_range(&mut self, offset: usize, value: impl ToMember) -> Result<usize> {
        value.with_member(|value| {
            if value.byte_len() == 0 {
                return Ok(self.get().map_or(0, Member::byte_len));
            }
            let words = || vec![Bytes::from(offset.to_string()), value.to_bytes()];
            // Whether the key is there is known without a look at the string.
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

/// SET on any key, whatever it holds.
#[inline]
pub(super) fn put<K>(slot: &mut Entry<'_, K>, value: Member<'_>, expires: Expires) {
    // What does not expire needs no word to say that it keeps that.
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

/// A string as it takes the place of what is there: `raw` where the block of the string leaves no room for the expiry of
/// that.
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

/// Where a write ends, if a string may be as long.
fn end_of(offset: usize, value: Member<'_>) -> Result<usize> {
    let end = offset.checked_add(value.byte_len());
    end.filter(|&end| end <= STRING_MAX).ok_or_else(Error::too_long)
}

#[cold]
fn not_a_float(text: &'static str) -> Error {
    Error::new(ErrorKind::NotInteger, text)
}
