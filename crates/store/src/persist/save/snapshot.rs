//! Writing the keys of a store to a file.

use std::io::Write;

use rdb::{Attributes, StandardAux, Target, ValueWriter, Writer};

use super::error::SaveError;
use super::options::SaveOptions;
use super::records::Records;
use super::threads;
use super::version::lowest_version;
use crate::store::Shared;
use crate::store::stripe::Stripe;
use crate::table::keys::{Entry, KeyBucket, Position};

/// The version that a snapshot states as its writer: the oldest Redis that reads the default version of the format.
const REDIS_VER: &str = "7.0.0";

/// The memory of the store from which on threads are worth their start.
const WORTH_THREADS: u64 = 8 << 20;

/// Writes the snapshot to any writer.
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
    let records = Records::new(shared);
    write_aux(&mut writer, &records, used_mem, false)?;
    records.extras.write_before(&mut writer)?;
    let threads = if used_mem < WORTH_THREADS { 1 } else { options.threads };
    let mut databases: Vec<u32> = stripes.iter().flat_map(|stripe| stripe.databases()).collect();
    databases.sort_unstable();
    databases.dedup();
    for db in databases {
        let database = Database { db, stripes, shared, records: &records };
        database.write_head(&mut writer, target)?;
        if threads > 1 {
            threads::write(&database, &mut writer, write, threads)?;
        } else {
            database.write_keys(&mut writer)?;
        }
    }
    records.extras.write_after(&mut writer, target)?;
    Ok(writer.finish()?)
}

/// Writes the facts at the start of a file.
pub(super) fn write_aux<W: Write>(
    writer: &mut Writer<W>,
    records: &Records,
    used_mem: u64,
    aof_base: bool,
) -> Result<(), SaveError> {
    let ctime_s = records.now_s();
    Ok(writer.standard_aux(&StandardAux { redis_ver: REDIS_VER, ctime_s, used_mem, aof_base })?)
}

/// The keys of one database.
pub(super) struct Database<'s> {
    db: u32,
    stripes: &'s [&'s Stripe],
    shared: &'s Shared,
    records: &'s Records,
}

impl<'s> Database<'s> {
    pub(super) fn buckets(&self) -> impl Iterator<Item = &'s KeyBucket> + use<'s> {
        let db = self.db;
        let keyspaces = self.stripes.iter().filter_map(move |stripe| stripe.keyspace(db));
        keyspaces.flat_map(|keyspace| keyspace.buckets())
    }

    fn write_head<W: Write>(
        &self,
        writer: &mut Writer<W>,
        target: Target,
    ) -> Result<(), SaveError> {
        writer.select_db(self.db)?;
        let keyspaces = self.stripes.iter().filter_map(|stripe| stripe.keyspace(self.db));
        let keys: usize = keyspaces.map(|keyspace| keyspace.len()).sum();
        let expires: usize = self.buckets().map(KeyBucket::expiring).sum();
        writer.resize_db(keys as u64, expires as u64)?;
        Ok(self.records.extras.write_db(writer, self.db, target)?)
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

    pub(super) fn attributes(&self, bucket: &KeyBucket, at: Position) -> Attributes {
        self.records.attributes(self.shared, self.db, bucket, at)
    }

    /// Writes the value of a key.
    pub(super) fn write_value<'w, W: Write>(
        &'w self,
        entry: &Entry,
        writer: ValueWriter<'w, W>,
    ) -> Result<(), SaveError> {
        self.records.write(self.db, entry, writer)
    }
}
