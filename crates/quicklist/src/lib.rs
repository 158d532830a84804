#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A linked list takes two pointers and a heap block for each element; a single listpack moves half of its bytes for
//! each insertion. So a list is a sequence of listpacks of some kilobytes each: *nodes*. DUMP payloads and RDB files
//! contain the nodes. The same operations in the same order leave the same nodes as on redis-server 7.0.15, byte for
//! byte, for any [fill](Fill) and compression [depth](Limits::depth). A server goes from node to node to find an
//! element by its index; here an index over the nodes finds it.
//!
//! ## Representation
//!
//! ```text
//! list     runs of up to 64 nodes, each with the number of its elements
//!
//! node     packed       a listpack, some 8 KiB of elements: see the crate listpack
//!          plain        one large element by itself
//!          compressed   an LZF stream of either: see the crate lzf
//! ```
//!
//! [`QuickList::nodes`] returns them as a file has them: container 2 for a listpack, 1 for a plain element, and the
//! stream of a compressed node.
//!
//! ## Transitions
//!
//! * **Pushing.** An element is added to the node at the end if that has room for its text and eight bytes more; else a
//!   new node is made for it.
//! * **Inserting.** Into the node of its neighbour if that has room. At an end of a full node: into the adjacent node
//!   if that has room, else into a new node. Within a full node: the node is split there, and afterwards nodes that fit
//!   into one are merged: the two before, the two after, then the neighbours.
//! * **Replacing.** In place, even if the node is full.
//! * **Removing.** A node is removed with its last element; nodes are not merged.
//! * **Large elements**, as [`Limits::plain_from`] says, each have a plain node.
//! * **Compressing.** All nodes but [`Limits::depth`] at either end are compressed, if they have at least 48 bytes and
//!   get shorter by more than 8. An operation that changes a compressed node decompresses it and compresses it again;
//!   one that reads decompresses a copy.
//!
//! Two things differ between 7.0 and 7.2: [`Limits::exact_merge`] and [`Limits::merge_replaced`]. Since 7.2 a small
//! list is one listpack without a quicklist: see [`QuickList::from_listpack`], [`QuickList::into_listpack`] and
//! [`Fill::is_exceeded`].
//!
//! ## Worked example
//!
//! ```
//! use quicklist::{Fill, Limits, QuickList};
//!
//! let limits = Limits { fill: Fill::new(3), ..Limits::default() };
//! let mut list = QuickList::new(limits);
//! let cut = |list: &QuickList| list.nodes().map(|node| node.count()).collect::<Vec<_>>();
//! for element in ["a", "b", "c", "d", "e"] {
//!     list.push_back(element)?;
//! }
//! assert_eq!(cut(&list), [3, 2]);
//! list.insert_before("b", "x")?; // a x | b c | d e
//! assert_eq!(cut(&list), [2, 2, 2]);
//! list.insert_after("x", "y")?; // a x y | b c | d e
//! list.insert_after("y", "z")?; // a x y | z b c | d e
//! assert_eq!(cut(&list), [3, 3, 2]);
//! assert_eq!(list.remove("b", 1), 1);
//! assert_eq!(format!("{list:?}"), r#"["a", "x", "y", "z", "c", "d", "e"]"#);
//! let last = list.nodes().last().expect("three nodes");
//! assert_eq!(&*last.bytes(), [13, 0, 0, 0, 2, 0, 0x81, b'd', 2, 0x81, b'e', 2, 0xff]);
//! # Ok::<(), quicklist::Refused>(())
//! ```
//!
//! ## Size
//!
//! The bytes of the listpacks, and 32 for each node. A node that grows has slack, which is released when elements are
//! pushed to the next node; see the crate `listpack`. [`QuickList::heap_bytes`] includes it. A thread that compresses
//! nodes has a table of 256 KiB for all of its lists.
//!
//! ## Complexity
//!
//! n elements in m nodes, of which k are returned or removed; within a node, O(its bytes). In a node that is full or was
//! read from a file, and whose elements all have one size, an index is found in O(1).
//!
//! | operation | time |
//! |---|---|
//! | [`len`](QuickList::len), [`node_count`](QuickList::node_count) | O(1) |
//! | [`push_back`](QuickList::push_back), [`push_front`](QuickList::push_front), [`pop_back`](QuickList::pop_back), [`pop_front`](QuickList::pop_front) | O(1) |
//! | [`get`](QuickList::get), [`set`](QuickList::set), [`insert`](QuickList::insert) | O(m / 64) |
//! | [`range`](QuickList::range) | O(m / 64 + k) |
//! | [`delete_range`](QuickList::delete_range), [`trim`](QuickList::trim) | O(m / 64 + removed nodes) |
//! | [`insert_before`](QuickList::insert_before), [`insert_after`](QuickList::insert_after), [`remove`](QuickList::remove), [`positions`](QuickList::positions) | O(n) |
//!
//! ## References
//!
//! * Redis's description of the type: <https://redis.io/docs/latest/develop/data-types/lists/>
//! * `src/quicklist.c` and `src/t_list.c` of Redis 7.0.15 and 7.2.6 (BSD).
#![forbid(unsafe_code)]

mod depth;
mod element;
mod error;
mod find;
mod form;
mod insert;
mod iter;
mod limits;
mod list;
mod node;
mod node_ref;
mod nodes;
mod remove;
mod replace;
#[cfg(feature = "serde")]
mod serde;
mod traits;

pub use element::Element;
pub use error::Refused;
pub use iter::Iter;
pub use limits::{Fill, Limits};
pub use list::QuickList;
pub use listpack::{Entry, ListPack};
pub use node_ref::NodeRef;
