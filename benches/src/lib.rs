//! What the benchmarks share.
