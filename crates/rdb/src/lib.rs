//! Redis's RDB files and DUMP payloads: a reader for untrusted bytes, and a writer.
//!
//! # Idea
//! A file is a row of records, and a record is a tag byte and what the tag calls for; nothing says
//! how long a value is. So a reader that does not know one type cannot get past it - and one that
//! knows each type's *grammar* can pass over, or keep as it came, a value that it does not
//! understand. This crate knows every grammar and looks into as few values as it can: it hands
//! over strings, the members of sets, the fields of hashes, and packed blobs unopened, and everything else as
//! [`RawValue`]. It knows formats and no keyspace: what the values mean is for the caller.
//!
//! # Representation
//! ```text
//! REDIS0010                                        magic and version
//! fa "redis-ver" "7.0.15"                          facts about the file (aux)
//! f5 "#!lua name=..."                              libraries of functions
//! fe 0                                             the keys that follow are of database 0
//!    fb 2 1                                        about 2 keys, 1 of which expires (hints)
//!    00 "hello" "world"                            type, key, value
//!    fc .8 bytes. 0b "ids" "..."                   expiry in ms, type, key, value
//! ff .8 bytes.                                     end, CRC-64 of all before it (0: none)
//! ```
//! Numbers are little-endian, except lengths. A length is one byte up to 63, two up to 16,383, else
//! five or nine. Every string - keys, values, members and packed blobs alike - is a length and
//! bytes, or an integer of one, two or four bytes that stands for its decimal text, or an
//! [LZF](lzf) stream. A [payload](dump) of DUMP is one value with a footer.
//!
//! # Worked example
//! ```
//! use rdb::{Attributes, Reader, Record, StringValue, Value, WriteOptions, Writer};
//!
//! let mut writer = Writer::new(Vec::new(), WriteOptions::default())?;
//! writer.select_db(0)?;
//! let expiring = Attributes { expire_at_ms: Some(1_700_000_000_000), ..Attributes::default() };
//! writer.key(b"n", expiring).string(b"300")?;
//! let file = writer.finish()?;
//! assert_eq!(
//!     file,
//!     [
//!         b"REDIS0010".as_slice(),
//!         b"\xfe\x00",
//!         b"\xfc\x00\x68\xe5\xcf\x8b\x01\x00\x00", // 1,700,000,000,000
//!         b"\x00\x01n\xc1\x2c\x01",                // a string: key "n", value 300 as an i16
//!         b"\xff\xfe\x5b\xbc\xbd\x26\x4f\xee\x8d",
//!     ]
//!     .concat()
//! );
//!
//! let mut reader = Reader::new(file.as_slice())?;
//! assert_eq!(reader.next_record()?, Some(Record::SelectDb(0)));
//! let Some(Record::Key { key, attributes, .. }) = reader.next_record()? else { panic!() };
//! assert_eq!((key, attributes), (b"n".to_vec(), expiring));
//! assert!(matches!(reader.value()?, Value::String(StringValue::Int(300))));
//! assert_eq!(reader.next_record()?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Trust
//! The reader takes any bytes. It never panics; its time is linear in the bytes it reads and what
//! they expand to, which LZF bounds at 88 times; a length or a count in the input never makes it
//! allocate more than a chunk of 64 KiB ahead of the bytes that have arrived (or, where the length
//! of the input is known, more than remains of it). Every [`Error`] carries the offset of what is
//! wrong. Strings, compressed ones included, are checked even where they are skipped, so that
//! reading, keeping and skipping accept the same files; in a [`Batch`], where many keys are passed over at once, only when
//! it is read. What packed blobs hold is not looked at.
//!
//! The writer refuses what would make a corrupt file: a set with other members than announced, a
//! type that the version lacks, bytes that do not follow their grammar. A file that is not
//! finished lacks its end, and every reader refuses it.
//!
//! # Complexity
//! Reading and writing are linear and hold one value at a time (of a plain set, one member), a
//! buffer of 64 KiB, and for compression a table of 256 KiB.
//!
//! # Limits
//! * Versions 1 to 13 of Redis are read in full; 14, 15, and 80 and later of Valkey, as far as their types
//!   are known. Versions 9 to 13 and 80 are written. The types that 14 and 15 of Redis have added are refused.
//! * Two forms that only pre-release servers wrote cannot be skipped, and are refused: modules'
//!   values of type 6 and functions of opcode 246.
//! * LZF streams are byte for byte those of a server but for chance in the server; see [`lzf`].
//! * Payloads with bytes behind the value are refused, where Redis 7.0 ignores the rest.
//!
//! # References
//! `src/rdb.c`, `src/rdb.h`, `src/cluster.c` and `src/module.c` of Redis 7.2 (BSD), for the facts;
//! redis-server 7.0.15, for what the facts do; liblzf's format of streams.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing)]

pub mod dump;
pub mod ziplist;
pub mod zipmap;

mod batch;
mod checksum;
mod error;
mod format;
mod length;
mod reader;
mod record;
mod sink;
mod source;
mod string;
mod value;
mod version;
mod writer;

pub use batch::{Batch, BatchWriter};
pub use checksum::{Crc64, crc64};
pub use error::{Error, ErrorKind};
pub use format::KEY_METADATA;
pub use lzf;
pub use reader::{ReadOptions, Reader};
pub use record::{Attributes, Record};
pub use string::StringValue;
pub use value::{
    Blob, CopyError, Field, Fields, FieldsWriter, ModuleId, ModulePart, ModuleParts, ModuleWriter,
    Node, Nodes, NodesWriter, PartsWriter, RawValue, Scores, Strings, StringsWriter, Value,
    ValueType, ValueWriter, ZSetWriter,
};
pub use version::{Dialect, Target, Version};
pub use writer::{StandardAux, WriteError, WriteOptions, Writer};

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
