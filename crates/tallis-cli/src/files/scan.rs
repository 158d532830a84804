//! Scanning a file key by key.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tallis::rdb::{Attributes, ReadOptions, Reader, Record, ValueType};

use super::damage::Damage;
use crate::failure::Failure;
use crate::input::{is_standard_input, standard_input};
use crate::progress::Progress;

/// A scan of a file, key by key.
pub(crate) struct Scan {
    reader: Reader<Box<dyn Read>>,
    /// The size of the file in bytes, if it is known.
    length: Option<u64>,
    progress: Progress,
    shown_at: u64,
    db: u32,
    keys: u64,
}

/// A key, whose value is next.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) db: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) attributes: Attributes,
    pub(crate) metadata: Vec<u8>,
    pub(crate) kind: ValueType,
    /// The offset at which the record begins.
    pub(crate) at: u64,
}

/// A step of the scan.
#[derive(Debug)]
pub(crate) enum Step {
    Key(Key),
    /// Any other record.
    Other(Record),
}

impl Scan {
    /// Opens a file, or standard input for `-`, and reads its header. `shown` is whether there may be a progress bar.
    pub(crate) fn open(path: &Path, shown: bool) -> Result<Result<Self, Damage>, Failure> {
        if is_standard_input(path) {
            let input = standard_input().map_err(|error| Failure::input(&error))?;
            return Ok(Self::new(Box::new(input), None, shown));
        }
        let failed = |error: io::Error| Failure::at(path, &error);
        let file = File::open(path).map_err(failed)?;
        Self::of_file(file, shown).map_err(failed)
    }

    /// Reads the header of an open file.
    pub(crate) fn of_file(file: File, shown: bool) -> io::Result<Result<Self, Damage>> {
        let found = file.metadata()?;
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self::new(Box::new(file), found.is_file().then_some(found.len()), shown))
    }

    fn new(input: Box<dyn Read>, length: Option<u64>, shown: bool) -> Result<Self, Damage> {
        let reader = Reader::with_options(input, ReadOptions { length, checksum: true })?;
        let progress = Progress::of_keys(length, shown);
        Ok(Self { reader, length, progress, shown_at: 0, db: 0, keys: 0 })
    }

    /// Returns the next step; `None` at the end of the file, after its checksum was verified.
    pub(crate) fn next(&mut self) -> Result<Option<Step>, Damage> {
        /// The number of bytes between updates of the bar.
        const STEP: u64 = 1 << 20;
        let at = self.reader.offset();
        if at >= self.shown_at + STEP {
            self.shown_at = at;
            self.progress.lines(self.keys, at);
        }
        Ok(match self.reader.next_record()? {
            None => None,
            Some(Record::Key { key: name, attributes, metadata, kind }) => {
                self.keys += 1;
                Some(Step::Key(Key { db: self.db, name, attributes, metadata, kind, at }))
            }
            Some(other) => {
                if let Record::SelectDb(number) = other {
                    self.db = number;
                }
                Some(Step::Other(other))
            }
        })
    }

    /// Returns the reader of the next value.
    pub(crate) const fn reader(&mut self) -> &mut Reader<Box<dyn Read>> {
        &mut self.reader
    }

    /// Returns the number of bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Returns the size of the file in bytes, if it is known.
    pub(crate) const fn length(&self) -> Option<u64> {
        self.length
    }
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("db", &self.db).finish_non_exhaustive()
    }
}
