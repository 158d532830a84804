//! Simple models of the structures, and operations to run on a structure and its model.
//!
//! Operations are read from bytes by [`Arbitrary`](arbitrary::Arbitrary), with values that are often small, so that
//! they repeat, and often at the edge of an encoding. [`sequence`](crate::sequence) runs them.
//!
//! | module | model | operations | a structure of yours |
//! |---|---|---|---|
//! | [`int_set`] | a `BTreeSet`, and the blob of Redis's intset | [`IntSetOp`](int_set::IntSetOp) | is an [`IntegerSet`](int_set::IntegerSet) |
//! | [`list_pack`] | a `Vec` of texts, and the blob of Redis's listpack | [`ListPackOp`](list_pack::ListPackOp) | by a step of its own |
//! | [`quick_list`] | a `VecDeque` of texts, which the caller has | [`QuickListOp`](quick_list::QuickListOp) | by a step of its own |
//! | [`hll`] | a byte for each register, and Ertl's estimate | [`HllOp`](hll::HllOp) | by a step of its own |

pub mod hll;
pub mod int_set;
pub mod list_pack;
pub mod quick_list;
