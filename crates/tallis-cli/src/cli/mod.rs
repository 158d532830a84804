//! `tallis cli`: Redis commands on a store in the process, in and out as `redis-cli` does.

mod format;
mod run;
mod words;

pub use format::Style;
pub use run::run;
pub use words::{Unbalanced, split_words};
