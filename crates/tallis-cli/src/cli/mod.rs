//! `tallis cli`: Redis commands on a store in the process, in and out as `redis-cli` does.

mod complete;
mod docs;
mod format;
mod help;
mod hint;
mod json;
mod prompt;
mod run;
mod terminal;
mod typing;

pub use format::Style;
pub use run::{answer, run};
pub use typing::Typing;
