//! Sets of integers, plain and compact. One program: each that is linked takes longer than its tests.

mod boundaries;
mod compact;
mod compact_model;
mod corruption;
mod golden;
mod model;
