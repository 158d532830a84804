//! Loading and writing of a value in the format of files and payloads.

mod fault;
mod load;
mod write;

pub(super) use fault::Fault;
pub(super) use load::{Loaded, listpack, listpack_of, load};
pub use write::write_bloom;
pub(super) use write::{begin_bloom, write};
