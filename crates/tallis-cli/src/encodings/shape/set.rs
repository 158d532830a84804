//! One set.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A set, in the encoding that the limits of its store give it.
#[derive(Debug)]
pub(in super::super) struct Set;

impl Shape for Set {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Keyed::new(store, extent, one))
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => with_item("SADD", &key, &step.item),
            Work::Test => with_item("SISMEMBER", &key, &step.item),
            Work::Remove => with_item("SREM", &key, &step.item),
            Work::Count => None,
            Work::Scan => words([b"SMEMBERS", key.as_bytes()]),
        }
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.sadd(key, [step.item])? as u64),
        Work::Test => Ok(store.sismember(key, step.item)?.into()),
        Work::Remove => Ok(store.srem(key, [step.item])? as u64),
        Work::Scan => Ok(store.smembers(key)?.len() as u64),
        Work::Count => Ok(0),
    }
}
