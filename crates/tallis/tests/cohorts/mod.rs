//! Cohorts: the calendar, marks, expressions compared with a simple model, retention, and deletion of events.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod bitmapist;
mod events;
mod expressions;
mod marks;
mod periods;
mod retention;
