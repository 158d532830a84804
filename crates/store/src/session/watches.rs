//! The watched keys of a session.

use crate::error::Result;
use crate::store::{Store, Tx};

/// The watched keys of a session. Dropping them ends the watches.
#[derive(Debug)]
pub(super) struct Watches {
    store: Store,
    pub(super) keys: Vec<Watched>,
}

/// A watched key and its version at the start of the watch.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) db: u32,
    pub(super) key: Box<[u8]>,
    version: u64,
}

impl Watches {
    pub(super) fn new(store: &Store) -> Self {
        Self { store: store.clone(), keys: Vec::new() }
    }

    pub(super) fn add(&mut self, db: u32, key: &[u8]) {
        if !self.keys.iter().any(|watched| watched.db == db && *watched.key == *key) {
            let version = self.store.shared().watch(db, key);
            self.keys.push(Watched { db, key: key.into(), version });
        }
    }

    pub(super) fn clear(&mut self) {
        for watched in self.keys.drain(..) {
            self.store.shared().unwatch(watched.db, &watched.key);
        }
    }

    /// Returns whether one of the keys has changed, so that EXEC must not run.
    pub(super) fn have_changed(&self) -> Result<bool> {
        if self.keys.is_empty() {
            return Ok(false);
        }
        let keys: Vec<&[u8]> = self.keys.iter().map(|watched| &*watched.key).collect();
        let changed = |tx: &Tx<'_>| Ok(self.keys.iter().any(|one| !one.is_unchanged(tx)));
        self.store.with_locks(Some(&keys), changed)
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Watched {
    pub(super) fn is_unchanged(&self, tx: &Tx<'_>) -> bool {
        tx.locks.version(self.db, &self.key) == Some(self.version)
    }
}
