//! Sets of integers, plain and compact. One binary, because linking takes longer than running the tests.

mod boundaries;
mod compact;
mod compact_model;
mod corruption;
mod golden;
mod model;
