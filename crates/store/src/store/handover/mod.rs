//! Snapshots concurrent with writers: what a keyspace hands over, and what a writer keeps for it.
//!
//! # Idea
//!
//! At the snapshot's point in time every keyspace flips its mark (see [`Keyspace`](super::keyspace::Keyspace)). From
//! then on each key with the old mark is handed over exactly once:
//!
//! * by the snapshot, which scans the tables in hash order, a part at a time, under the lock of the stripe;
//! * or by the first writer that is about to change it, which stores its old form for the snapshot to fetch.
//!
//! A large value is handed over in chunks, by the snapshot or a writer. Its [`Large`] notes which part of the value is
//! done. A writer keeps the old form of what it changes in the other part.
//!
//! The order of keys in a file, and of members in a set, a sorted set or a hash, does not matter, so kept entries can
//! be written at any position.

mod bloom;
mod bytes;
mod entry;
mod large;
mod members;
mod nodes;
mod shared;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use rdb::{BatchWriter, WriteOptions};

pub(crate) use bloom::BloomPart;
pub(crate) use bytes::BytesPart;
pub(crate) use entry::Change;
pub(crate) use large::{Large, Origin, Part};
pub(crate) use members::{MemberChunk, MemberKind, MembersPart};
pub(crate) use nodes::{KeptNode, NodesPart};
pub(crate) use shared::Begun;
pub(crate) use walk::{Ended, Step};

use super::keyspace::Keyspace;
use crate::persist::{Records, SaveError};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::value::Value;

/// The approximate number of bytes that are handed over under one lock acquisition.
pub(crate) const CHUNK: usize = 32 << 10;

/// The state that all keyspaces share while a snapshot runs.
#[derive(Debug)]
pub(crate) struct Run {
    /// How keys are written.
    pub(crate) records: Records,
    /// How writers write them: without compression, which takes the most time.
    kept: WriteOptions,
    /// Large values that are no longer in any keyspace.
    owned: Mutex<Vec<Owned>>,
    /// Keyspaces that were dropped before all of their keys were handed over.
    dropped: Mutex<Vec<Keyspace>>,
    /// Why a writer could not keep a value.
    failed: Mutex<Option<SaveError>>,
    /// How many large values are begun and not yet handed over.
    large: AtomicUsize,
    next_id: AtomicU64,
    /// How many keys are handed over, or begun.
    keys: AtomicU64,
    /// Whether the snapshot has ended.
    ended: AtomicBool,
}

/// A large value that only the snapshot has.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(crate) large: Large,
    pub(crate) value: Value,
}

impl Run {
    pub(crate) fn new(records: Records, options: WriteOptions) -> Self {
        Self {
            records,
            kept: WriteOptions { compression: false, ..options },
            owned: Mutex::default(),
            dropped: Mutex::default(),
            failed: Mutex::default(),
            large: AtomicUsize::new(0),
            next_id: AtomicU64::new(0),
            keys: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// The number of keys that are handed over, or begun.
    pub(crate) fn keys(&self) -> u64 {
        self.keys.load(Ordering::Relaxed)
    }

    fn count_key(&self) {
        self.keys.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the handover. Values that were owned are dropped, since they keep a reference to this.
    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.owned.lock().clear();
        self.dropped.lock().clear();
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// The number of large values that are begun and not yet handed over.
    pub(crate) fn large_left(&self) -> usize {
        self.large.load(Ordering::Acquire)
    }

    /// Notes that a large value is handed over.
    pub(crate) fn large_done(&self) {
        self.large.fetch_sub(1, Ordering::Release);
    }

    /// Takes a large value that is no longer in any keyspace: the given one, or any.
    pub(crate) fn take_owned(&self, id: Option<u64>) -> Option<Owned> {
        let mut owned = self.owned.lock();
        let at = owned.iter().position(|owned| id.is_none_or(|id| owned.large.id() == id))?;
        Some(owned.swap_remove(at))
    }

    /// Takes a keyspace that was dropped.
    pub(crate) fn take_dropped(&self) -> Option<Keyspace> {
        self.dropped.lock().pop()
    }

    /// Takes the error of a writer that could not keep a value.
    pub(crate) fn take_failure(&self) -> Option<SaveError> {
        self.failed.lock().take()
    }

    fn own(&self, large: Large, value: Value) {
        let mut owned = self.owned.lock();
        if !self.has_ended() {
            owned.push(Owned { large, value });
        }
    }

    fn fail(&self, error: SaveError) {
        self.failed.lock().get_or_insert(error);
    }
}

/// What a keyspace has not yet handed over.
#[derive(Debug)]
pub(crate) struct Handover {
    run: Arc<Run>,
    /// `None` once all of its keys are handed over or [large](Self::large).
    walk: Option<Walk>,
    /// Large values that are begun, by their current names.
    large: HashMap<Box<[u8]>, Large, RandomState>,
}

/// The progress of the handover of a keyspace.
#[derive(Debug)]
struct Walk {
    /// The number of the database at the start.
    db: u32,
    /// The hash at which to continue.
    position: u64,
    /// What writers have kept.
    kept: BatchWriter,
}

impl Handover {
    fn new(run: &Arc<Run>, walk: Option<Walk>) -> Box<Self> {
        Box::new(Self { run: Arc::clone(run), walk, large: HashMap::default() })
    }
}

impl Keyspace {
    /// Returns whether a running snapshot may still need something of this keyspace.
    #[inline]
    pub(crate) const fn is_in_snapshot(&self) -> bool {
        self.handover.is_some()
    }

    /// Called when the keyspace is replaced: passes it to the snapshot that has not seen all of it, or returns it.
    pub(super) fn into_garbage(self) -> Option<Self> {
        if let Some(run) = self.handover.as_ref().map(|handover| Arc::clone(&handover.run)) {
            let mut dropped = run.dropped.lock();
            if !run.has_ended() {
                dropped.push(self);
                return None;
            }
        }
        Some(self)
    }
}
