//! The keys of a store as a file.

use std::io::Write;

use rdb::{Attributes, StandardAux, Target, ValueWriter, Writer};

use super::error::SaveError;
use super::options::SaveOptions;
use super::threads;
use super::version::lowest_version;
use crate::persist::{Extras, value};
use crate::store::Shared;
use crate::store::stripe::{Keyspace, Stripe};
use crate::table::keys::{Entry, KeyBucket, Position};

/// The version that a snapshot names as its writer: the oldest Redis that reads the default version of the format.
const REDIS_VER: &str = "7.0.0";

/// From so many bytes of memory on threads are worth their start.
const WORTH_THREADS: u64 = 8 << 20;

/// Writes the snapshot to anything that takes bytes.
pub(in crate::persist) fn write_rdb<W: Write>(
    shared: &Shared,
    stripes: &[&Stripe],
    output: W,
    options: SaveOptions,
) -> Result<W, SaveError> {
    let target = match options.version {
        Some(version) => version,
        None => lowest_version(&shared.extras().read(), stripes)?,
    };
    let write = options.for_version(target);
    let mut writer = Writer::new(output, write)?;
    let used_mem = stripes.iter().map(|stripe| stripe.heap_bytes() as u64).sum();
    let now_s = shared.clock().now_ms() / 1000;
    writer.standard_aux(&StandardAux {
        redis_ver: REDIS_VER,
        ctime_s: now_s,
        used_mem,
        aof_base: false,
    })?;
    let extras = shared.extras().read();
    extras.write_before(&mut writer)?;
    let threads = if used_mem < WORTH_THREADS { 1 } else { options.threads };
    let mut databases: Vec<u32> = stripes.iter().flat_map(|stripe| stripe.databases()).collect();
    databases.sort_unstable();
    databases.dedup();
    for db in databases {
        let database = Database { db, stripes, shared, extras: &extras, now_s };
        database.write_head(&mut writer, target)?;
        if threads > 1 {
            threads::write(&database, &mut writer, write, threads)?;
        } else {
            database.write_keys(&mut writer)?;
        }
    }
    extras.write_after(&mut writer, target)?;
    Ok(writer.finish()?)
}

/// The keys of one database.
pub(super) struct Database<'s> {
    db: u32,
    stripes: &'s [&'s Stripe],
    shared: &'s Shared,
    extras: &'s Extras,
    now_s: i64,
}

impl<'s> Database<'s> {
    pub(super) fn buckets(&self) -> impl Iterator<Item = &'s KeyBucket> + use<'s> {
        let db = self.db;
        let keyspaces = self.stripes.iter().filter_map(move |stripe| stripe.keyspace(db));
        keyspaces.flat_map(Keyspace::buckets)
    }

    fn write_head<W: Write>(
        &self,
        writer: &mut Writer<W>,
        target: Target,
    ) -> Result<(), SaveError> {
        writer.select_db(self.db)?;
        let keyspaces = self.stripes.iter().filter_map(|stripe| stripe.keyspace(self.db));
        let keys: usize = keyspaces.map(Keyspace::len).sum();
        let expires: usize = self.buckets().map(KeyBucket::expiring).sum();
        writer.resize_db(keys as u64, expires as u64)?;
        Ok(self.extras.write_db(writer, self.db, target)?)
    }

    fn write_keys<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), SaveError> {
        for bucket in self.buckets() {
            for at in bucket.positions() {
                let entry = bucket.entry(at);
                let key = entry.key.as_bytes();
                self.write_value(entry, writer.key(key, self.attributes(bucket, at)))?;
            }
        }
        Ok(())
    }

    /// What a file holds of a key beside its value: when it was used only if the file that was loaded did so too, as
    /// servers do that evict by it.
    pub(super) fn attributes(&self, bucket: &KeyBucket, at: Position) -> Attributes {
        let mut attributes =
            Attributes { expire_at_ms: bucket.expires_at(at), ..Attributes::default() };
        if self.extras.has_use() {
            let hash = self.shared.hash(bucket.entry(at).key.as_bytes());
            attributes.freq = self.extras.frequency(self.db, hash);
            if attributes.freq.is_none() && self.extras.has_idle_times() {
                let idle = self.now_s - i64::from(bucket.accessed(at));
                attributes.idle_s = Some(u64::try_from(idle).unwrap_or(0));
            }
        }
        attributes
    }

    /// Writes the value of a key, and before it what modules store with the key.
    pub(super) fn write_value<'w, W: Write>(
        &'w self,
        entry: &Entry,
        writer: ValueWriter<'w, W>,
    ) -> Result<(), SaveError> {
        let key = entry.key.as_bytes();
        let writer = writer.metadata(self.extras.metadata(self.db, key));
        value::write(&entry.value, writer).map_err(|fault| SaveError::at(key, fault))
    }
}
