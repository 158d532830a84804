//! Cohorts: the calendar, marks, expressions compared with a simple model, retention, and deletion of events.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod bitmapist;
mod events;
mod expressions;
mod marks;
mod periods;
mod retention;
