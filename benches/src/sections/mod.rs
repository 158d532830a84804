//! What is measured: a file for each crate.

mod baseline;

use crate::report::{Bench, Section};

/// Measures one section.
pub type Measure = fn(&Bench) -> Section;

/// Every section by the name that `report NAME` takes, in the order of the page.
pub const ALL: &[(&str, Measure)] = &[("baseline", baseline::measure)];
