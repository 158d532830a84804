//! A set of `i64` kept as one sorted array of the narrowest width that fits.
#![forbid(unsafe_code)]

mod algebra;
mod build;
mod codec;
mod growth;
mod iter;
mod search;
mod set;
mod slot;
mod traits;
mod width;

pub use algebra::{Count, Each, Sink};
pub use build::OrderError;
pub use codec::{DecodeError, Validation, validate};
pub use iter::{IntoIter, Iter};
pub use set::IntSet;
pub use width::Width;
