//! Tests of a log on a disk that is slow and then fails.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aof::{LogReader, Record};
use bytes::Bytes;

use super::background::Background;
use super::log::Log;
use super::settings::{Fsync, OnLogError};
use super::tail::Tail;
use crate::error::Result;
use crate::persist::disk::DiskFile;
use crate::store::Effect;
use crate::sync::Mutex;

/// A file in memory, whose next write can be made to wait and then to fail.
#[derive(Clone, Debug, Default)]
struct File {
    bytes: Arc<Mutex<Vec<u8>>>,
    gate: Arc<Mutex<Option<Gate>>>,
}

#[derive(Debug)]
struct Gate {
    entered: Sender<()>,
    go: Receiver<()>,
}

impl File {
    fn tail(&self) -> Tail {
        Tail::new(Box::new(self.clone()), 0)
    }

    /// The second word of each command except SELECT.
    fn commands(&self) -> Vec<String> {
        let bytes = self.bytes.lock().clone();
        let mut reader = LogReader::new(&bytes[..]);
        let mut found = Vec::new();
        while let Some(record) = reader.next_record().expect("a whole log") {
            let Record::Command(command) = record else { continue };
            if command.words()[0] != b"SELECT" {
                found.push(String::from_utf8_lossy(command.words()[1]).into_owned());
            }
        }
        found
    }
}

impl Read for File {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gate = self.gate.lock().take();
        if let Some(gate) = gate {
            gate.entered.send(()).map_err(io::Error::other)?;
            gate.go.recv().map_err(io::Error::other)?;
            return Err(io::Error::other("the disk fails"));
        }
        self.bytes.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        self.bytes.lock().truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(())
    }
}

fn log(file: &File) -> Log {
    Log::new(file.tail(), Fsync::EverySecond, OnLogError::GoOn, Arc::<Background>::default())
}

fn append(log: &Log, key: &'static str) {
    let args = vec![Bytes::from_static(b"DEL"), Bytes::from_static(key.as_bytes())];
    log.append(&[Effect { db: 0, args }]);
}

/// Makes a sync of the log wait in its write while `meanwhile` runs, and then fail; returns the result of the sync.
fn failing(log: &Log, file: &File, meanwhile: impl FnOnce()) -> Result<()> {
    let (entered, has_entered) = channel();
    let (may_go, go) = channel();
    *file.gate.lock() = Some(Gate { entered, go });
    thread::scope(|scope| {
        let syncing = scope.spawn(|| log.sync());
        has_entered.recv().expect("the sync writes");
        meanwhile();
        may_go.send(()).expect("the sync waits");
        syncing.join().expect("the sync ends")
    })
}

/// Truncates a log and starts a base while the first of its commands is being written to a disk that fails.
fn cut_short_while_it_fails(log: &Log, old: &File, new: &File) {
    append(log, "first");
    let failed = failing(log, old, || {
        append(log, "second");
        log.cut_short("it is left out");
        append(log, "left out");
        log.cut(new.tail(), || Ok(()));
        append(log, "third");
    });
    failed.expect_err("the disk fails");
}

#[test]
fn a_cut_keeps_its_position_after_returned_bytes() {
    let (old, new) = (File::default(), File::default());
    let log = log(&old);
    append(&log, "first");
    let failed = failing(&log, &old, || {
        append(&log, "second");
        log.cut(new.tail(), || Ok(()));
        append(&log, "third");
    });
    failed.expect_err("the disk fails");
    log.pass_cut().expect("the disk is well");
    assert_eq!(old.commands(), ["first", "second"]);
    assert_eq!(new.commands(), ["third"]);
}

#[test]
fn returned_bytes_precede_those_appended_meanwhile() {
    let file = File::default();
    let log = log(&file);
    append(&log, "first");
    failing(&log, &file, || append(&log, "second")).expect_err("the disk fails");
    log.cut(File::default().tail(), || Ok(()));
    log.pass_cut().expect("the disk is well");
    assert_eq!(file.commands(), ["first", "second"]);
}

#[test]
fn the_content_of_a_base_does_not_return_after_it() {
    let (old, new) = (File::default(), File::default());
    let log = log(&old);
    cut_short_while_it_fails(&log, &old, &new);
    assert!(log.error().is_some() && log.sync().is_err(), "the base is not there yet");
    // The steps of the log's thread at its end, and at each retry.
    log.close();
    log.run();
    assert_eq!(old.commands(), [""; 0]);
    log.has_base(0, u64::MAX);
    assert!(log.error().is_none());
    append(&log, "fourth");
    log.sync().expect("the disk is well");
    assert_eq!(old.commands(), [""; 0]);
    assert_eq!(new.commands(), ["third", "fourth"]);
}

#[test]
fn a_base_that_fails_leaves_the_log_where_it_ended() {
    let (old, new) = (File::default(), File::default());
    let log = log(&old);
    cut_short_while_it_fails(&log, &old, &new);
    log.has_no_base();
    assert!(log.is_cut_short() && log.sync().is_err());
    append(&log, "fourth");
    // The bytes from before the truncation are written when the log is closed.
    log.close();
    log.run();
    assert_eq!(old.commands(), ["first", "second"]);
    assert_eq!(new.commands(), [""; 0]);
}

#[test]
fn a_cut_that_was_left_is_passed_or_forgotten() {
    let files = [File::default(), File::default(), File::default()];
    let log = log(&files[0]);
    append(&log, "first");
    let mut fails = true;
    log.cut(files[1].tail(), move || {
        if std::mem::take(&mut fails) { Err(io::Error::other("no manifest")) } else { Ok(()) }
    });
    append(&log, "second");
    log.pass_cut().expect_err("the manifest is not written");
    log.end_cut().expect("the disk is well");
    append(&log, "third");
    log.sync().expect("the disk is well");
    assert_eq!(files[0].commands(), ["first"]);
    assert_eq!(files[1].commands(), ["second", "third"]);

    log.cut(files[2].tail(), || Err(io::Error::other("no manifest")));
    log.pass_cut().expect_err("the manifest is not written");
    log.cut_short("it is left out");
    log.end_cut().expect("there is nothing to be passed");
    let last = File::default();
    log.cut(last.tail(), || Ok(()));
    log.pass_cut().expect("there is nothing to be passed");
    log.has_base(0, u64::MAX);
    append(&log, "fourth");
    log.sync().expect("the disk is well");
    assert_eq!(files[2].commands(), [""; 0]);
    assert_eq!(last.commands(), ["fourth"]);
}
