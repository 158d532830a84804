//! Plain models of the structures: slow, and simple enough to be believed.

pub mod hll;
