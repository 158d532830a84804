//! Bits, fields and records. One binary, because linking takes longer than running the tests.

mod bitfield;
mod bits;
mod model;
mod packed;
