//! Sorted sets. One binary, because linking takes longer than running the tests.

mod corruption;
mod golden;
mod members;
mod model;
mod ranges;
mod size;
