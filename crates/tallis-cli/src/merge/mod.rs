//! `tallis merge`: merges several files.

mod file;
mod report;
mod rules;
mod run;

pub(crate) use file::emit;
pub use rules::{Numbers, Prefer};
pub use run::run;
