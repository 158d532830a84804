//! Loading keys into stripes that no handle can access yet.

use std::io::Read;

use rdb::{Attributes, Reader, Record, ValueType};

use super::error::LoadError;
use super::options::LoadReport;
use crate::key::Key;
use crate::persist::Extras;
use crate::persist::value::{self, Fault, Loaded};
use crate::store::stripe::{LoadedKey, Stripe};
use crate::store::{CommandTime, Shared};
use crate::sync::Mutex;
use crate::table::keys::{Entry, KeyBucket};

/// The number of bytes of a file per key for which space is reserved: a declared number of keys allocates at most a few
/// times the length of the file.
const BYTES: usize = 16;

/// Keys that wait for their stripe. Its lock is then taken once for all of them, and the cache misses of their buckets
/// overlap: with a lock per key, each would wait for the previous one to be written.
const WAITING: usize = 32;

/// The stripes that are filled, by one thread or by several.
pub(super) struct Stripes<'s> {
    shared: &'s Shared,
    locks: Vec<Mutex<Stripe>>,
    now_ms: i64,
    /// Whether expired keys are loaded too.
    keeps_expired: bool,
    /// The maximum number of keys that wait for a stripe.
    waiting: usize,
}

/// A key that was read.
struct Pending {
    db: u32,
    loaded: LoadedKey,
    /// The offset of its value in the file.
    offset: u64,
}

/// What one thread has read so far.
pub(super) struct Tally {
    pub(super) report: LoadReport,
    pub(super) extras: Extras,
    /// Keys that are not yet in a stripe, by stripe.
    pending: Vec<Vec<Pending>>,
}

/// The attributes before a value.
struct Head {
    key: Vec<u8>,
    kind: ValueType,
    attributes: Attributes,
    metadata: Vec<u8>,
}

impl Tally {
    /// Adds what another thread has read.
    pub(super) fn add(&mut self, other: Self) {
        self.report.add(&other.report);
        self.extras.merge(other.extras);
    }
}

impl<'s> Stripes<'s> {
    /// Creates empty stripes; `in_order` if keys are to be added in the order in which they are read. Expired keys are
    /// kept if a log is replayed after the file.
    pub(super) fn new(shared: &'s Shared, in_order: bool) -> Self {
        let keeps_expired = shared.is_replaying();
        let locks = shared.empty_stripes().into_iter().map(Mutex::new).collect();
        let waiting = if in_order { 1 } else { WAITING };
        Self { shared, locks, now_ms: shared.clock().now_ms(), keeps_expired, waiting }
    }

    /// Creates an empty tally.
    pub(super) fn tally(&self) -> Tally {
        let pending = self.locks.iter().map(|_| Vec::new()).collect();
        Tally { report: LoadReport::default(), extras: Extras::default(), pending }
    }

    pub(super) fn into_inner(self) -> Vec<Stripe> {
        self.locks.into_iter().map(Mutex::into_inner).collect()
    }

    /// Reads the keys of a database from a batch of a file.
    pub(super) fn read_batch(
        &self,
        db: u32,
        mut batch: Reader<impl Read>,
        tally: &mut Tally,
    ) -> Result<(), LoadError> {
        while let Some(record) = batch.next_record()? {
            if let Record::Key { key, attributes, metadata, kind } = record {
                let head = Head { key, kind, attributes, metadata };
                self.read_key(db, head, &mut batch, tally)?;
            }
        }
        Ok(())
    }

    /// Adds a record of a file, and reads the value of a key.
    pub(super) fn read_record(
        &self,
        record: Record,
        reader: &mut Reader<impl Read>,
        db: &mut u32,
        tally: &mut Tally,
    ) -> Result<(), LoadError> {
        if let Record::SelectDb(number) = record {
            *db = number;
        }
        if let Record::Key { key, attributes, metadata, kind } = record {
            let head = Head { key, kind, attributes, metadata };
            return self.read_key(*db, head, reader, tally);
        }
        if let Record::ResizeDb { keys, .. } = record {
            self.reserve(*db, reader.plausible(keys.saturating_mul(BYTES as u64)));
        }
        tally.extras.take(*db, record);
        Ok(())
    }

    /// Reserves space for the keys of a database that a file of that many bytes may have.
    fn reserve(&self, db: u32, bytes: usize) {
        let each = bytes / BYTES / self.locks.len();
        let bits = self.shared.stripe_bits();
        self.locks.iter().for_each(|stripe| stripe.lock().reserve(db, each, bits));
    }

    /// Reads the value of a key.
    fn read_key(
        &self,
        db: u32,
        Head { key, kind, attributes, metadata }: Head,
        reader: &mut Reader<impl Read>,
        tally: &mut Tally,
    ) -> Result<(), LoadError> {
        let (key, offset) = (&key[..], reader.offset());
        let read = reader.value().map_err(Fault::Bytes);
        let value = match read
            .and_then(|read| value::load(read, self.shared, &CommandTime::new(self.shared.time())))
        {
            Ok(Loaded::Value(value)) => value,
            Ok(Loaded::Empty) => {
                tally.report.empty += 1;
                return Ok(());
            }
            Err(fault) => return Err(LoadError::at(key, offset, fault)),
        };
        let expires = attributes.expire_at_ms;
        if !self.keeps_expired && expires.is_some_and(|at| at <= self.now_ms) {
            tally.report.expired += 1;
            return Ok(());
        }
        let now = u32::try_from(self.now_ms / 1000).unwrap_or(0);
        let accessed = KeyBucket::accessed_before(now, attributes.idle_s.unwrap_or(0));
        let hash = self.shared.hash(key);
        // Valkey's type is noted as such: what is saved stays with Valkey.
        if let Some(newer) = value.newer_kind() {
            tally.extras.take_kind(if kind == ValueType::ValkeyHashTtl { kind } else { newer });
        }
        tally.extras.take_use(db, hash, attributes);
        tally.extras.take_metadata(db, key, metadata);
        tally.report.keys += 1;
        let entry = Entry { key: Key::new(key), value };
        let loaded = LoadedKey { hash, entry, expires, accessed };
        let stripe = self.shared.stripe_of(hash);
        let pending = &mut tally.pending[stripe];
        pending.push(Pending { db, loaded, offset });
        if pending.len() < self.waiting { Ok(()) } else { self.put(stripe, pending) }
    }

    /// Adds all waiting keys to their stripes.
    ///
    /// # Errors
    ///
    /// The error of the first duplicate key in the file.
    pub(super) fn finish(&self, tally: &mut Tally) -> Result<(), LoadError> {
        let errors = tally
            .pending
            .iter_mut()
            .enumerate()
            .filter_map(|(stripe, pending)| self.put(stripe, pending).err());
        errors.min_by_key(LoadError::offset).map_or(Ok(()), Err)
    }

    fn put(&self, stripe: usize, pending: &mut Vec<Pending>) -> Result<(), LoadError> {
        let mut stripe = self.locks[stripe].lock();
        // All of them are prefetched before the first is written, so that the cache misses overlap.
        stripe.prefetch_rooms(pending.iter().map(|key| (key.db, key.loaded.hash)));
        let mut first = Ok(());
        for Pending { db, loaded, offset } in pending.drain(..) {
            if let Err(key) = stripe.load(self.shared, db, loaded) {
                // In the order of the file.
                first = first.and(Err(LoadError::twice(key.as_bytes(), offset)));
            }
        }
        first
    }
}
