//! One sorted set.

use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// A sorted set: the score of an element is its place among all, and elements come in random order.
#[derive(Debug)]
pub(in super::super) struct ZSet;

struct ZSets {
    store: Store,
    keys: Vec<String>,
}

/// The score of an element.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
const fn score(step: &Step<'_>) -> f64 {
    step.at as f64
}

impl Shape for ZSet {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(ZSets { store, keys: extent.keys() })
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => step.item.with_bytes(|member| {
                words([b"ZADD", key.as_bytes(), step.at.to_string().as_bytes(), member])
            }),
            Work::Test => with_item("ZSCORE", &key, &step.item),
            Work::Remove => with_item("ZREM", &key, &step.item),
            Work::Count => None,
            Work::Scan => words([b"ZRANGE", key.as_bytes(), b"0", b"-1", b"WITHSCORES"]),
        }
    }
}

impl Holder for ZSets {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            Work::Add => {
                sum(steps, |step| Ok(store.zadd(key(step), step.item, score(step))? as u64))
            }
            Work::Test => {
                sum(steps, |step| Ok(store.zscore(key(step), step.item)?.is_some().into()))
            }
            Work::Remove => sum(steps, |step| Ok(store.zrem(key(step), [step.item])? as u64)),
            Work::Count => Ok(0),
            Work::Scan => {
                sum(steps, |step| Ok(store.zrange_withscores(key(step), 0, -1)?.len() as u64))
            }
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
