//! One list.

use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// A list: pushed at its end, asked by index, popped from its front.
#[derive(Debug)]
pub(in super::super) struct List;

struct Lists {
    store: Store,
    keys: Vec<String>,
}

impl Shape for List {
    fn does(&self, work: Work) -> bool {
        work != Work::Count
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        Box::new(Lists { store, keys: extent.keys() })
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

impl Holder for Lists {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            // RPUSH returns the length.
            Work::Add => sum(steps, |step| store.rpush(key(step), [step.item]).map(|_| 1)),
            Work::Test => sum(steps, |step| {
                let at = i64::try_from(step.at).unwrap_or(i64::MAX);
                Ok(store.lindex(key(step), at)?.is_some().into())
            }),
            Work::Remove => sum(steps, |step| Ok(store.lpop(key(step))?.is_some().into())),
            Work::Count => Ok(0),
            Work::Scan => sum(steps, |step| Ok(store.lrange(key(step), 0, -1)?.len() as u64)),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
