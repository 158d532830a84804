//! `tallis cli`: Redis commands on a store in the process, in and out as `redis-cli` does.

mod format;
mod run;

pub use format::Style;
pub use run::run;
