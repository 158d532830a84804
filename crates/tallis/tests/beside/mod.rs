//! Snapshots during writes: each has the state of one point in time, whatever is written meanwhile.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod actions;
mod commands;
mod model;
mod output;
mod sums;
