//! What cohorts ask of whoever holds their bitmaps.

use std::borrow::Cow;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::commands::{KeyCommands, set_bit, string_at};
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::Store;
use crate::store::door::{Door, View};
use crate::value::Value;

/// The steps that [`Cohorts`](super::Cohorts) needs, each atomic.
pub trait CohortSteps {
    /// SETBIT of the same bit in several strings, each named once: whether any was not so before. If one of the keys
    /// holds something else, none is changed.
    ///
    /// # Errors
    ///
    /// Whatever SETBIT answers.
    fn set_bits(&self, keys: &[&[u8]], bit: u32, on: bool) -> Result<bool, Error>;

    /// MGET: hands over the strings at the keys, all of one moment, those of keys that do not exist empty.
    ///
    /// # Errors
    ///
    /// A key that holds something else.
    fn strings<R>(&self, keys: &[&[u8]], look: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error>;

    /// Puts a string made of the strings at the keys, all of one moment, at the target, or deletes the target if it is
    /// empty, as BITOP does: its length.
    ///
    /// # Errors
    ///
    /// A key that holds something else; the target may hold anything.
    fn store_string(
        &self,
        target: &[u8],
        keys: &[&[u8]],
        make: impl FnOnce(&[&[u8]]) -> Vec<u8>,
    ) -> Result<u64, Error>;

    /// SCAN: the keys that begin so. A key that comes or goes meanwhile may be among them or not.
    ///
    /// # Errors
    ///
    /// Whatever SCAN answers.
    fn names(&self, start: &[u8]) -> Result<Vec<Bytes>, Error>;

    /// DEL: how many of the keys were there.
    ///
    /// # Errors
    ///
    /// Whatever DEL answers.
    fn delete(&self, keys: &[&[u8]]) -> Result<u64, Error>;
}

impl CohortSteps for Store {
    #[inline]
    fn set_bits(&self, keys: &[&[u8]], bit: u32, on: bool) -> Result<bool, Error> {
        self.write(keys, |scope, keys| {
            if keys.len() > 1 {
                // All or none: nothing else can fail.
                keys.iter().try_for_each(|&key| string_at(&scope.view(), key).map(drop))?;
            }
            let mut changed = false;
            for &key in keys {
                changed |= scope.change(key, |slot| set_bit(slot, bit.into(), on))? != on;
            }
            Ok(changed)
        })
    }

    fn strings<R>(&self, keys: &[&[u8]], look: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error> {
        self.read(keys, |view, keys| look_at(view, keys, look))
    }

    fn store_string(
        &self,
        target: &[u8],
        keys: &[&[u8]],
        make: impl FnOnce(&[&[u8]]) -> Vec<u8>,
    ) -> Result<u64, Error> {
        let mut all: Vec<&[u8]> = keys.to_vec();
        all.push(target);
        self.write(&all, |scope, all| {
            let Some((&target, keys)) = all.split_last() else { return Ok(0) };
            // Through the door, so that a key that has expired is dropped for the sinks too.
            for &key in keys {
                scope.change(key, |_| ());
            }
            let string = look_at(&scope.view(), keys, make)?;
            let len = string.len() as u64;
            scope.change(target, |slot| {
                if string.is_empty() {
                    if slot.remove() {
                        slot.changed("DEL", Vec::new);
                    }
                    return;
                }
                slot.changed("SET", || vec![Bytes::copy_from_slice(&string)]);
                slot.put(Value::raw_string(string));
                slot.set_expiry(None);
            });
            Ok(len)
        })
    }

    fn names(&self, start: &[u8]) -> Result<Vec<Bytes>, Error> {
        let mut names = Vec::new();
        // One stripe at a time: the others are not waited for.
        for stripe in 0..self.shared().stripe_count() {
            self.read_stripes(stripe..stripe + 1, |view| {
                let keys = view.entries().map(|entry| entry.key.as_bytes());
                names.extend(keys.filter(|key| key.starts_with(start)).map(Bytes::copy_from_slice));
                Ok(())
            })?;
        }
        Ok(names)
    }

    fn delete(&self, keys: &[&[u8]]) -> Result<u64, Error> {
        Ok(self.del(keys)? as u64)
    }
}

/// Hands over the strings at the keys.
fn look_at<R>(
    view: &View<'_>,
    keys: &[HashedKey<'_>],
    look: impl FnOnce(&[&[u8]]) -> R,
) -> Result<R, Error> {
    let string = |&key| -> Result<Cow<'_, [u8]>, Error> {
        Ok(match string_at(view, key)? {
            None => Cow::Borrowed(&[]),
            Some(Member::Bytes(bytes)) => Cow::Borrowed(bytes),
            Some(number @ Member::Int(_)) => Cow::Owned(number.with_bytes(<[u8]>::to_vec)),
        })
    };
    let strings: SmallVec<[Cow<'_, [u8]>; 4]> =
        keys.iter().map(string).collect::<Result<_, _>>()?;
    let strings: SmallVec<[&[u8]; 4]> = strings.iter().map(|string| &**string).collect();
    Ok(look(&strings))
}
