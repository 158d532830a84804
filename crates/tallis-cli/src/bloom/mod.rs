//! `tallis bloom`: sizes a Bloom filter, and measures its false positive rate.

mod chart;
mod measure;
mod plan;
mod report;
mod run;

pub use measure::{MAX_BITS, MAX_ITEMS, Measured, measure};
pub use plan::{MAX, Plan, PlanError};
pub use report::Report;
pub(crate) use report::percent;
pub use run::run;
