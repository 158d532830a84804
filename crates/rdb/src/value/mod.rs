//! Values: one grammar for files and payloads.

mod kind;
mod module;
mod raw;
mod read;
mod score;
mod stream;
mod walk;
mod write;

pub use kind::ValueType;
pub use module::{ModuleId, ModulePart, ModuleParts};
pub use raw::RawValue;
pub use read::{Members, Scores, Value};
pub use write::{ModuleWriter, SetWriter, ValueWriter, ZSetWriter};

pub(crate) use kind::MODULE_PRE_RELEASE;
pub(crate) use module::{check_aux, walk_aux};
pub(crate) use read::{Body, State};
pub(crate) use write::Head;
