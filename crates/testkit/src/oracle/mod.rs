//! Plain models of the structures, and the operations that drive a structure and its model side by side.

pub mod hll;
pub mod int_set;
pub mod list_pack;
pub mod quick_list;
