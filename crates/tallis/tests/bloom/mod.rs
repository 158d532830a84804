//! Bloom filters in a store.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod calls;
mod recorded;
mod transcript;
mod versions;
