#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Representation
//!
//! A log is a directory of files, with a manifest that gives the order in which they are loaded:
//!
//! ```text
//! appendonlydir/
//!   appendonly.aof.manifest        the other files, a line each
//!   appendonly.aof.2.base.rdb      what was there at the last rewrite, as RDB (or as commands: .base.aof)
//!   appendonly.aof.3.incr.aof      the commands since then; several while a rewrite goes on, or after it failed
//! ```
//!
//! [`Manifest`] reads, changes and writes the manifest. A file of commands is a series of requests, as a client sends
//! them, and of annotations:
//!
//! ```text
//! #TS:1700000000\r\n                           an annotation: when the commands below were run
//! *2\r\n $6\r\n SELECT\r\n $1\r\n 0\r\n        a command: how many words, then each with its length
//! *1\r\n $5\r\n MULTI\r\n ... EXEC\r\n         commands that are run together or not at all
//! ```
//!
//! [`LogReader`] reads it, [`LogWriter`] writes it. A file may be an RDB instead, or begin with one:
//! [`starts_with_rdb`].
//!
//! ## A log that ends too early
//!
//! A process that is killed leaves a log whose last bytes are the beginning of a command, or of a transaction.
//! [`LogReader`] distinguishes this ([`LogError::Torn`]) from bytes that no writer leaves ([`LogError::Format`]), and
//! reports the offset up to which the log is valid ([`LogReader::valid_up_to`]): a server truncates it there and
//! continues.
//!
//! A damaged length that reaches beyond the end of the file looks like a torn log. A server treats it as one.
//!
//! ## Where Redis is not followed
//!
//! This crate writes what Redis 7.0 and 7.2 write, and refuses what they refuse. The differences:
//!
//! * Numbers must be digits, and lines must end with CR LF, as for `redis-check-aof`; a server reads `*+3`, `*3x` and
//!   `*3` LF as `*3`, and skips any two bytes after a word.
//! * MULTI in a transaction and EXEC outside of one are refused, as by `redis-check-aof`.
//! * A log that ends inside an annotation is torn. A server appends to it, and the appended bytes become a part of the
//!   annotation.
//! * A log that ends inside a command of a transaction is valid up to the transaction. A server truncates it before
//!   that command, and what it appends becomes a part of the transaction. After an RDB preamble without a complete
//!   command, it truncates the file to nothing.
//! * File names with an apostrophe are quoted. A server writes them so that it cannot read them again.
//! * A manifest with invalid file names, or one that could not be read again after it is written, is refused.

#![forbid(unsafe_code)]

mod manifest;
mod reader;
mod writer;

pub use manifest::{AddError, BaseFormat, Entry, Kind, Manifest, ManifestError, ManifestErrorKind};
pub use reader::{Annotation, Command, Damage, LogError, LogReader, Record};
pub use writer::LogWriter;

/// Returns whether a file of a log begins like an RDB file of Redis or Valkey. Its first 6 bytes are enough.
///
/// The base of a log often is an RDB file. In the single file of a server before Redis 7, commands may follow it:
/// [`LogReader::new_at`] reads them.
///
/// # Examples
///
/// ```
/// assert!(aof::starts_with_rdb(b"REDIS0010\xfa"));
/// assert!(!aof::starts_with_rdb(b"*1\r\n$4\r\nPING\r\n"));
/// ```
#[must_use]
pub fn starts_with_rdb(file: &[u8]) -> bool {
    file.starts_with(b"REDIS") || file.starts_with(b"VALKEY")
}
