//! The keys that sessions watch.

use ahash::RandomState;
use hashbrown::{Equivalent, HashMap};

/// The watched keys of a stripe, each with a version that every change of it raises.
///
/// Almost always there are none, and then a write pays for a branch.
#[derive(Debug, Default)]
pub(super) struct Watches {
    keys: HashMap<(u32, Box<[u8]>), Watch, RandomState>,
}

#[derive(Debug, Default)]
struct Watch {
    /// How many sessions watch it.
    sessions: usize,
    version: u64,
}

/// A database and a key, to look up without a copy of the key.
#[derive(Hash)]
struct Name<'k>(u32, &'k [u8]);

impl Equivalent<(u32, Box<[u8]>)> for Name<'_> {
    fn equivalent(&self, (db, key): &(u32, Box<[u8]>)) -> bool {
        self.0 == *db && *self.1 == **key
    }
}

impl Watches {
    /// Begins to watch a key; returns its version.
    pub(super) fn watch(&mut self, db: u32, key: &[u8]) -> u64 {
        let watch = self.keys.entry((db, key.into())).or_default();
        watch.sessions += 1;
        watch.version
    }

    /// Ends one session's watch.
    pub(super) fn unwatch(&mut self, db: u32, key: &[u8]) {
        let name = Name(db, key);
        if let Some(watch) = self.keys.get_mut(&name) {
            watch.sessions -= 1;
            if watch.sessions == 0 {
                self.keys.remove(&name);
            }
        }
    }

    /// The version of a watched key.
    pub(super) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        self.keys.get(&Name(db, key)).map(|watch| watch.version)
    }

    /// Notes a change of a key.
    #[inline]
    pub(super) fn changed(&mut self, db: u32, key: &[u8]) {
        if !self.keys.is_empty()
            && let Some(watch) = self.keys.get_mut(&Name(db, key))
        {
            watch.version += 1;
        }
    }

    /// The watched keys, each with its database.
    pub(super) fn keys(&self) -> Vec<(u32, Box<[u8]>)> {
        self.keys.keys().cloned().collect()
    }

    /// Notes a change of all watched keys to which `touched` says yes.
    pub(super) fn changed_all(&mut self, touched: impl Fn(u32, &[u8]) -> bool) {
        for ((db, key), watch) in &mut self.keys {
            watch.version += u64::from(touched(*db, key));
        }
    }
}
