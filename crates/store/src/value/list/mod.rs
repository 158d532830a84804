//! A list: a listpack while it is small, then a quicklist.
//!
//! # Transitions
//!
//! | from | trigger | to |
//! |---|---|---|
//! | listpack | elements that exceed `list-max-listpack-size` | quicklist |
//! | quicklist | elements are removed, and one packed node of at most half of that remains | listpack |
//! | quicklist, just built or loaded | one packed node of at most that | listpack |
//!
//! [`Profile::Redis70`](crate::Profile::Redis70) has only quicklists.

mod change;
mod load;
mod visit;

use bytes::Bytes;
use listpack::ListPack;
pub(crate) use load::Loading;
use quicklist::{Fill, Limits, NodeRef, QuickList};

use super::{Value, allocated};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A list.
#[derive(Clone, Debug)]
pub(crate) enum List {
    /// A few elements, in Redis's encoding.
    ListPack(ListPack),
    /// Any number of elements, in nodes.
    Quick(Box<QuickList>),
}

/// An end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Direction {
    /// LEFT: the first element.
    Left,
    /// RIGHT: the last element.
    Right,
}

impl Value {
    /// The list, if it is one.
    #[inline]
    pub(crate) const fn as_list(&self) -> Option<&List> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The list, if it is one, mutable.
    #[inline]
    pub(crate) const fn as_list_mut(&mut self) -> Option<&mut List> {
        if let Self::List(list) = self { Some(list) } else { None }
    }
}

impl EncodingPolicy<'_> {
    /// The limits of the nodes of a new list.
    fn list_limits(&self) -> Limits {
        Limits {
            fill: self.list_fill(),
            depth: u16::try_from(self.settings.list_compress_depth()).unwrap_or(u16::MAX),
            plain_from: self.list_plain_from(),
            exact_merge: self.profile.list_merges_exactly(),
            merge_replaced: self.profile.list_merges_replaced(),
        }
    }

    fn list_plain_from(&self) -> u32 {
        self.settings.list_plain_from().unwrap_or(self.profile.list_plain_from())
    }

    fn list_fill(&self) -> Fill {
        Fill::new(self.settings.list_max_listpack_size() as i64)
    }
}

impl List {
    /// Creates an empty list.
    pub(crate) fn new(policy: &EncodingPolicy<'_>) -> Self {
        if policy.profile.list_listpacks() {
            Self::ListPack(ListPack::new())
        } else {
            Self::quick(policy)
        }
    }

    /// Creates an empty quicklist.
    fn quick(policy: &EncodingPolicy<'_>) -> Self {
        Self::Quick(Box::new(QuickList::new(policy.list_limits())))
    }

    /// A copy that shares nodes until they change.
    pub(super) fn share(&mut self) -> Self {
        match self {
            Self::ListPack(list) => Self::ListPack(list.clone()),
            Self::Quick(list) => Self::Quick(Box::new(list.share())),
        }
    }

    /// The number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::ListPack(list) => list.len(),
            Self::Quick(list) => list.len(),
        }
    }

    /// The name of the encoding in OBJECT ENCODING.
    pub(super) const fn encoding(&self) -> &'static str {
        match self {
            Self::ListPack(_) => "listpack",
            Self::Quick(_) => "quicklist",
        }
    }

    /// The heap memory, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::ListPack(list) => allocated(list.heap_bytes()),
            Self::Quick(list) => allocated(size_of::<QuickList>()) + list.heap_bytes(),
        }
    }

    /// The statistics of the nodes of a quicklist for DEBUG OBJECT; empty for a listpack.
    pub(crate) fn nodes_in_figures(&self) -> String {
        let Self::Quick(list) = self else { return String::new() };
        let bytes: usize = list.nodes().map(NodeRef::size).sum();
        let limits = list.limits();
        #[expect(clippy::cast_precision_loss, reason = "only two decimals of the mean are shown")]
        let mean = list.len() as f64 / list.node_count() as f64;
        format!(
            " ql_nodes:{} ql_avg_node:{mean:.2} ql_listpack_max:{} ql_compressed:{} \
             ql_uncompressed_size:{bytes}",
            list.node_count(),
            limits.fill.get(),
            u8::from(limits.depth > 0),
        )
    }

    /// Converts an index of Redis, where -1 is the last element, to an index from the front. `None` if it is out of
    /// range.
    pub(crate) fn index(&self, index: i64) -> Option<usize> {
        let place = match usize::try_from(index) {
            Ok(front) => front,
            Err(_) => self.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
        };
        (place < self.len()).then_some(place)
    }

    /// Calls `read` with the element at an index, if it exists.
    #[inline]
    pub(crate) fn get<R>(&self, index: i64, read: impl FnOnce(Member<'_>) -> R) -> Option<R> {
        match self {
            // From the nearer end.
            Self::ListPack(list) => {
                let entry = match usize::try_from(index) {
                    Ok(front) => list.get(front),
                    Err(_) => list.get_back(usize::try_from(index.unsigned_abs()).ok()? - 1),
                };
                entry.map(|entry| read(entry.into()))
            }
            Self::Quick(list) => {
                list.get(list.index(index)?).map(|element| read(element.entry().into()))
            }
        }
    }

    /// The element at an index.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has its own lifetime"
    )]
    pub(crate) fn element(&self, index: i64) -> Option<Bytes> {
        self.get(index, |element| element.to_bytes())
    }
}
