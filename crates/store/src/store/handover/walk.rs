//! Scans the keys of a keyspace.

use std::sync::Arc;

use extendible::Extendible;
use rdb::{Attributes, Batch, BatchWriter};

use super::{CHUNK, Handover, Large, Origin, Part, Run, Walk};
use crate::key::HashedKey;
use crate::persist::SaveError;
use crate::store::Shared;
use crate::store::keyspace::Keyspace;
use crate::table::keys::{Entry, KeyBucket, Position};
use crate::value::Value;

/// The number of buckets that are visited under one lock acquisition.
const BUCKETS: usize = 64;

/// The result of one step.
pub(crate) enum Step {
    /// There are more keys.
    More,
    /// The value of a key is large: the key, and the id of its [`Large`].
    Large(Box<[u8]>, u64),
    /// All keys are handed over.
    Done,
}

impl Handover {
    /// Keeps a key before its first change.
    pub(super) fn keep_first(&mut self, shared: &Shared, bucket: &KeyBucket, place: Position) {
        let Some(walk) = &mut self.walk else { return };
        self.run.count_key();
        let records = &self.run.records;
        let entry = bucket.entry(place);
        let attributes = records.attributes(shared, walk.db, bucket, place);
        if let Some(large) = begun(&self.run, walk.db, entry, attributes) {
            self.large.insert(entry.key.as_bytes().into(), large);
        } else {
            let writer = walk.kept.key(entry.key.as_bytes(), attributes);
            if let Err(error) = records.write(walk.db, entry, writer) {
                self.run.fail(error);
            }
        }
    }
}

impl Keyspace {
    /// Starts the handover: everything that the keyspace contains now is to be handed over.
    pub(crate) fn begin_handover(&mut self, run: &Arc<Run>, db: u32, first_hash: u64) {
        debug_assert!(self.handover.is_none(), "one snapshot runs at a time");
        if self.is_empty() {
            return;
        }
        self.mark = !self.mark;
        let walk = Walk { db, position: first_hash, kept: BatchWriter::new(run.kept) };
        self.handover = Some(Handover::new(run, Some(walk)));
    }

    /// The number, at the start, of the database whose keys are not yet all handed over.
    pub(crate) fn handover_db(&self) -> Option<u32> {
        Some(self.handover.as_ref()?.walk.as_ref()?.db)
    }

    /// Writes the next keys to `out`, together with those that writers have kept.
    pub(crate) fn hand_over(
        &mut self,
        shared: &Shared,
        out: &mut BatchWriter,
    ) -> Result<(Step, Option<Batch>), SaveError> {
        let (table, mark, handover) = self.parts();
        let Some(Handover { run, walk: slot, large }) = handover.as_deref_mut() else {
            return Ok((Step::Done, None));
        };
        let Some(walk) = slot else { return Ok((Step::Done, None)) };
        let kept = walk.kept.take()?;
        for _ in 0..BUCKETS {
            let db = walk.db;
            let Some(bucket) = table.bucket_mut(walk.position) else {
                // The last key is done.
                *slot = None;
                return Ok((Step::Done, kept));
            };
            for at in bucket.positions() {
                if bucket.mark(at) == mark {
                    continue;
                }
                bucket.set_mark(at, mark);
                run.count_key();
                let entry = bucket.entry(at);
                let attributes = run.records.attributes(shared, db, bucket, at);
                if let Some(begun) = begun(run, db, entry, attributes) {
                    let (name, id) = (Box::from(entry.key.as_bytes()), begun.id());
                    large.insert(Box::clone(&name), begun);
                    return Ok((Step::Large(name, id), kept));
                }
                run.records.write(db, entry, out.key(entry.key.as_bytes(), attributes))?;
                if out.offset() >= CHUNK as u64 {
                    return Ok((Step::More, kept));
                }
            }
            let Some(next) = after(shared, table, walk.position) else {
                *slot = None;
                return Ok((Step::Done, kept));
            };
            walk.position = next;
        }
        Ok((Step::More, kept))
    }

    /// Discards the pending handover of some buckets; returns `false` once nothing is left.
    pub(crate) fn give_up(&mut self, shared: &Shared) -> bool {
        let (table, mark, handover) = self.parts();
        let Some(walk) = handover.as_mut().and_then(|handover| handover.walk.as_mut()) else {
            *handover = None;
            return false;
        };
        for _ in 0..BUCKETS {
            if let Some(bucket) = table.bucket_mut(walk.position) {
                for at in bucket.positions() {
                    bucket.set_mark(at, mark);
                }
            }
            let Some(next) = after(shared, table, walk.position) else {
                *handover = None;
                return false;
            };
            walk.position = next;
        }
        true
    }

    /// Calls `work` with the state of a large value, given by its id or any, and the value; ends its handover if `work`
    /// returns `false`.
    pub(crate) fn with_large<R>(
        &mut self,
        shared: &Shared,
        key: &[u8],
        id: u64,
        work: impl FnOnce(&mut Large, &mut Value) -> (R, Ended),
    ) -> Option<(R, Option<Large>)> {
        let (table, _, handover) = self.parts();
        let large = &mut handover.as_deref_mut()?.large;
        let begun = large.get_mut(key).filter(|begun| begun.id() == id)?;
        let hash = shared.hash(key);
        let bucket = table.bucket_mut(hash)?;
        let place = bucket.find(HashedKey::new(hash, key))?;
        let (result, ended) = work(begun, bucket.value_mut(place));
        let ended = if ended.0 { large.remove(key) } else { None };
        Some((result, ended))
    }

    /// The key of a large value, if it is in this keyspace.
    pub(crate) fn key_of_large(&self, id: u64) -> Option<Box<[u8]>> {
        let mut all = self.handover.as_ref()?.large.iter();
        all.find(|(_, large)| large.id() == id).map(|(key, _)| key.clone())
    }

    /// Any large value that is begun in this keyspace: its key and its id.
    pub(crate) fn any_large(&self) -> Option<(Box<[u8]>, u64)> {
        let (key, large) = self.handover.as_ref()?.large.iter().next()?;
        Some((key.clone(), large.id()))
    }
}

/// Whether a large value is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended(pub(crate) bool);

/// The first hash of the next bucket of a stripe.
fn after(shared: &Shared, table: &Extendible<KeyBucket>, position: u64) -> Option<u64> {
    let next = table.step(position, usize::MAX).next();
    next.filter(|&next| shared.stripe_of(next) == shared.stripe_of(position))
}

/// Starts the handover of an entry's value in chunks, if it is large.
fn begun(run: &Arc<Run>, db: u32, entry: &Entry, attributes: Attributes) -> Option<Large> {
    let part = Part::of(&entry.value, run.kept.target)?;
    Some(Large::new(run, Origin { db, key: entry.key.clone(), attributes }, part))
}
