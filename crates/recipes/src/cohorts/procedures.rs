//! The atomic steps of cohorts.

use smallvec::SmallVec;
use store::{Error, KeyRef, ToKeys, Tx};

use crate::procedure::Procedure;

/// Sets or clears the same bit in several strings, each named once: whether any was not so before.
///
/// The keys are an array where their number is known, which takes no memory, or a slice.
#[derive(Debug)]
pub(super) struct SetBits<K> {
    pub(super) keys: K,
    pub(super) bit: u32,
    pub(super) on: bool,
}

impl<'k, K: ToKeys + AsRef<[&'k [u8]]> + Copy> Procedure for SetBits<K> {
    type Output = bool;
    type Keys<'p>
        = K
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> Self::Keys<'_> {
        self.keys
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        let keys = self.keys.as_ref();
        if keys.len() > 1 {
            // No offset of 32 bits is out of range, so nothing but a type can be wrong.
            for &key in keys {
                tx.strlen(key)?;
            }
        }
        let mut changed = false;
        for &key in keys {
            changed |= tx.setbit(key, self.bit.into(), self.on)? != self.on;
        }
        Ok(changed)
    }
}

/// What a question about the strings at some keys is answered; those of keys that do not exist are empty.
#[derive(Debug)]
pub(super) struct Ask<'a, F> {
    pub(super) keys: &'a [&'a [u8]],
    pub(super) question: F,
}

impl<R, F: Fn(&[&[u8]]) -> R> Procedure for Ask<'_, F> {
    type Output = R;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        self.keys.iter().map(|key| KeyRef::new(key).read()).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<R, Error> {
        look_at(tx, self.keys, &self.question)
    }
}

/// Puts a bitmap made of the strings at some keys at a target that may hold anything, or deletes the target if the bitmap
/// is empty: its length.
#[derive(Debug)]
pub(super) struct StoreBitmap<'a, F> {
    pub(super) target: &'a [u8],
    pub(super) keys: &'a [&'a [u8]],
    pub(super) make: F,
}

impl<F: Fn(&[&[u8]]) -> Vec<u8>> Procedure for StoreBitmap<'_, F> {
    type Output = u64;
    type Keys<'p>
        = Vec<KeyRef<'p>>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        let sources = self.keys.iter().map(|key| KeyRef::new(key).read());
        std::iter::once(KeyRef::new(self.target)).chain(sources).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<u64, Error> {
        let bitmap = look_at(tx, self.keys, &self.make)?;
        // As BITOP leaves it: a string that was written to, even where its bytes are those of a number.
        tx.del([self.target])?;
        Ok(tx.setrange(self.target, 0, bitmap.as_slice())? as u64)
    }
}

/// Deletes keys: how many there were.
#[derive(Debug)]
pub(super) struct Delete<'a> {
    pub(super) keys: &'a [&'a [u8]],
}

impl Procedure for Delete<'_> {
    type Output = u64;
    type Keys<'p>
        = &'p [&'p [u8]]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        self.keys
    }

    fn run(&self, tx: &Tx<'_>) -> Result<u64, Error> {
        Ok(tx.del(self.keys)? as u64)
    }
}

/// Hands over the strings at the keys.
fn look_at<R>(tx: &Tx<'_>, keys: &[&[u8]], look: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error> {
    tx.with_strings_read(keys, |strings| {
        let mut all = SmallVec::<[&[u8]; 4]>::with_capacity(strings.len());
        all.extend(strings.iter().map(|string| string.unwrap_or_default()));
        Ok(look(&all))
    })
}
