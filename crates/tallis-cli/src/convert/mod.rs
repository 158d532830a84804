//! `tallis convert`: converts a file to another version, to JSON or to commands.

mod commands;
mod input;
mod json;
mod pass;
mod rdb_file;
mod run;

pub use run::run;
