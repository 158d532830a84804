//! One HyperLogLog.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A HyperLogLog, sparse or dense depending on the limit of its store. Elements cannot be looked up or removed; their
/// number is an estimate.
#[derive(Debug)]
pub(in super::super) struct HyperLogLog;

impl Shape for HyperLogLog {
    fn does(&self, work: Work) -> bool {
        matches!(work, Work::Add | Work::Count)
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Keyed::new(store, extent, one))
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => with_item("PFADD", &key, &step.item),
            Work::Count => words([b"PFCOUNT", key.as_bytes()]),
            Work::Test | Work::Scan | Work::Remove => None,
        }
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.pfadd(key, [step.item])?.into()),
        Work::Count => store.pfcount(key),
        Work::Test | Work::Scan | Work::Remove => Ok(0),
    }
}
