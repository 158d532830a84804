//! The atomic steps of cohorts.

use smallvec::SmallVec;
use store::{Error, KeyRef, ToKeys, Tx};

use crate::procedure::{Backend, Procedure, all_read, read, step};

/// Sets or clears the same bit in several strings, each named once: whether any was not so before.
///
/// The keys are an array where their number is known, which takes no memory, or a slice.
#[inline]
pub(super) fn set_bits<'k>(
    keys: impl ToKeys + AsRef<[&'k [u8]]> + Copy,
    bit: u32,
    on: bool,
) -> impl Procedure<Output = bool> {
    step(keys, move |tx| {
        let keys = keys.as_ref();
        if keys.len() > 1 {
            // No offset of 32 bits is out of range, so nothing but a type can be wrong.
            for &key in keys {
                tx.strlen(key)?;
            }
        }
        let mut changed = false;
        for &key in keys {
            changed |= tx.setbit(key, bit.into(), on)? != on;
        }
        Ok(changed)
    })
}

/// GETBIT.
#[inline]
pub(super) fn has_bit(key: &[u8], bit: u32) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.getbit(key, bit.into()))
}

/// What a question about the strings at some keys is answered; those of keys that do not exist are empty.
pub(super) fn ask<R>(
    backend: &impl Backend,
    keys: &[&[u8]],
    question: impl Fn(&[&[u8]]) -> R,
) -> Result<R, Error> {
    backend.call(&step(&*all_read(keys), |tx| look_at(tx, keys, &question)))
}

/// Puts a bitmap made of the strings at some keys at a target that may hold anything, or deletes the target if the
/// bitmap is empty: its length.
pub(super) fn store(
    backend: &impl Backend,
    target: &[u8],
    sources: &[&[u8]],
    make: impl Fn(&[&[u8]]) -> Vec<u8>,
) -> Result<u64, Error> {
    let mut keys = all_read(sources);
    keys.push(KeyRef::new(target));
    backend.call(&step(&*keys, |tx| {
        let bitmap = look_at(tx, sources, &make)?;
        // As BITOP leaves it: a string that was written to, even where its bytes are those of a number.
        tx.del([target])?;
        Ok(tx.setrange(target, 0, bitmap.as_slice())? as u64)
    }))
}

/// Deletes keys: how many there were.
pub(super) fn delete(keys: &[&[u8]]) -> impl Procedure<Output = u64> {
    step(keys, move |tx| Ok(tx.del(keys)? as u64))
}

/// Hands over the strings at the keys.
fn look_at<R>(tx: &Tx<'_>, keys: &[&[u8]], look: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error> {
    tx.with_strings_read(keys, |strings| {
        let mut all = SmallVec::<[&[u8]; 4]>::with_capacity(strings.len());
        all.extend(strings.iter().map(|string| string.unwrap_or_default()));
        Ok(look(&all))
    })
}
