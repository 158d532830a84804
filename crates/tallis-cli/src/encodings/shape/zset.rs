//! One sorted set.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A sorted set: the score of an element is its index, and elements are added in random order.
#[derive(Debug)]
pub(in super::super) struct ZSet;

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
        Box::new(Keyed::new(store, extent, one))
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

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.zadd(key, step.item, score(step))? as u64),
        Work::Test => Ok(store.zscore(key, step.item)?.is_some().into()),
        Work::Remove => Ok(store.zrem(key, [step.item])? as u64),
        Work::Scan => Ok(store.zrange_withscores(key, 0, -1)?.len() as u64),
        Work::Count => Ok(0),
    }
}
