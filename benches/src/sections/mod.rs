//! The measurements of the report: one file for each section.

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
mod integers;
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

use tallis::Store;

use crate::report::{Bench, Measured, Row, Section, Touched};

/// Measures one section.
pub type Measure = fn(&Bench) -> Section;

/// A section before it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The name that selects it: `report NAME`.
    pub name: &'static str,
    /// The family in whose mean it is; `None` if no result is ours.
    pub family: Option<&'static str>,
    /// Measures it.
    pub measure: Measure,
}

impl Part {
    const fn new(name: &'static str, family: &'static str, measure: Measure) -> Self {
        Self { name, family: Some(family), measure }
    }

    /// Measures the section, and returns it with its name and its family.
    #[must_use]
    pub fn run(&self, bench: &Bench) -> Measured {
        let (name, family) = (self.name.to_owned(), self.family.map(str::to_owned));
        Measured { name, family, section: (self.measure)(bench) }
    }
}

/// Every section, in the order of the page.
pub const ALL: &[Part] = &[
    Part::new("visitors", "sets", visitors::measure),
    Part::new("shards", "sets", shards::measure),
    Part::new("uv", "programs", uv::measure),
    Part::new("windows", "HyperLogLog", windows::measure),
    Part::new("intset", "sets", intset::measure),
    Part::new("integers", "sets", integers::measure),
    Part::new("hll", "HyperLogLog", hll::measure),
    Part::new("sets", "sets", sets::measure),
    Part::new("algebra", "sets", algebra::measure),
    Part::new("strings", "strings", strings::measure),
    Part::new("bits", "bits", bits::measure),
    Part::new("locations", "bits", locations::measure),
    Part::new("hashes", "hashes", hashes::measure),
    Part::new("fields", "hashes", fields::measure),
    Part::new("lists", "lists", lists::measure),
    Part::new("zsets", "sorted sets", zsets::measure),
    Part::new("geo", "geo", geo::measure),
    Part::new("files", "persistence", files::measure),
    Part::new("snapshots", "persistence", snapshots::measure),
    Part::new("log", "persistence", log::measure),
    Part::new("limits", "rate limits", limits::measure),
    Part::new("bloom", "Bloom", bloom::measure),
    Part::new("sketches", "HyperLogLog", sketches::measure),
    Part::new("threads", "threads", threads::measure),
    Part::new("batches", "batches", batches::measure),
    Part::new("transactions", "commands", transactions::measure),
    Part::new("dispatcher", "commands", dispatcher::measure),
    Part::new("redis", "commands", redis_crate::measure),
    Part::new("servers", "servers", servers::measure),
    Part { name: "baseline", family: None, measure: baseline::measure },
];

/// Returns the number of pieces as a race takes it.
fn pieces(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the bytes that a store holds.
fn held(store: &Store) -> Touched {
    Touched::bytes(store.used_memory().unwrap_or(usize::MAX))
}

/// Returns the bytes that a built value holds.
fn built<T>(bench: &Bench, build: impl FnOnce() -> T) -> Touched {
    Touched::bytes(bench.held(build).1)
}

/// Sets the targets for the server and for yo-kv, as factors.
fn aim(row: Row, [server, yo]: [f64; 2]) -> Row {
    row.factor(live::SERVER, server).factor(yo::NAME, yo)
}
