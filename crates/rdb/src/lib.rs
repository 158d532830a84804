#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//! A file is a series of records, each a tag byte and its data; the length of a value is not stored. So a reader that
//! does not know a type cannot continue after it, and a reader that knows each type's *grammar* can skip, or copy
//! unchanged, a value that it does not decode. This crate knows every grammar and decodes as little as possible: it
//! returns strings, the members of sets, the fields of hashes, and packed blobs without parsing them, and everything
//! else as [`RawValue`]. It knows formats, not a keyspace: the meaning of the values is up to the caller.
//!
//! ## Representation
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
//! Numbers are little-endian, except lengths. A length is one byte up to 63, two up to 16,383, else five or nine. Every
//! string (a key, value, member or packed blob) is a length and bytes, or an integer of one, two or four bytes that
//! represents its decimal text, or an [LZF](lzf) stream. A [payload](dump) of DUMP is one value with a footer.
//!
//! ## Worked example
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
//! ## Trust
//! The reader accepts any bytes and never panics. Its time is linear in the bytes that it reads and their decompressed
//! size, which LZF limits to 88 times. A length or a count in the input never makes it allocate more than a chunk of 64
//! KiB ahead of the bytes that have arrived (or, if the length of the input is known, more than remains of it). Every
//! [`Error`] has the offset of the error. Strings, compressed ones included, are validated even if they are skipped, so
//! that reading, copying and skipping accept the same files; in a [`Batch`], where many keys are skipped at once, only
//! when it is read. Packed blobs are not validated.
//!
//! The writer refuses everything that would make a corrupt file: a set with another number of members than announced, a
//! type that the version does not have, bytes that do not follow their grammar. A file that is not finished has no end
//! record, and every reader refuses it.
//!
//! ## References
//! `src/rdb.c`, `src/rdb.h`, `src/cluster.c` and `src/module.c` of Redis 7.2 (BSD); the behaviour of redis-server
//! 7.0.15; liblzf's stream format. LZF streams are those of a server, with the exception that [`lzf`] describes.
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
