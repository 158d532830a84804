//! Redis's sorted set.
#![forbid(unsafe_code)]

mod block;
mod codec;
mod error;
mod grisu;
mod index;
mod iter;
mod large;
mod limits;
mod records;
mod score;
mod set;
mod small;
mod tower;

pub use error::{BuildError, DecodeError, Refused};
pub use iter::Iter;
pub use limits::Limits;
pub use listpack::Entry;
pub use score::ScoreText;
pub use set::{Change, Encoding, ZSet};
