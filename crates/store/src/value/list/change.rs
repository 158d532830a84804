//! Changes of a list and of its encoding.

use std::ops::Range;

use bytes::Bytes;
use listpack::Entry;
use quicklist::QuickList;

use super::{Direction, List};
use crate::member::Member;
use crate::policy::EncodingPolicy;

impl List {
    /// Prepares the encoding for a command that will add these elements.
    #[inline]
    pub(crate) fn expect(&mut self, elements: &[Member<'_>], policy: &EncodingPolicy<'_>) {
        match self {
            Self::ListPack(list) => {
                let text: usize =
                    elements.iter().map(|&element| Entry::from(element).text_len()).sum();
                let bytes = list.as_bytes().len().saturating_add(text);
                if policy.list_fill().is_exceeded(bytes, list.len() + elements.len()) {
                    let list = std::mem::take(list);
                    let limits = policy.list_limits();
                    *self = Self::Quick(Box::new(QuickList::from_listpack(list, limits)));
                }
            }
            Self::Quick(list) => list.set_plain_from(policy.list_plain_from()),
        }
    }

    /// Adds an element at an end.
    #[inline]
    pub(crate) fn push(&mut self, end: Direction, element: Member<'_>) {
        let element = Entry::from(element);
        let pushed = match (self, end) {
            (Self::ListPack(list), Direction::Left) => list.push_front(element).is_ok(),
            (Self::ListPack(list), Direction::Right) => list.push_back(element).is_ok(),
            (Self::Quick(list), Direction::Left) => list.push_front(element).is_ok(),
            (Self::Quick(list), Direction::Right) => list.push_back(element).is_ok(),
        };
        debug_assert!(pushed, "an element of 512 MiB fits");
    }

    /// Removes and returns the element at an end.
    pub(crate) fn pop(&mut self, end: Direction) -> Option<Bytes> {
        match (self, end) {
            (Self::ListPack(list), Direction::Left) => {
                list.pop_front_with(|element| element.with_bytes(Bytes::copy_from_slice))
            }
            (Self::ListPack(list), Direction::Right) => {
                list.pop_back_with(|element| element.with_bytes(Bytes::copy_from_slice))
            }
            (Self::Quick(list), Direction::Left) => list.pop_front().map(Bytes::from),
            (Self::Quick(list), Direction::Right) => list.pop_back().map(Bytes::from),
        }
    }

    /// Replaces the element at an index; returns `false` if the index is out of range.
    pub(crate) fn set(&mut self, index: i64, element: Member<'_>) -> bool {
        let Some(index) = self.index(index) else { return false };
        match self {
            Self::ListPack(list) => {
                list.seek(index).is_some_and(|at| list.replace(at, Entry::from(element)).is_ok())
            }
            Self::Quick(list) => list.set(index, Entry::from(element)).is_ok(),
        }
    }

    /// Inserts an element before or after the first that equals `pivot`; returns `false` if there is none.
    pub(crate) fn insert(&mut self, pivot: Member<'_>, element: Member<'_>, before: bool) -> bool {
        let (pivot, element) = (Entry::from(pivot), Entry::from(element));
        match self {
            Self::ListPack(list) => {
                let Some(found) = list.find(pivot) else { return false };
                let at = if before { Some(found) } else { list.next(found) };
                list.insert(at.unwrap_or(list.end()), element).is_ok()
            }
            Self::Quick(list) => {
                let inserted = if before {
                    list.insert_before(pivot, element)
                } else {
                    list.insert_after(pivot, element)
                };
                inserted == Ok(true)
            }
        }
    }

    /// Removes at most `most` elements that equal `element`, the first ones in that direction; returns how many.
    pub(crate) fn remove(&mut self, element: Member<'_>, most: usize, from: Direction) -> usize {
        let needle = Entry::from(element).canonical();
        match (self, from) {
            (Self::ListPack(list), Direction::Left) => list.remove(needle, most),
            (Self::ListPack(list), Direction::Right) => list.remove_back(needle, most),
            (Self::Quick(list), Direction::Left) => list.remove(needle, most),
            (Self::Quick(list), Direction::Right) => list.remove_back(needle, most),
        }
    }

    /// Removes the elements at these indexes.
    pub(crate) fn delete(&mut self, range: Range<usize>) {
        match self {
            Self::ListPack(list) => list.delete_range(range.start, range.len()),
            Self::Quick(list) => list.delete_range(range.start, range.len()),
        };
    }

    /// Keeps only the elements at these indexes.
    pub(crate) fn trim(&mut self, keep: Range<usize>) {
        match self {
            Self::ListPack(list) => {
                let behind = list.len() - keep.end;
                list.delete_range(keep.end, behind);
                list.delete_range(0, keep.start);
            }
            Self::Quick(list) => list.trim(keep),
        }
    }

    /// Converts a quicklist that has lost elements to a listpack, if few are left.
    pub(crate) fn shrunk(&mut self, policy: &EncodingPolicy<'_>) {
        self.settle(2, policy);
    }

    /// Converts a quicklist of one packed node to a listpack, if the node is at most a part of the maximum node size.
    pub(super) fn settle(&mut self, part: usize, policy: &EncodingPolicy<'_>) {
        let Self::Quick(list) = self else { return };
        if !policy.profile.list_listpacks() || list.node_count() != 1 {
            return;
        }
        let (bytes, elements) = policy.list_fill().limits();
        // A plain node cannot be converted: it is put back.
        let small = list.nodes().all(|node| {
            bytes.is_none_or(|most| node.size() <= most / part)
                && elements.is_none_or(|most| node.count() <= most / part)
        });
        if !small {
            return;
        }
        let limits = *list.limits();
        let list = std::mem::replace(&mut **list, QuickList::new(limits));
        match list.into_listpack() {
            Ok(list) => *self = Self::ListPack(list),
            Err(list) => *self = Self::Quick(Box::new(list)),
        }
    }
}
