//! The loops over all registers.

pub(crate) mod portable;

pub(crate) use portable::*;
