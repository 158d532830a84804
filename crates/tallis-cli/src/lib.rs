//! The parts of the `tallis` program.
//!
//! They are a library so that benchmarks, fuzz targets and tests can reach them; the program is what is kept stable.

pub mod cli;
pub mod uv;
