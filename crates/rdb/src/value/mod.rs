//! Values: one grammar for files and payloads.

mod kind;
mod module;
mod raw;
mod read;
mod stream;
mod walk;
mod write;

pub use kind::ValueType;
pub use module::ModuleId;
pub use raw::RawValue;
pub use read::{Members, Value};
pub use write::{SetWriter, ValueWriter};

pub(crate) use kind::MODULE_PRE_RELEASE;
pub(crate) use module::{check_aux, walk_aux};
pub(crate) use read::{Body, State};
pub(crate) use write::Head;
