//! stub
#![forbid(unsafe_code)]
#![expect(
    clippy::inline_always,
    reason = "the public operations are compiled once and called; their parts must not become further calls"
)]

mod change;
mod codec;
mod decode;
mod encode;
mod entry;
mod growth;
mod iter;
mod list;
mod search;
mod traits;

pub use change::{MAX_BYTES, Refused};
pub use codec::{DecodeError, Validation, validate};
pub use entry::Entry;
pub use iter::Iter;
pub use list::{ListPack, Position};
