//! Bloom filters in a store.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

#[path = "../answer/mod.rs"]
mod answer;
mod calls;
#[path = "../journal/mod.rs"]
mod journal;
mod recorded;
mod transcript;
mod versions;
