//! One HyperLogLog.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A HyperLogLog, sparse or dense as the limit of its store says. Elements cannot be asked for or removed; their number
/// is an estimate.
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

/// Does one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.pfadd(key, [step.item])?.into()),
        Work::Count => store.pfcount(key),
        Work::Test | Work::Scan | Work::Remove => Ok(0),
    }
}
