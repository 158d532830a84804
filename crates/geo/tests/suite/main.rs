//! Positions, distances and shapes. One program: each that is linked takes longer than its tests.

mod golden;
mod model;
