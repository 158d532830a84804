//! Bits, fields and records. One program: each that is linked takes longer than its tests.

mod bitfield;
mod bits;
mod model;
mod packed;
