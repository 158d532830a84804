//! One list.

use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A list: pushed at its end, looked up by index, popped from its front.
#[derive(Debug)]
pub(in super::super) struct List;

impl Shape for List {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Keyed::new(store, extent, one))
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => with_item("RPUSH", &key, &step.item),
            Work::Test => words([b"LINDEX", key.as_bytes(), step.at.to_string().as_bytes()]),
            Work::Remove => words([b"LPOP", key.as_bytes()]),
            Work::Count => None,
            Work::Scan => words([b"LRANGE", key.as_bytes(), b"0", b"-1"]),
        }
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        // RPUSH returns the length.
        Work::Add => store.rpush(key, [step.item]).map(|_| 1),
        Work::Test => {
            let at = i64::try_from(step.at).unwrap_or(i64::MAX);
            Ok(store.lindex(key, at)?.is_some().into())
        }
        Work::Remove => Ok(store.lpop(key)?.is_some().into()),
        Work::Scan => Ok(store.lrange(key, 0, -1)?.len() as u64),
        Work::Count => Ok(0),
    }
}
