//! A set of `i64` that share their high bits, in little more memory than the information they carry.
mod bits;
mod build;
mod check;
mod form;
mod iter;
mod prefix;
mod set;
mod traits;
mod upper;
mod view;

pub use build::{CompactError, Refused};
pub use iter::CompactIter;
pub use prefix::Prefix;
pub use set::Compact;
