//! What the benchmarks share, and the report that `cargo xtask report` writes.
//!
//! * `benches/*.rs` are criterion suites, to work on one structure: `cargo bench -p tallis-benches --bench intset`.
//! * [`classic`] holds what stands for Redis's own C.
//! * [`report`] measures ours and its rivals side by side and writes a table; [`sections`] says what is measured.

pub mod classic;
pub mod report;
pub mod sections;
