//! Encoding by several threads while one writes.
//!
//! # Idea
//!
//! Each thread takes the next few buckets, encodes their keys into batches and passes these on; the writing thread
//! takes the batches in the order of the buckets. So the file is the same for any number of threads. A thread waits if
//! a few of its batches are not yet written, so memory is bounded.

use std::io::Write;

use rdb::{Attributes, Batch, BatchWriter, WriteOptions, Writer};

use super::error::SaveError;
use super::snapshot::Database;
use crate::sync::Mutex;
use crate::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use crate::sync::thread;
use crate::table::keys::{Entry, KeyBucket};
use crate::value::Value;

/// The number of buckets that a thread takes at a time: some thousand keys.
const BUCKETS: usize = 32;

/// The number of bytes at which a batch is passed on.
const BATCH: u64 = 256 << 10;

/// The maximum number of waiting batches per thread.
const WAITING: usize = 32;

/// A string of this length or more is written in place, unless it is to be compressed.
const LARGE: usize = 1 << 20;

/// What a thread passes on.
enum Encoded<'s> {
    Batch(Batch),
    Large(&'s Entry, Attributes),
    /// The buckets that it took are done.
    End,
}

/// The buckets that are not yet taken, and the threads that took them: the number of a thread for each, until no
/// buckets are left.
struct Tickets<I> {
    buckets: I,
    taken: Sender<Option<usize>>,
}

/// Writes the keys of a database.
pub(super) fn write<W: Write>(
    database: &Database<'_>,
    writer: &mut Writer<W>,
    options: WriteOptions,
    threads: usize,
) -> Result<(), SaveError> {
    let (taken, order) = channel();
    let tickets = Mutex::new(Tickets { buckets: database.buckets(), taken });
    thread::scope(|scope| {
        let (mut parts, mut encoders) = (Vec::new(), Vec::new());
        for number in 0..threads {
            let (sender, receiver) = sync_channel(WAITING);
            let tickets = &tickets;
            parts.push(receiver);
            encoders.push(scope.spawn(move || encode(number, database, tickets, options, &sender)));
        }
        let written = write_parts(database, writer, &order, &parts);
        // Ends the encoders that are not done, if there was an error.
        drop(parts);
        // The end of a scope waits for the work of its threads, and not until they have ended.
        for encoder in encoders {
            if let Err(panic) = encoder.join() {
                std::panic::resume_unwind(panic);
            }
        }
        written
    })
}

/// Writes what the encoders send, in the order in which they have taken the buckets.
fn write_parts<W: Write>(
    database: &Database<'_>,
    writer: &mut Writer<W>,
    order: &Receiver<Option<usize>>,
    parts: &[Receiver<Result<Encoded<'_>, SaveError>>],
) -> Result<(), SaveError> {
    while let Ok(Some(number)) = order.recv() {
        let parts = &parts[number];
        loop {
            match parts.recv() {
                Ok(Ok(Encoded::Batch(batch))) => writer.batch(&batch)?,
                Ok(Ok(Encoded::Large(entry, attributes))) => {
                    database.write_value(entry, writer.key(entry.key.as_bytes(), attributes))?;
                }
                Ok(Err(error)) => return Err(error),
                Ok(Ok(Encoded::End)) | Err(_) => break,
            }
        }
    }
    Ok(())
}

/// Encodes buckets until none are left or the receiver is dropped.
fn encode<'s>(
    number: usize,
    database: &Database<'s>,
    tickets: &Mutex<Tickets<impl Iterator<Item = &'s KeyBucket>>>,
    options: WriteOptions,
    parts: &SyncSender<Result<Encoded<'s>, SaveError>>,
) {
    let mut writer = BatchWriter::new(options);
    let mut hand_on = |part| parts.send(part).is_ok();
    loop {
        let buckets: Vec<&KeyBucket> = {
            let mut tickets = tickets.lock();
            let buckets: Vec<_> = tickets.buckets.by_ref().take(BUCKETS).collect();
            let whose = (!buckets.is_empty()).then_some(number);
            if tickets.taken.send(whose).is_err() || whose.is_none() {
                return;
            }
            buckets
        };
        let done = encode_buckets(database, &buckets, options, &mut writer, &mut hand_on);
        let on = match done {
            Ok(on) => on && hand_on(Ok(Encoded::End)),
            Err(error) => {
                hand_on(Err(error));
                false
            }
        };
        if !on {
            return;
        }
    }
}

/// Encodes the keys of these buckets; returns `false` if the receiver was dropped.
fn encode_buckets<'s>(
    database: &Database<'s>,
    buckets: &[&'s KeyBucket],
    options: WriteOptions,
    writer: &mut BatchWriter,
    hand_on: &mut impl FnMut(Result<Encoded<'s>, SaveError>) -> bool,
) -> Result<bool, SaveError> {
    for &bucket in buckets {
        for at in bucket.positions() {
            let entry = bucket.entry(at);
            let attributes = database.attributes(bucket, at);
            let large = !options.compression && is_large(&entry.value);
            if !large {
                database.write_value(entry, writer.key(entry.key.as_bytes(), attributes))?;
            }
            if large || writer.offset() >= BATCH {
                if let Some(batch) = writer.take()?
                    && !hand_on(Ok(Encoded::Batch(batch)))
                {
                    return Ok(false);
                }
                if large && !hand_on(Ok(Encoded::Large(entry, attributes))) {
                    return Ok(false);
                }
            }
        }
    }
    let Some(batch) = writer.take()? else { return Ok(true) };
    Ok(hand_on(Ok(Encoded::Batch(batch))))
}

fn is_large(value: &Value) -> bool {
    matches!(value, Value::Str { .. }) && value.heap_bytes() >= LARGE
}
