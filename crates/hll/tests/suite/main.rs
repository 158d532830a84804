//! Sketches. One binary, because linking takes longer than running the tests.

mod error;
mod golden;
mod hostile;
mod model;
mod union;
