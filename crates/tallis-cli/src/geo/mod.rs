//! `tallis geo`: finds the points near a place, from a CSV file.

mod area;
mod load;
mod report;
mod run;

pub use area::{AreaError, Around, Nearest, Within};
pub(crate) use load::FIELDS;
pub use load::Loader;
pub use report::{Found, Report};
pub use run::run;
