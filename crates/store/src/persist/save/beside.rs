//! Snapshots concurrent with writers: writes keys to a file as they are handed over.

use std::io::{self, Write};
use std::sync::Arc;

use rdb::{Batch, BatchWriter, Target, WriteError, WriteOptions, Writer};

use super::background::SaveProgress;
use super::error::SaveError;
use super::large::{Place, write_large};
use super::options::SaveOptions;
use super::records::Records;
use super::snapshot::write_aux;
use super::version::lowest_for;
use crate::store::Shared;
use crate::store::handover::{Begun, Run, Step};
use crate::store::keyspace::Keyspace;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The progress of a snapshot, and its cancellation.
#[derive(Debug, Default)]
pub(crate) struct Control {
    keys: AtomicU64,
    done: AtomicU64,
    bytes: AtomicU64,
    cancelled: AtomicBool,
}

impl Control {
    /// Returns the progress.
    pub(crate) fn progress(&self) -> SaveProgress {
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        SaveProgress { keys: load(&self.keys), saved: load(&self.done), bytes: load(&self.bytes) }
    }

    /// Cancels the snapshot.
    pub(in crate::persist) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns an error if the snapshot was cancelled.
    pub(super) fn check(&self) -> Result<(), SaveError> {
        if self.cancelled.load(Ordering::Relaxed) {
            let error = io::Error::new(io::ErrorKind::Interrupted, "cancelled");
            return Err(WriteError::Io(error).into());
        }
        Ok(())
    }
}

/// Writes a snapshot of the time of the call, concurrently with writers; returns the number of changes so far.
///
/// `at_cut` runs at that point in time, while no command does.
pub(in crate::persist) fn write_beside<W: Write>(
    shared: &Shared,
    output: W,
    options: SaveOptions,
    aof_base: bool,
    control: &Control,
    at_cut: impl FnOnce() -> io::Result<()>,
) -> Result<(W, u64), SaveError> {
    let _one_at_a_time = shared.one_snapshot();
    let mut target = Target::default();
    let run = || {
        let records = Records::new(shared);
        target = options.version.map_or_else(|| lowest_for(&records.extras), Ok)?;
        Ok(Run::new(records, options.for_version(target)))
    };
    let begun = shared.begin_handover(run, || at_cut().map_err(|e| WriteError::Io(e).into()))?;
    let Begun { run, databases, changes } = begun;
    let source = Source { shared, run, dropped: Vec::new(), control };
    control.keys.store(databases.values().sum(), Ordering::Relaxed);
    let write = options.for_version(target);
    let mut writer = Writer::new(output, write)?;
    let records = &source.run.records.clone();
    // The types of the store's values are not known in advance: finding out would take as long as the snapshot.
    write_aux(&mut writer, records, 0, aof_base)?;
    records.extras.write_before(&mut writer)?;
    let mut snapshot = Snapshot { source, writer, write, batch: BatchWriter::new(write), db: None };
    for (&db, &keys) in &databases {
        snapshot.select(db)?;
        snapshot.writer.resize_db(keys, 0)?;
        records.extras.write_db(&mut snapshot.writer, db, target)?;
        for stripe in 0..shared.stripe_count() {
            snapshot.write_stripe(db, stripe)?;
        }
    }
    snapshot.write_rest()?;
    let Snapshot { mut writer, source, .. } = snapshot;
    drop(source);
    records.extras.write_after(&mut writer, target)?;
    Ok((writer.finish()?, changes))
}

/// The source of the keys.
pub(super) struct Source<'s> {
    pub(super) shared: &'s Shared,
    pub(super) run: Arc<Run>,
    /// Keyspaces that were dropped since the snapshot began, and are not yet written.
    pub(super) dropped: Vec<Keyspace>,
    pub(super) control: &'s Control,
}

impl Drop for Source<'_> {
    fn drop(&mut self) {
        self.shared.end_handover(&self.run);
    }
}

/// A snapshot that is being written.
struct Snapshot<'s, W> {
    source: Source<'s>,
    writer: Writer<W>,
    write: WriteOptions,
    /// What is handed over under one lock acquisition.
    batch: BatchWriter,
    /// The database of what was written last.
    db: Option<u32>,
}

