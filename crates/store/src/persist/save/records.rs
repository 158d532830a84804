//! The records before the value of a key in a file.

use std::io::Write;
use std::sync::Arc;

use rdb::{Attributes, ValueWriter};

use super::error::SaveError;
use crate::persist::{Extras, value};
use crate::store::Shared;
use crate::table::keys::{Entry, KeyBucket, Position};

/// Attributes of keys that are not in the tables, at the time of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub(super) extras: Arc<Extras>,
    /// In seconds since the epoch.
    now_s: i64,
}

impl Records {
    /// Of the present time.
    pub(in crate::persist) fn new(shared: &Shared) -> Self {
        let extras = Arc::clone(&shared.extras().read());
        Self { extras, now_s: shared.clock().now_ms() / 1000 }
    }

    pub(super) const fn now_s(&self) -> i64 {
        self.now_s
    }

    /// The attributes of a key in a file: access statistics only if the loaded file had them too, as with servers that
    /// evict by them.
    pub(crate) fn attributes(
        &self,
        shared: &Shared,
        db: u32,
        bucket: &KeyBucket,
        at: Position,
    ) -> Attributes {
        let mut attributes =
            Attributes { expire_at_ms: bucket.expires_at(at), ..Attributes::default() };
        if self.extras.has_use() {
            let hash = shared.hash(bucket.entry(at).key.as_bytes());
            attributes.freq = self.extras.frequency(db, hash);
            if attributes.freq.is_none() && self.extras.has_idle_times() {
                let now = u32::try_from(self.now_s).unwrap_or(0);
                attributes.idle_s = Some(u64::from(bucket.idle_secs(at, now)));
            }
        }
        attributes
    }

    /// Writes the data of modules for a key before the key.
    pub(crate) fn with_metadata<'w, W: Write>(
        &'w self,
        db: u32,
        key: &[u8],
        writer: ValueWriter<'w, W>,
    ) -> ValueWriter<'w, W> {
        writer.metadata(self.extras.metadata(db, key))
    }

    /// Writes the value of a key, preceded by the data of modules for the key.
    pub(crate) fn write<'w, W: Write>(
        &'w self,
        db: u32,
        entry: &Entry,
        writer: ValueWriter<'w, W>,
    ) -> Result<(), SaveError> {
        let key = entry.key.as_bytes();
        let writer = self.with_metadata(db, key, writer);
        value::write(&entry.value, writer).map_err(|fault| SaveError::at(key, fault))
    }
}
