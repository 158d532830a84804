//! Values of files, one at a time and without a store: the memory that they would take, their elements, and conversion
//! to another version. [`LogFolder`] finds the files of an append-only log.
//!
//! A [`Reader`](rdb::Reader) iterates over the keys of a file; these functions take the next value. They use constant
//! memory for values of any size, except where stated.
//!
//! ```
//! # use store as tallis;
//! use tallis::{Store, file::Meter};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("dump.rdb");
//! let store = Store::new();
//! store.sadd("s", [1, 2, 3])?;
//! store.save(&path)?;
//!
//! let mut reader = rdb::Reader::new(std::fs::File::open(&path)?)?;
//! let meter = Meter::new();
//! while let Some(record) = reader.next_record()? {
//!     let rdb::Record::Key { kind, .. } = record else { continue };
//!     let found = meter.measure(&mut reader, kind)?;
//!     assert_eq!((&*found.type_name, found.encoding, found.len), ("set", "intset", 3));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod element;
mod error;
mod measure;
mod rewrite;
mod sample;

pub use element::{Element, each_element};
pub use error::{RewriteError, ValueError};
pub use measure::{Measured, Meter};
pub use rewrite::{Rewrite, has_form};

pub use super::directory::LogFolder;
pub use super::value::write_bloom;
