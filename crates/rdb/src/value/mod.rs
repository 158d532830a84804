//! Values: one grammar for files and payloads.

mod copy;
mod encoding;
mod expiring;
mod items;
mod kind;
mod module;
mod parts;
mod raw;
mod read;
mod scan;
mod score;
mod stream;
mod write;

pub use copy::CopyError;
pub use expiring::{Field, Fields, FieldsWriter};
pub use items::{NodesWriter, StringsWriter, ZSetWriter};
pub use kind::{Blob, ValueType};
pub use module::{ModuleId, ModulePart, ModuleParts, ModuleWriter};
pub use parts::PartsWriter;
pub use raw::RawValue;
pub use read::{Node, Nodes, Scores, Strings, Value};
pub use write::ValueWriter;

pub(crate) use kind::MODULE_PRE_RELEASE;
pub(crate) use module::{check_aux, scan_aux, scan_metadata};
pub(crate) use read::{Body, State};
pub(crate) use write::Head;
