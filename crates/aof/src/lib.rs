//! The append-only log of Redis 7 and Valkey, as bytes: no files, no keyspace.
//!
//! # Representation
//!
//! A log is a folder of files, and a manifest in it that says in which order they are loaded:
//!
//! ```text
//! appendonlydir/
//!   appendonly.aof.manifest        the other files, a line each
//!   appendonly.aof.2.base.rdb      what was there at the last rewrite, as RDB (or as commands: .base.aof)
//!   appendonly.aof.3.incr.aof      the commands since then; several while a rewrite goes on, or after it failed
//! ```
//!
//! [`Manifest`] reads, changes and writes the manifest. A file of commands is a row of requests, as a client sends
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
//! # A log that ends too early
//!
//! A process that is killed leaves a log whose last bytes are the beginning of a command, or of a transaction.
//! [`LogReader`] tells this ([`LogError::Torn`]) from bytes that no writer leaves ([`LogError::Format`]), and up to which
//! offset the log is whole ([`LogReader::valid_up_to`]): there a server cuts it, and goes on.
//!
//! A length that is damaged so that it reaches beyond the end looks like such an end. A server takes it for one.
//!
//! # Where Redis is not followed
//!
//! Redis 7.0 and 7.2 are followed in what they write, and in what they refuse. Beyond that:
//!
//! * Numbers are digits, and lines end with CR LF, as `redis-check-aof` wants it; a server reads `*+3`, `*3x` and `*3` LF
//!   as `*3`, and passes over any two bytes behind a word.
//! * MULTI in a transaction and EXEC outside of one are refused, as by `redis-check-aof`.
//! * A log that ends inside an annotation is torn. A server goes on behind it, and what it appends becomes a part of the
//!   annotation.
//! * A log that ends inside a command of a transaction is valid up to the transaction. A server cuts it in front of
//!   that command, and what it appends becomes a part of the transaction. Behind an RDB, if no command is whole,
//!   it cuts the file to nothing.
//! * Names of files with an apostrophe are quoted. A server cannot read what it writes of them.
//! * A manifest with names that no file can have, or that could not be read again once it is written, is refused.
//!
//! # Limits
//!
//! A word of a command has at most [`LogReader::MAX_BULK`] bytes, unless [`LogReader::max_bulk`] sets another limit. A
//! line of the manifest has at most [`Manifest::MAX_LINE`] bytes, an annotation [`LogReader::MAX_ANNOTATION`].

#![forbid(unsafe_code)]

mod manifest;
mod reader;
mod writer;

pub use manifest::{AddError, BaseFormat, Entry, Kind, Manifest, ManifestError, ManifestErrorKind};
pub use reader::{Annotation, Command, Damage, LogError, LogReader, Record};
pub use writer::LogWriter;

/// Whether a file of a log begins as an RDB file does, of Redis or of Valkey; its first 6 bytes are enough.
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
