//! Helpers that the tests share.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use aof::{LogError, LogReader, Record};

/// The content of a file under `tests/data`.
pub(crate) fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A reader that returns at most this many bytes at a time.
#[derive(Debug)]
pub(crate) struct Pieces<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.piece.min(into.len());
        self.bytes.read(&mut into[..count])
    }
}

/// A record that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    Command { offset: u64, end: u64, words: Vec<Vec<u8>> },
    Annotation { offset: u64, text: Vec<u8> },
}

/// The end of a log, or the error that ended reading. Errors are compared by their text.
pub(crate) type Outcome = Result<(), (String, Option<u64>)>;

/// Reads a log that arrives in pieces.
pub(crate) fn read(bytes: &[u8], piece: usize) -> (Vec<Owned>, Outcome) {
    let mut reader = LogReader::new(Pieces { bytes, piece });
    let mut all = Vec::new();
    loop {
        let owned = match reader.next_record() {
            Ok(Some(Record::Command(command))) => Owned::Command {
                offset: command.offset(),
                end: command.end(),
                words: command.words().iter().map(|word| word.to_vec()).collect(),
            },
            Ok(Some(Record::Annotation(note))) => {
                Owned::Annotation { offset: note.offset(), text: note.text().to_vec() }
            }
            Ok(None) => return (all, Ok(())),
            Err(error) => {
                assert!(!matches!(error, LogError::Io(_)), "{error}");
                let torn = if let LogError::Torn { valid_up_to, .. } = error {
                    Some(valid_up_to)
                } else {
                    None
                };
                return (all, Err((error.to_string(), torn)));
            }
        };
        all.push(owned);
    }
}
