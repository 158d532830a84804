//! One Bloom filter.

use ::bloom::Settings;
use tallis::Store;

use super::keyed::Keyed;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item, words};

/// A Bloom filter that is sized for its elements, at this error rate. Elements cannot be removed.
#[derive(Debug)]
pub(in super::super) struct Bloom(pub(in super::super) f64);

struct Filters<F> {
    store: Store,
    extent: Extent,
    settings: Settings,
    values: Keyed<F>,
}

impl Shape for Bloom {
    fn does(&self, work: Work) -> bool {
        matches!(work, Work::Add | Work::Test)
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        let settings = Settings::new(extent.size(), self.0).non_scaling();
        let values = Keyed::new(store.clone(), extent, one);
        Box::new(Filters { store, extent, settings, values })
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

impl<F: Fn(&Store, &str, Work, &Step<'_>) -> Result<u64>> Holder for Filters<F> {
    fn begin(&mut self) -> Result<()> {
        let mut keys = (0..self.extent.values).map(key);
        keys.try_for_each(|key| self.store.bf_reserve(key.as_str(), &self.settings))
    }

    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        self.values.run(work, steps)
    }

    fn key(&self) -> Result<String> {
        self.values.key()
    }
}

/// Runs one step.
fn one(store: &Store, key: &str, work: Work, step: &Step<'_>) -> Result<u64> {
    match work {
        Work::Add => Ok(store.bf_add(key, step.item)?.into()),
        Work::Test => Ok(store.bf_exists(key, step.item)?.into()),
        Work::Count | Work::Scan | Work::Remove => Ok(0),
    }
}
