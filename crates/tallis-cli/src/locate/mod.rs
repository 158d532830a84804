//! `tallis locate`: counts users per location, from a CSV file.

mod batch;
mod fields;
mod load;
mod report;
mod run;
mod seen;

pub use fields::{Fields, FieldsError};
pub(crate) use load::FIELDS;
pub use load::{Format, Loader};
pub use report::Report;
pub use run::run;
