//! `tallis check`: verifies files.

mod log;
mod report;
mod run;

pub(crate) use report::magic;
pub use run::run;
