//! What is measured: a file for each section.

mod algebra;
mod baseline;
mod batches;
mod bits;
mod bloom;
mod dispatcher;
mod fields;
mod files;
mod geo;
mod hashes;
mod hll;
mod intset;
mod limits;
mod lists;
mod live;
mod locations;
mod log;
mod redis_crate;
mod servers;
mod sets;
mod shards;
mod sketches;
mod snapshots;
mod strings;
mod threads;
mod transactions;
mod uv;
mod visitors;
mod windows;
mod yo;
mod zsets;

use crate::report::{Bench, Row, Section};

/// Measures one section.
pub type Measure = fn(&Bench) -> Section;

/// Every section by the name that `report NAME` takes, in the order of the page.
pub const ALL: &[(&str, Measure)] = &[
    ("visitors", visitors::measure),
    ("shards", shards::measure),
    ("uv", uv::measure),
    ("windows", windows::measure),
    ("intset", intset::measure),
    ("hll", hll::measure),
    ("sets", sets::measure),
    ("algebra", algebra::measure),
    ("strings", strings::measure),
    ("bits", bits::measure),
    ("locations", locations::measure),
    ("hashes", hashes::measure),
    ("fields", fields::measure),
    ("lists", lists::measure),
    ("zsets", zsets::measure),
    ("geo", geo::measure),
    ("files", files::measure),
    ("snapshots", snapshots::measure),
    ("log", log::measure),
    ("limits", limits::measure),
    ("bloom", bloom::measure),
    ("sketches", sketches::measure),
    ("threads", threads::measure),
    ("batches", batches::measure),
    ("transactions", transactions::measure),
    ("dispatcher", dispatcher::measure),
    ("redis", redis_crate::measure),
    ("servers", servers::measure),
    ("baseline", baseline::measure),
];

/// How many calls a round makes.
fn pieces(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The aims beside the server and beside yo-kv, as factors.
fn aim(row: Row, [server, yo]: [f64; 2]) -> Row {
    row.factor(live::SERVER, server).factor(yo::NAME, yo)
}
