//! Tests of hash tables that grow by one bucket at a time.
//!
//! They are one program, because linking a program takes longer than running its tests.

mod growth;
mod model;
