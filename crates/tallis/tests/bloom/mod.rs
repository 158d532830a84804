//! Bloom filters in a store.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod calls;
mod recorded;
mod transcript;
mod versions;
