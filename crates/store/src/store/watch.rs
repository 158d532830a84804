//! The watched keys of sessions.

use ahash::RandomState;
use hashbrown::{Equivalent, HashMap};

/// The watched keys of a stripe, each with a version that every change increments.
///
/// Usually there are none, and then a write needs one branch.
#[derive(Debug, Default)]
pub(super) struct Watches {
    keys: HashMap<(u32, Box<[u8]>), Watch, RandomState>,
}

#[derive(Debug, Default)]
struct Watch {
    /// The number of sessions that watch the key.
    sessions: usize,
    version: u64,
}

/// A database and a key, for look-ups without a copy of the key.
#[derive(Hash)]
struct Name<'k>(u32, &'k [u8]);

impl Equivalent<(u32, Box<[u8]>)> for Name<'_> {
    fn equivalent(&self, (db, key): &(u32, Box<[u8]>)) -> bool {
        self.0 == *db && *self.1 == **key
    }
}

impl Watches {
    /// Starts watching a key; returns its version.
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

    /// Returns the version of a watched key.
    pub(super) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        self.keys.get(&Name(db, key)).map(|watch| watch.version)
    }

    /// Increments the version of a key, if it is watched.
    #[inline]
    pub(super) fn changed(&mut self, db: u32, key: &[u8]) {
        if !self.keys.is_empty()
            && let Some(watch) = self.keys.get_mut(&Name(db, key))
        {
            watch.version += 1;
        }
    }

    /// The watched keys with their databases.
    pub(super) fn keys(&self) -> Vec<(u32, Box<[u8]>)> {
        self.keys.keys().cloned().collect()
    }

    /// Increments the versions of all watched keys for which `touched` returns true.
    pub(super) fn changed_all(&mut self, touched: impl Fn(u32, &[u8]) -> bool) {
        for ((db, key), watch) in &mut self.keys {
            watch.version += u64::from(touched(*db, key));
        }
    }
}
