//! `tallis dedup`: prints each line once.

mod lines;
mod report;
mod run;

pub use lines::Sieve;
pub use run::run;
