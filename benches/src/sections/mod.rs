//! What is measured: a file for each crate.

mod baseline;
mod hll;
mod intset;
mod uv;
mod visitors;

use crate::report::{Bench, Section};

/// Measures one section.
pub type Measure = fn(&Bench) -> Section;

/// Every section by the name that `report NAME` takes, in the order of the page.
pub const ALL: &[(&str, Measure)] = &[
    ("visitors", visitors::measure),
    ("uv", uv::measure),
    ("intset", intset::measure),
    ("hll", hll::measure),
    ("baseline", baseline::measure),
];
