//! `tallis cli`: Redis commands on a store in the process, in and out as `redis-cli` does.

mod format;
mod words;

pub use format::Style;
pub use words::{Unbalanced, split_words};
