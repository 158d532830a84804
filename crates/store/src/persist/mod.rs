//! Snapshots: Redis's own files and payloads.

mod directory;
pub mod disk;
mod extras;
pub mod file;
mod load;
mod payload;
mod replace;
mod save;
mod value;

pub(crate) use directory::{Asked, Directory, Log, OpenDirectory, Task, open};
pub(crate) use extras::Extras;
pub(crate) use load::reload;
pub(crate) use payload::{body_len, dump, note_field_expiry, restore};
pub(crate) use save::{Records, SaveError};

pub use directory::{CutTail, Fsync, OnLogError, OpenReport, Persistence};
pub use load::{LoadOptions, LoadReport};
pub use rdb::Target;
pub use replace::replace_file;
pub use save::{BackgroundSave, SaveOptions, SaveProgress};
