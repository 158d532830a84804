//! One HyperLogLog.

use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// A HyperLogLog, sparse or dense as the limit of its store says. Elements cannot be asked for or removed; their number
/// is an estimate.
#[derive(Debug)]
pub(in super::super) struct HyperLogLog;

struct HyperLogLogs {
    store: Store,
    keys: Vec<String>,
}

impl Shape for HyperLogLog {
    fn does(&self, work: Work) -> bool {
        matches!(work, Work::Add | Work::Count)
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(HyperLogLogs { store, keys: extent.keys() })
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

impl Holder for HyperLogLogs {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            Work::Add => sum(steps, |step| Ok(store.pfadd(key(step), [step.item])?.into())),
            Work::Count => sum(steps, |step| store.pfcount(key(step))),
            Work::Test | Work::Scan | Work::Remove => Ok(0),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
