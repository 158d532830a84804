//! What recipes refuse: whatever their keys hold, a call does all of it or changes nothing.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod cohorts;
mod dedup;
mod limits;
mod locations;
mod refusal;
mod windows;
