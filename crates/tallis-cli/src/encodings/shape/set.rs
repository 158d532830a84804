//! One set.

use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// A set, in whatever encoding the limits of its store leave it.
#[derive(Debug)]
pub(in super::super) struct Set;

struct Sets {
    store: Store,
    keys: Vec<String>,
}

impl Shape for Set {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Sets { store, keys: extent.keys() })
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

impl Holder for Sets {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            Work::Add => sum(steps, |step| Ok(store.sadd(key(step), [step.item])? as u64)),
            Work::Test => sum(steps, |step| Ok(store.sismember(key(step), step.item)?.into())),
            Work::Remove => sum(steps, |step| Ok(store.srem(key(step), [step.item])? as u64)),
            Work::Count => Ok(0),
            Work::Scan => sum(steps, |step| Ok(store.smembers(key(step))?.len() as u64)),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
