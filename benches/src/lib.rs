//! The shared parts of the benchmarks, and the report that `cargo xtask report` writes.
//!
//! * `benches/*.rs` are criterion suites, to work on one structure: `cargo bench -p tallis-benches --bench intset`.
//! * [`classic`] has algorithms that represent Redis's own C code.
//! * [`filters`] has Bloom filters, ours and others.
//! * [`inputs`] has the inputs of the suites and of the report.
//! * [`rivals`] has sorted sets, ours and others.
//! * [`report`] measures our structures and their rivals in the same rounds and writes tables; [`sections`] defines the
//!   measurements.
//! * [`uv`] has windows that count unique visitors.

pub mod classic;
pub mod filters;
pub mod inputs;
pub mod report;
pub mod rivals;
pub mod sections;
pub mod uv;
