//! Batches of commands of a log, which one thread decodes and another runs.

use std::io::Read;

use crate::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use crate::sync::thread::{Scope, ScopedJoinHandle};
use aof::{Command, LogError, LogReader, Record};
use smallvec::SmallVec;

/// The number of bytes at which a batch is full.
const FULL: usize = 64 << 10;

/// The maximum number of batches that wait to be run.
const WAITING: usize = 4;

/// Consecutive commands of a log.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// The end of each word.
    ends: Vec<usize>,
    /// For each command its offset in the log, and the index at which its words end.
    commands: Vec<(u64, usize)>,
}

impl Batch {
    fn push(&mut self, command: &Command<'_>) {
        for word in command.words() {
            self.bytes.extend_from_slice(word);
            self.ends.push(self.bytes.len());
        }
        self.commands.push((command.offset(), self.ends.len()));
    }

    fn is_full(&self) -> bool {
        self.bytes.len() + size_of_val(&*self.ends) >= FULL
    }

    fn clear(&mut self) {
        // The buffer of a long command is not kept.
        self.bytes.clear();
        self.bytes.shrink_to(2 * FULL);
        self.ends.clear();
        self.commands.clear();
    }

    /// Calls `run` with each command and its offset.
    pub(super) fn run<E>(
        &self,
        mut run: impl FnMut(&[&[u8]], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut word, mut start) = (0, 0);
        for &(offset, last) in &self.commands {
            let mut words: SmallVec<[&[u8]; 8]> = SmallVec::new();
            for &end in self.ends.get(word..last).unwrap_or_default() {
                words.push(self.bytes.get(start..end).unwrap_or_default());
                start = end;
            }
            word = last;
            run(&words, offset)?;
        }
        Ok(())
    }
}

/// The batches of a log, in order.
pub(super) struct Batches<'scope> {
    full: Receiver<Batch>,
    /// Batches that were run, to be reused.
    empty: Sender<Batch>,
    decoding: ScopedJoinHandle<'scope, Ended>,
}

/// The end of a log: the offset up to which it is complete, and the error that ended it, if any.
pub(super) type Ended = (u64, Result<(), LogError>);

impl<'scope> Batches<'scope> {
    /// Starts a thread that decodes a log. It ends with the log, or when the batches are dropped.
    pub(super) fn decode<'env, R: Read + Send + 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        reader: LogReader<R>,
    ) -> Self {
        let (give, full) = sync_channel(WAITING);
        let (empty, take) = channel();
        let decoding = scope.spawn(move || decode(reader, &give, &take));
        Self { full, empty, decoding }
    }

    /// Calls `run` with each batch, in order; returns how the log ended.
    pub(super) fn run<E>(self, mut run: impl FnMut(&Batch) -> Result<(), E>) -> Result<Ended, E> {
        let ran = self.full.iter().try_for_each(|mut batch| {
            run(&batch)?;
            batch.clear();
            // Fails when the log has ended: no further batch is needed then.
            let _ = self.empty.send(batch);
            Ok(())
        });
        drop(self.full);
        // After an error too: the end of a scope waits for the work of its threads, and not until they have ended.
        match self.decoding.join() {
            Ok(ended) => ran.map(|()| ended),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn decode<R: Read>(
    mut reader: LogReader<R>,
    full: &SyncSender<Batch>,
    empty: &Receiver<Batch>,
) -> Ended {
    let mut batch = Batch::default();
    let ended = loop {
        match reader.next_record() {
            Ok(Some(Record::Command(command))) => batch.push(&command),
            Ok(Some(Record::Annotation(_))) => {}
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        if batch.is_full() {
            let next = empty.try_recv().unwrap_or_default();
            if full.send(std::mem::replace(&mut batch, next)).is_err() {
                break Ok(());
            }
        }
    };
    // The receiver is only dropped if running a command failed, and that error is returned.
    let _ = full.send(batch);
    (reader.valid_up_to(), ended)
}
