//! `tallis convert`: a file in another version, as JSON or as commands.

mod commands;
mod input;
mod json;
mod pass;
mod rdb_file;
mod run;

pub use run::run;