impl<W: Write> Snapshot<'_, W> {
    fn select(&mut self, db: u32) -> Result<(), SaveError> {
        if self.db != Some(db) {
            self.writer.select_db(db)?;
            self.db = Some(db);
        }
        Ok(())
    }

    /// Writes the part of a database in one stripe, by its number at the start.
    fn write_stripe(&mut self, db: u32, stripe: usize) -> Result<(), SaveError> {
        let shared = self.source.shared;
        loop {
            let batch = &mut self.batch;
            let step = shared.in_stripe(stripe, |stripe| {
                let mut keyspaces = stripe.keyspaces_mut().map(|(_, keyspace)| keyspace);
                let keyspace = keyspaces.find(|keyspace| keyspace.handover_db() == Some(db));
                keyspace.map(|keyspace| keyspace.hand_over(shared, batch))
            });
            let Some((step, kept)) = step.transpose()? else { break };
            match self.write_step(db, step, kept)? {
                Next::More => {}
                Next::Large(key, id) => self.write_large(Place::Stripe(stripe, key), id)?,
                Next::Done => break,
            }
        }
        // Those that writers have begun.
        while let Some((key, id)) = any_large(shared, stripe) {
            self.write_large(Place::Stripe(stripe, key), id)?;
        }
        Ok(())
    }

    /// Writes what was handed over under one lock acquisition, after its release.
    fn write_step(&mut self, db: u32, step: Step, kept: Option<Batch>) -> Result<Next, SaveError> {
        let control = self.source.control;
        control.check()?;
        if let Some(failure) = self.source.run.take_failure() {
            return Err(failure);
        }
        self.select(db)?;
        for batch in [kept, self.batch.take()?].into_iter().flatten() {
            self.writer.batch(&batch)?;
        }
        control.done.store(self.source.run.keys(), Ordering::Relaxed);
        control.bytes.store(self.writer.offset(), Ordering::Relaxed);
        Ok(match step {
            Step::More => Next::More,
            Step::Large(key, id) => Next::Large(key, id),
            Step::Done => Next::Done,
        })
    }

    fn write_large(&mut self, mut place: Place, id: u64) -> Result<(), SaveError> {
        let origin = self.source.origin(&mut place, id)?;
        self.select(origin.db)?;
        write_large(&mut self.source, &mut self.writer, self.write, place, id)
    }

    /// Writes what is no longer in a keyspace of its database.
    fn write_rest(&mut self) -> Result<(), SaveError> {
        loop {
            self.source.take_dropped();
            self.write_dropped()?;
            if let Some(owned) = self.source.run.take_owned(None) {
                let id = owned.large.id();
                self.write_large(Place::Owned(Box::new(owned)), id)?;
                continue;
            }
            for stripe in 0..self.source.shared.stripe_count() {
                while let Some((key, id)) = any_large(self.source.shared, stripe) {
                    self.write_large(Place::Stripe(stripe, key), id)?;
                }
            }
            self.source.take_dropped();
            if self.source.run.large_left() == 0 && self.source.dropped.is_empty() {
                return Ok(());
            }
        }
    }

    fn write_dropped(&mut self) -> Result<(), SaveError> {
        let shared = self.source.shared;
        while let Some(at) = self.source.dropped.len().checked_sub(1) {
            let keyspace = &mut self.source.dropped[at];
            if let Some(db) = keyspace.handover_db() {
                let (step, kept) = keyspace.hand_over(shared, &mut self.batch)?;
                if let Next::Large(key, id) = self.write_step(db, step, kept)? {
                    self.write_large(Place::Dropped(at, key), id)?;
                }
            } else if let Some((key, id)) = keyspace.any_large() {
                self.write_large(Place::Dropped(at, key), id)?;
            } else {
                self.source.dropped.pop();
            }
        }
        Ok(())
    }
}

/// The next step.
enum Next {
    More,
    Large(Box<[u8]>, u64),
    Done,
}

/// Any large value that is begun in a stripe.
fn any_large(shared: &Shared, stripe: usize) -> Option<(Box<[u8]>, u64)> {
    shared.in_stripe(stripe, |stripe| {
        stripe.keyspaces_mut().find_map(|(_, keyspace)| keyspace.any_large())
    })
}
