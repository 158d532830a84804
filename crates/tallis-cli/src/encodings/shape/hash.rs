//! One hash.

use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// The value of each field: 16 bytes.
const VALUE: &[u8; 16] = b"0123456789abcdef";

/// A hash, whose fields are the elements.
#[derive(Debug)]
pub(in super::super) struct Hash;

struct Hashes {
    store: Store,
    keys: Vec<String>,
}

impl Shape for Hash {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Hashes { store, keys: extent.keys() })
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

impl Holder for Hashes {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            Work::Add => sum(steps, |step| Ok(store.hset(key(step), step.item, VALUE)? as u64)),
            Work::Test => sum(steps, |step| Ok(store.hget(key(step), step.item)?.is_some().into())),
            Work::Remove => sum(steps, |step| Ok(store.hdel(key(step), [step.item])? as u64)),
            Work::Count => Ok(0),
            Work::Scan => sum(steps, |step| Ok(store.hgetall(key(step))?.len() as u64)),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
