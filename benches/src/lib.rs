//! What the benchmarks share, and the report that `cargo xtask report` writes.
//!
//! * `benches/*.rs` are criterion suites, to work on one structure: `cargo bench -p tallis-benches --bench intset`.
//! * [`classic`] holds what stands for Redis's own C.
//! * [`filters`] are Bloom filters, ours and others.
//! * [`inputs`] are what suites and report measure with.
//! * [`rivals`] are sorted sets of other make.
//! * [`report`] measures ours and its rivals side by side and writes a table; [`sections`] says what is measured.
//! * [`uv`] are windows to count visitors in.

pub mod classic;
pub mod filters;
pub mod inputs;
pub mod report;
pub mod rivals;
pub mod sections;
pub mod uv;
