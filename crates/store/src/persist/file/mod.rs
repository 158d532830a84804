//! Values of files, one at a time and without a store: what each would take in one, what it holds, and how it is written
//! for another version. [`LogFolder`] finds the files of an append-only log.
//!
//! A [`Reader`](rdb::Reader) goes through a file key by key; these take the value that is next. All but the values that
//! they say are held whole are read in constant memory, however large they are.
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
