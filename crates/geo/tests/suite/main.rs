//! Positions, distances and shapes. One binary, because linking takes longer than running the tests.

mod golden;
mod model;
