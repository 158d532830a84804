//! Snapshots: Redis's own files and payloads.

mod load;
mod save;
mod value;

pub(crate) use value::{body_len, dump};

pub use rdb::{Target, WriteOptions};
