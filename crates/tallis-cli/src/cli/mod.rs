//! `tallis cli`: runs Redis commands on a store in the process, with the input and output of `redis-cli`.

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
