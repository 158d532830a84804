//! Snapshots during writes: each has the state of one point in time, whatever is written meanwhile.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod actions;
mod commands;
mod model;
mod output;
mod sums;
