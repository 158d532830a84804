//! `tallis inspect`: what is in a file.

mod biggest;
mod csv;
mod expiry;
mod prefixes;
mod report;
mod row;
mod run;
mod tally;

pub use run::{run, write};
