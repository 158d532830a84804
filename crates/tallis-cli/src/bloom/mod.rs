//! `tallis bloom`: how large a Bloom filter has to be, and how often it will be wrong.

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
