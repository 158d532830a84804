//! Sorted sets. One program: each that is linked takes longer than its tests.

mod corruption;
mod golden;
mod model;
mod ranges;
mod size;
