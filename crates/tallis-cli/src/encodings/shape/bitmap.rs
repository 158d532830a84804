//! One bitmap.

use std::hint::black_box;

use bitpack::bits;
use tallis::{Member, Store};

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, words};

/// A bitmap: a bit for each number from 0 to the largest element.
#[derive(Debug)]
pub(in super::super) struct Bitmap;

/// Returns the bit of an element. A name has none; it would be the last bit.
pub(in super::super) fn offset(item: &Member<'_>) -> u64 {
    match item {
        Member::Int(id) => u64::try_from(*id).unwrap_or(u64::MAX),
        Member::Bytes(_) => u64::MAX,
    }
}

impl Shape for Bitmap {
    fn does(&self, _: Work) -> bool {
        true
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Keyed::new(store, extent, one))
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let (key, offset) = (key(step.value), offset(&step.item).to_string());
        let [key, offset] = [key.as_bytes(), offset.as_bytes()];
        match work {
            Work::Add => words([b"SETBIT", key, offset, b"1"]),
            Work::Test => words([b"GETBIT", key, offset]),
            Work::Remove => words([b"SETBIT", key, offset, b"0"]),
            Work::Count => words([b"BITCOUNT", key]),
            // The client iterates over the bits.
            Work::Scan => words([b"GET", key]),
        }
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok((!store.setbit(key, offset(&step.item), true)?).into()),
        Work::Test => Ok(store.getbit(key, offset(&step.item))?.into()),
        Work::Remove => Ok(store.setbit(key, offset(&step.item), false)?.into()),
        Work::Count => store.bitcount(key),
        Work::Scan => {
            let bytes = store.get(key)?.unwrap_or_default();
            // Each bit is visited, although a count would not need it.
            Ok(bits::ones(&bytes).map(black_box).fold(0, |count, _| count + 1))
        }
    }
}
