//! One hash.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// The value of each field: 16 bytes.
const VALUE: &[u8; 16] = b"0123456789abcdef";

/// A hash, whose fields are the elements.
#[derive(Debug)]
pub(in super::super) struct Hash;

impl Shape for Hash {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Keyed::new(store, extent, one))
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => {
                step.item.with_bytes(|field| words([b"HSET", key.as_bytes(), field, VALUE]))
            }
            Work::Test => with_item("HGET", &key, &step.item),
            Work::Remove => with_item("HDEL", &key, &step.item),
            Work::Count => None,
            Work::Scan => words([b"HGETALL", key.as_bytes()]),
        }
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.hset(key, step.item, VALUE)? as u64),
        Work::Test => Ok(store.hget(key, step.item)?.is_some().into()),
        Work::Remove => Ok(store.hdel(key, [step.item])? as u64),
        Work::Scan => Ok(store.hgetall(key)?.len() as u64),
        Work::Count => Ok(0),
    }
}
