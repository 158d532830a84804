//! Sketches. One program: each that is linked takes longer than its tests.

mod error;
mod golden;
mod hostile;
mod model;
mod union;
