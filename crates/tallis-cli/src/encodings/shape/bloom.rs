//! One Bloom filter.

use ::bloom::Settings;
use tallis::Store;

use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, sum, with_item, words};

/// A Bloom filter that was made for its elements, at this error rate. Elements cannot be removed.
#[derive(Debug)]
pub(in super::super) struct Bloom(pub(in super::super) f64);

struct Filters {
    store: Store,
    keys: Vec<String>,
    settings: Settings,
}

impl Shape for Bloom {
    fn does(&self, work: Work) -> bool {
        matches!(work, Work::Add | Work::Test)
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        let settings = Settings::new(extent.size(), self.0).non_scaling();
        Box::new(Filters { store, keys: extent.keys(), settings })
    }

    fn begin(&self, extent: Extent) -> Vec<Words> {
        let (rate, size) = (format!("{:?}", self.0), extent.size.to_string());
        let reserve = |value| {
            words([
                b"BF.RESERVE",
                key(value).as_bytes(),
                rate.as_bytes(),
                size.as_bytes(),
                b"NONSCALING",
            ])
        };
        (0..extent.values).filter_map(reserve).collect()
    }

    fn command(&self, work: Work, step: &Step<'_>, _: Extent) -> Option<Words> {
        let key = key(step.value);
        match work {
            Work::Add => with_item("BF.ADD", &key, &step.item),
            Work::Test => with_item("BF.EXISTS", &key, &step.item),
            Work::Count | Work::Scan | Work::Remove => None,
        }
    }
}

impl Holder for Filters {
    fn begin(&mut self) -> Result<()> {
        self.keys.iter().try_for_each(|key| self.store.bf_reserve(key.as_str(), &self.settings))
    }

    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let Self { store, keys, .. } = self;
        let key = |step: &Step<'_>| keys[step.value].as_str();
        match work {
            Work::Add => sum(steps, |step| Ok(store.bf_add(key(step), step.item)?.into())),
            Work::Test => sum(steps, |step| Ok(store.bf_exists(key(step), step.item)?.into())),
            Work::Count | Work::Scan | Work::Remove => Ok(0),
        }
    }

    fn key(&self) -> Result<String> {
        Ok(key(0))
    }
}
