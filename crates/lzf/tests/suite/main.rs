//! The integration tests: one program, because linking a program takes longer than running its tests.

mod golden;
mod literals;
