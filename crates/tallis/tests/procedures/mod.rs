//! What a recipe refuses, it refuses before it changes anything.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod cohorts;
mod dedup;
mod limits;
mod locations;
mod refusal;
mod sharded_set;
mod visitors;
mod windows;
