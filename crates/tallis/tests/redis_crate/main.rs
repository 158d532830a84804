//! Connections of the `redis` crate that lead to a store: what the crate builds on them runs, in both of its versions.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod v1;
mod v2;
