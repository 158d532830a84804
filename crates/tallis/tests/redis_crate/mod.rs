//! Connections of the `redis` crate to a store: what the crate builds on them works, in both of its versions.

#![expect(clippy::duplicate_mod, reason = "the same tests for both versions")]

mod v1;
mod v2;
