//! One node: a listpack, a plain element, or either of them compressed.

use std::borrow::Cow;

use listpack::{Entry, ListPack, Position, Validation};

use crate::form::{Compressed, Form, Held};
use crate::{Limits, Refused};

/// A node, and its state during a change of the list.
#[derive(Clone)]
pub(crate) struct Node {
    form: Form,
    /// The elements; one in a plain node.
    count: u32,
    /// The bytes of each entry of the listpack, if all of them are known to have as many; [`MIXED`] if they had not when
    /// they were last measured; or 0.
    fixed: u16,
    /// It was compressed before the current operation, and will be compressed again after it.
    recompress: bool,
    /// It must not be compressed for now.
    held: bool,
}

/// More bytes than an entry of a node with several may have.
const MIXED: u16 = u16::MAX;

/// What a node holds, as bytes that can be read.
pub(crate) enum Content<'a> {
    Packed(Cow<'a, ListPack>),
    Plain(Cow<'a, [u8]>),
}

// The documentation says so.
const _: () = assert!(size_of::<Node>() <= 32);

impl Node {
    /// A node of the listpack, which has `count` elements.
    pub(crate) fn packed(list: ListPack, count: usize) -> Self {
        Self::of(Held::Packed(list), count)
    }

    pub(crate) fn plain(element: Box<[u8]>) -> Self {
        Self::of(Held::Plain(element), 1)
    }

    fn of(held: Held, count: usize) -> Self {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Self { form: Form::Own(held), count, fixed: 0, recompress: false, held: false }
    }

    /// Another node that holds the same, which neither copies before it changes.
    pub(crate) fn share(&mut self) -> Self {
        Self { form: self.form.share(), ..*self }
    }

    /// The number of elements.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    #[inline]
    pub(crate) fn set_count(&mut self, count: usize) {
        self.count = u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// The bytes of the listpack or of the element, uncompressed.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        match self.form.held() {
            Held::Packed(list) => list.as_bytes().len(),
            Held::Plain(element) => element.len(),
            Held::Compressed(compressed) => compressed.len as usize,
        }
    }

    /// Whether the node is one plain element.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        match self.form.held() {
            Held::Packed(_) => false,
            Held::Plain(_) => true,
            Held::Compressed(compressed) => !compressed.packed,
        }
    }

    #[inline]
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self.form.held(), Held::Compressed(_))
    }

    /// The stream, if the node is compressed.
    pub(crate) fn stream(&self) -> Option<&[u8]> {
        match self.form.held() {
            Held::Compressed(compressed) => Some(&compressed.stream),
            Held::Packed(_) | Held::Plain(_) => None,
        }
    }

    /// The listpack or the element; a copy of it if the node is compressed.
    pub(crate) fn content(&self) -> Content<'_> {
        match self.form.held() {
            Held::Packed(list) => Content::Packed(Cow::Borrowed(list)),
            Held::Plain(element) => Content::Plain(Cow::Borrowed(element)),
            Held::Compressed(compressed) if compressed.packed => {
                Content::Packed(Cow::Owned(compressed.expand_list()))
            }
            Held::Compressed(compressed) => Content::Plain(Cow::Owned(compressed.expand())),
        }
    }

    /// The listpack, if the node is one and is not compressed.
    #[inline]
    pub(crate) fn list(&self) -> Option<&ListPack> {
        if let Held::Packed(list) = self.form.held() { Some(list) } else { None }
    }

    /// The listpack, if the node is one and is not compressed.
    #[inline]
    pub(crate) fn list_mut(&mut self) -> Option<&mut ListPack> {
        self.fixed = 0;
        self.list_to_cut()
    }

    /// As [`list_mut`](Self::list_mut), if entries are only removed: those that are left have the sizes that they had.
    #[inline]
    pub(crate) fn list_to_cut(&mut self) -> Option<&mut ListPack> {
        if let Form::Shared(held) = &self.form
            && matches!(**held, Held::Packed(_))
        {
            self.form.part();
        }
        if let Form::Own(Held::Packed(list)) = &mut self.form { Some(list) } else { None }
    }

    /// Whether the limits allow to push an element of `len` bytes to the node.
    #[inline]
    pub(crate) fn allows_push(&self, limits: &Limits, len: usize) -> bool {
        let size = match self.form.held() {
            Held::Packed(list) => list.as_bytes().len(),
            Held::Compressed(compressed) if compressed.packed => compressed.len as usize,
            Held::Plain(_) | Held::Compressed(_) => return false,
        };
        limits.allow_push(size, self.count(), len)
    }

    /// Pushes an element to an end of an uncompressed listpack.
    #[inline]
    pub(crate) fn push(&mut self, element: Entry<'_>, back: bool) -> Result<(), Refused> {
        let pushed = self.list_for(element).is_some_and(|list| {
            if back { list.push_back(element) } else { list.push_front(element) }.is_ok()
        });
        if !pushed {
            return Err(Refused::TooLarge { len: element.text_len() });
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// The listpack, if the node is one and is not compressed, to add this entry or to replace one by it.
    #[inline]
    pub(crate) fn list_for(&mut self, entry: Entry<'_>) -> Option<&mut ListPack> {
        if self.fixed > 0 && entry.encoded_len() != usize::from(self.fixed) {
            self.fixed = 0;
        }
        self.list_to_cut()
    }

    /// Removes the entry at `at` from an uncompressed listpack; returns whether no element is left, also where the
    /// listpack has fewer elements than its header counts.
    #[inline]
    pub(crate) fn delete(&mut self, at: Position) -> bool {
        let empty = self.list_to_cut().is_some_and(|list| {
            list.delete(at);
            list.is_empty()
        });
        self.count = self.count.saturating_sub(1);
        empty || self.count == 0
    }

    /// Removes the element at an end of an uncompressed listpack. Returns what `read` returned for it, and whether no
    /// element is left, as [`delete`](Self::delete) does; `None` if there is no listpack or no entry.
    #[inline]
    pub(crate) fn pop<R>(
        &mut self,
        back: bool,
        read: impl FnOnce(Entry<'_>) -> R,
    ) -> Option<(R, bool)> {
        let list = self.list_to_cut()?;
        let result = if back { list.pop_back_with(read) } else { list.pop_front_with(read) }?;
        let empty = list.is_empty();
        self.count = self.count.saturating_sub(1);
        Some((result, empty || self.count == 0))
    }

    /// Removes `count` entries from `index` on from an uncompressed listpack.
    pub(crate) fn cut(&mut self, index: usize, count: usize) {
        let at = self.list().and_then(|list| self.seek(list, index));
        if let (Some(at), Some(list)) = (at, self.list_to_cut()) {
            list.delete_run(at, count);
        }
    }

    /// The listpack, or the element that has no listpack.
    pub(crate) fn into_content(mut self) -> Result<ListPack, Box<[u8]>> {
        self.decompress();
        match self.form.into_held() {
            Held::Packed(list) => Ok(list),
            Held::Plain(element) => Err(element),
            Held::Compressed(compressed) => Err(compressed.expand().into()),
        }
    }

    /// Whether an element is equal to `needle`.
    pub(crate) fn contains(&self, needle: Entry<'_>) -> bool {
        match self.content() {
            Content::Packed(list) => list.contains(needle),
            Content::Plain(element) => needle.with_bytes(|text| *text == *element),
        }
    }

    /// Compresses the node if that makes it smaller, unless it is held open.
    pub(crate) fn compress(&mut self) {
        if self.is_compressed() || self.held {
            return;
        }
        self.recompress = false;
        let (plain, packed) = match self.form.held() {
            Held::Packed(list) => (list.as_bytes(), true),
            Held::Plain(element) => (&**element, false),
            Held::Compressed(_) => return,
        };
        if let Some(compressed) = Compressed::of(plain, packed) {
            self.form = Form::Own(Held::Compressed(Box::new(compressed)));
        }
    }

    /// Expands the node if it is compressed, for good.
    pub(crate) fn decompress(&mut self) {
        if let Held::Compressed(compressed) = self.form.held() {
            self.form = Form::Own(if compressed.packed {
                Held::Packed(compressed.expand_list())
            } else {
                Held::Plain(compressed.expand().into())
            });
            self.recompress = false;
        }
    }

    /// Expands the node if it is compressed, until [`close`](Self::close).
    pub(crate) fn open(&mut self) {
        if self.is_compressed() {
            self.decompress();
            self.recompress = true;
        }
    }

    /// Compresses the node again if it was opened; returns whether it was.
    pub(crate) fn close(&mut self) -> bool {
        let opened = self.recompress;
        if opened {
            self.compress();
        }
        opened
    }

    /// Takes over what another node holds, with as many elements.
    pub(crate) fn take_content(&mut self, other: Self) {
        (self.form, self.fixed) = (other.form, other.fixed);
    }

    /// Resets the state of an opened or held node.
    pub(crate) fn release(&mut self) {
        (self.recompress, self.held) = (false, false);
    }

    /// Sets whether the node must not be compressed.
    pub(crate) fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Whether no elements are left.
    pub(crate) fn is_spent(&self) -> bool {
        self.count == 0 || self.list().is_some_and(ListPack::is_empty)
    }

    /// Whether an operation has left the node as one that it still works on.
    pub(crate) fn is_in_use(&self) -> bool {
        self.recompress || self.held
    }

    /// The bytes on the heap, slack included. Shared memory counts in both lists.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self.form.held() {
            Held::Packed(list) => list.heap_bytes(),
            Held::Plain(element) => element.len(),
            Held::Compressed(compressed) => size_of::<Compressed>() + compressed.stream.len(),
        }
    }

    /// Determines the size of the entries of an uncompressed listpack, unless that was done since the last was added or
    /// replaced: an element that comes and goes beside a full node must not have it scanned each time. O(n).
    pub(crate) fn measure(&mut self) {
        if self.fixed == 0
            && let Some(list) = self.list()
        {
            let size = list.fixed_size().and_then(|size| size.try_into().ok());
            self.fixed = size.unwrap_or(MIXED);
        }
    }

    /// Prefetches `count` entries from `index` on, if their positions are known.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize, count: usize) {
        if let (Held::Packed(list), Some(size)) = (self.form.held(), self.entry_size()) {
            list.prefetch_fixed(index, count, size);
        }
    }

    /// The position of an entry in the listpack of this node, or in a copy of it. O(1) if all entries are known to have
    /// one size, else O(n).
    #[inline]
    pub(crate) fn seek(&self, list: &ListPack, index: usize) -> Option<Position> {
        match self.entry_size() {
            None => list.seek(index),
            Some(size) => list.seek_fixed(index, size),
        }
    }

    /// The size of the entries, if all are known to have one.
    #[inline]
    fn entry_size(&self) -> Option<usize> {
        match self.fixed {
            0 | MIXED => None,
            size => Some(size.into()),
        }
    }

    /// Panics unless the number and the size of the elements are those of the listpack.
    pub(crate) fn verify(&self) {
        match self.content() {
            Content::Packed(list) => {
                list.validate(Validation::Deep).expect("the listpack is valid");
                assert_eq!(list.len(), self.count(), "elements of a node");
                assert_eq!(list.as_bytes().len(), self.size(), "bytes of a node");
                assert!(self.count > 0, "a node is empty");
                if let Some(size) = self.entry_size() {
                    assert_eq!(list.fixed_size(), Some(size), "size of the entries");
                }
            }
            Content::Plain(element) => {
                assert_eq!((self.count, self.fixed), (1, 0), "a plain node");
                assert_eq!(element.len(), self.size(), "bytes of a plain node");
            }
        }
    }

    /// Releases slack, unless the node is shared with another list.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Form::Own(Held::Packed(list)) = &mut self.form {
            list.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of the texts, which has measured them.
    fn measured(texts: &[&str]) -> Node {
        let mut list = ListPack::new();
        for text in texts {
            list.push_back(*text).unwrap();
        }
        let mut node = Node::packed(list, texts.len());
        node.measure();
        node.verify();
        node
    }

    #[test]
    fn a_node_knows_the_size_of_its_entries_as_long_as_all_have_it() {
        assert_eq!(measured(&["aa", "bb", "cc"]).fixed, 4);
        assert_eq!(measured(&["aa", "bb", "c", "ddd"]).fixed, MIXED);
        assert_eq!(measured(&["x".repeat(70_000).as_str()]).fixed, MIXED);
        let after = |change: &dyn Fn(&mut Node)| {
            let mut node = measured(&["aa", "bb", "cc"]);
            change(&mut node);
            node.set_count(node.list().map_or(0, ListPack::len));
            node.verify();
            node.fixed
        };
        for back in [true, false] {
            assert_eq!(after(&|node| node.push(Entry::from("dd"), back).unwrap()), 4);
            assert_eq!(after(&|node| node.push(Entry::from("d"), back).unwrap()), 0);
        }
        let second = |node: &Node| node.list().unwrap().seek(1).unwrap();
        let replaced = |text| {
            after(&|node| {
                let at = second(node);
                node.list_for(Entry::from(text)).unwrap().replace(at, text).unwrap();
            })
        };
        assert_eq!((replaced("dd"), replaced("d"), replaced("ddd"), replaced("7")), (4, 0, 0, 0));
        assert_eq!(after(&|node| assert!(!node.delete(second(node)))), 4);
        assert_eq!(after(&|node| node.cut(1, 1)), 4);
        assert_eq!(after(&|node| assert!(node.list_mut().is_some())), 0);
    }

    #[test]
    fn a_node_is_measured_once_until_it_changes() {
        for texts in [&["aa", "bb"], &["aa", "b"]] {
            let mut node = measured(texts);
            for known in [MIXED, 9] {
                node.fixed = known;
                node.measure();
                assert_eq!(node.fixed, known, "it was not read again");
            }
            node.push(Entry::from("c"), true).unwrap();
            assert_eq!(node.fixed, 0);
            node.measure();
            assert_eq!(node.fixed, MIXED);
        }
    }

    #[test]
    fn a_node_is_empty_without_entries_whatever_the_header_counts() {
        let mut list = ListPack::new();
        list.push_back("a").unwrap();
        let mut blob = list.into_bytes();
        blob[4] = 3;
        let list = ListPack::from_bytes(blob, Validation::Shallow).unwrap();
        let node = || Node::packed(list.clone(), 3);
        assert!(node().delete(list.first().unwrap()));
        for back in [true, false] {
            assert_eq!(node().pop(back, |entry| entry == Entry::from("a")), Some((true, true)));
        }
    }

    #[test]
    fn an_entry_is_sought_by_its_index() {
        for texts in [&["aa", "bb", "cc"], &["aa", "b", "ccc"]] {
            let node = measured(texts);
            let list = node.list().unwrap();
            for index in 0..4 {
                node.prefetch(index, 3);
                assert_eq!(node.seek(list, index), list.seek(index), "{index} of {texts:?}");
            }
        }
    }
}
