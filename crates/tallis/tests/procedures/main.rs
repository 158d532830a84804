//! What a recipe refuses, it refuses before it changes anything.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod refusal;
mod sharded_set;
mod visitors;
