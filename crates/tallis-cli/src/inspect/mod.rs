//! `tallis inspect`: reports the contents of a file.

mod biggest;
mod csv;
mod expiry;
mod prefixes;
mod report;
mod row;
mod run;
mod tally;

pub use run::{run, write};
