//! RDB files and DUMP payloads.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing)]

pub mod dump;
pub mod lzf;

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

pub use checksum::{Crc64, crc64};
pub use error::{Error, ErrorKind};
pub use reader::{ReadOptions, Reader};
pub use record::{Attributes, Record};
pub use string::StringValue;
pub use value::{Members, ModuleId, RawValue, SetWriter, Value, ValueType, ValueWriter};
pub use version::{Dialect, Target, Version};
pub use writer::{StandardAux, WriteError, WriteOptions, Writer};
