//! Any bytes as a log. The log reads the same in one piece and in several, its valid part is a complete log, and the
//! records that are read can be written again.
#![no_main]

use std::io::{self, Read};

use aof::{LogError, LogReader, Record};
use resp::write_request;

struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(into.len());
        self.0.read(&mut into[..count])
    }
}

/// Returns the commands and annotations as they are written, the error that ends the log, and the length of the valid
/// part.
fn read(log: &[u8], piece: usize) -> (Vec<u8>, Option<String>, u64) {
    let mut reader = LogReader::new(Pieces(log, piece));
    let mut written = Vec::new();
    let mut at = 0;
    let error = loop {
        let (offset, end) = match reader.next_record() {
            Ok(Some(Record::Command(command))) => {
                write_request(command.words(), &mut written);
                (command.offset(), command.end())
            }
            Ok(Some(Record::Annotation(note))) => {
                assert!(note.timestamp().is_none() || note.text().starts_with(b"TS:"));
                let line = note.offset() as usize + 1 + note.text().len();
                assert_eq!(&log[line - note.text().len()..line], note.text());
                let end = line + if log[line] == b'\r' { 2 } else { 1 };
                // With its own line ending: a longer one can exceed the limit on the length of a line.
                written.extend_from_slice(&log[note.offset() as usize..end]);
                (note.offset(), end as u64)
            }
            Ok(None) => break None,
            Err(LogError::Io(error)) => panic!("{error}"),
            Err(error) => break Some(error.to_string()),
        };
        assert!(offset == at && end > offset && end <= log.len() as u64);
        at = end;
    };
    assert_eq!(reader.offset(), at);
    assert!(reader.valid_up_to() <= at);
    (written, error, reader.valid_up_to())
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&piece, log)) = bytes.split_first() else { return };
    let (written, error, valid_up_to) = read(log, usize::MAX);
    assert_eq!(read(log, usize::from(piece).max(1)), (written.clone(), error.clone(), valid_up_to));

    let valid = &log[..valid_up_to as usize];
    let (_, error_of_valid, all) = read(valid, usize::MAX);
    assert_eq!((error_of_valid, all), (None, valid_up_to));

    let (again, same, _) = read(&written, usize::MAX);
    assert_eq!(again, written);
    if error.is_none() {
        assert_eq!(same, None);
    }
});
