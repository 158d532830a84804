//! A refused procedure of a recipe has changed nothing.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod cohorts;
mod dedup;
mod limits;
mod locations;
mod refusal;
mod sharded_set;
mod visitors;
mod windows;
