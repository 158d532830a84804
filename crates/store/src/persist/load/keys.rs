//! The keys of a file, on their way into stripes that no handle sees yet.

use std::io::Read;

use parking_lot::Mutex;
use rdb::{Attributes, Reader, Record};

use super::error::LoadError;
use super::options::LoadReport;
use crate::key::HashedKey;
use crate::persist::Extras;
use crate::persist::value::{self, Fault, Loaded};
use crate::store::Shared;
use crate::store::stripe::Stripe;
use crate::value::Value;

/// The stripes that are filled, by one thread or by several.
pub(super) struct Stripes<'s> {
    shared: &'s Shared,
    stripes: Vec<Mutex<Stripe>>,
    now_ms: i64,
}

/// What one thread has read so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) report: LoadReport,
    pub(super) extras: Extras,
}

impl Tally {
    /// Takes what another thread has read.
    pub(super) fn add(&mut self, other: Self) {
        self.report.add(&other.report);
        self.extras.merge(other.extras);
    }
}

impl<'s> Stripes<'s> {
    pub(super) fn new(shared: &'s Shared) -> Self {
        let stripes = shared.empty_stripes().into_iter().map(Mutex::new).collect();
        Self { shared, stripes, now_ms: shared.clock().now_ms() }
    }

    pub(super) fn into_inner(self) -> Vec<Stripe> {
        self.stripes.into_iter().map(Mutex::into_inner).collect()
    }

    /// Reads the keys of a database, as far as they go, from a piece of a file.
    pub(super) fn read_piece(
        &self,
        db: u32,
        mut piece: Reader<impl Read>,
        tally: &mut Tally,
    ) -> Result<(), LoadError> {
        while let Some(record) = piece.next_record()? {
            if let Record::Key { key, attributes, .. } = record {
                self.read_key(db, &key, attributes, &mut piece, tally)?;
            }
        }
        Ok(())
    }

    /// Takes a record of a file, and reads the value of a key.
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
        if let Record::Key { key, attributes, .. } = record {
            return self.read_key(*db, &key, attributes, reader, tally);
        }
        tally.extras.take(*db, record);
        Ok(())
    }

    /// Reads the value of a key.
    fn read_key(
        &self,
        db: u32,
        key: &[u8],
        attributes: Attributes,
        reader: &mut Reader<impl Read>,
        tally: &mut Tally,
    ) -> Result<(), LoadError> {
        let at = reader.offset();
        let read = reader.value().map_err(Fault::Bytes);
        let value = match read.and_then(|read| value::load(read, self.shared)) {
            Ok(Loaded::Value(value)) => value,
            Ok(Loaded::Empty) => {
                tally.report.empty += 1;
                return Ok(());
            }
            Err(fault) => return Err(LoadError::at(key, at, fault)),
        };
        if attributes.expire_at_ms.is_some_and(|at| at <= self.now_ms) {
            tally.report.expired += 1;
            return Ok(());
        }
        let idle = attributes.idle_s.and_then(|idle| i64::try_from(idle).ok()).unwrap_or(0);
        let accessed = u32::try_from((self.now_ms / 1000).saturating_sub(idle)).unwrap_or(0);
        let hashed = HashedKey::new(self.shared.hash(key), key);
        if let Value::Opaque(value) = &value {
            tally.extras.take_kind(value.kind());
        }
        tally.extras.take_use(db, hashed.hash, attributes);
        tally.report.keys += 1;
        let mut stripe = self.stripes[self.shared.stripe_of(hashed.hash)].lock();
        if stripe.load(self.shared, db, hashed, value, attributes.expire_at_ms, accessed) {
            Ok(())
        } else {
            Err(LoadError::twice(key, at))
        }
    }
}
