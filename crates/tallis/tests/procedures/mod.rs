//! What a recipe refuses, it refuses before it changes anything.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod cohorts;
mod dedup;
mod limits;
mod locations;
mod refusal;
mod sharded_set;
mod visitors;
mod windows;
