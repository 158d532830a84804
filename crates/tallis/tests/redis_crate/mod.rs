//! Connections of the `redis` crate that lead to a store: what the crate builds on them runs, in both of its versions.

#![expect(clippy::duplicate_mod, reason = "the same tests for both versions")]

mod v1;
mod v2;
