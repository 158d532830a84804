use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;
use std::sync::Arc;

use listpack::{Entry, ListPack, Position};

use crate::node::{Content, Node};
use crate::nodes::Place;
use crate::{Element, QuickList};

/// A double-ended iterator over a range of a [`QuickList`]. Created by [`QuickList::iter`] and [`QuickList::range`].
///
/// A compressed node is decompressed once for each end that reaches it.
#[derive(Clone)]
pub struct Iter<'a> {
    list: &'a QuickList,
    front: End<'a>,
    back: End<'a>,
    /// The number of elements that neither end has returned.
    left: usize,
}

/// The state of one end.
#[derive(Clone)]
struct End<'a> {
    /// The index of the first element, until its node is looked up: many iterations never use their back end.
    index: Option<usize>,
    /// The next node.
    next: Option<Place>,
    /// The number of entries of that node to skip, in the direction of this end.
    skip: usize,
    node: Open<'a>,
}

/// The remaining entries of a node.
#[derive(Clone)]
enum Open<'a> {
    Spent,
    Element(Element<'a>),
    Front(listpack::Iter<'a>),
    Back(&'a ListPack, Option<Position>),
    /// The node was compressed.
    Expanded(Arc<ListPack>, Option<Position>),
}

impl QuickList {
    /// Iterates over the elements, in order; `rev` starts at the back.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        self.range(0..self.len())
    }

    /// Iterates over the elements of a range of indices, cut at the end of the list. O(nodes / 64) to find each end that
    /// is used.
    ///
    /// ```
    /// use quicklist::{Entry, Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for number in 0..1000 {
    ///     list.push_back(number)?;
    /// }
    /// assert!(list.range(998..5000).eq([Entry::Int(998), Entry::Int(999)]));
    /// assert!(list.range(0..2).rev().eq([Entry::Int(1), Entry::Int(0)]));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Iter<'_> {
        let end = range.end.min(self.len());
        let left = end.saturating_sub(range.start);
        Iter { list: self, front: End::at(range.start), back: End::at(end.saturating_sub(1)), left }
    }
}

impl<'a> End<'a> {
    /// The end whose first element is the one at `index`.
    fn at(index: usize) -> Self {
        Self { index: Some(index), next: None, skip: 0, node: Open::Spent }
    }

    /// Looks up the node of the first element.
    fn seek(&mut self, list: &QuickList, index: usize, front: bool) -> Option<()> {
        let (place, offset) = list.nodes.seek(index)?;
        let count = list.nodes.get(place).map_or(0, Node::count);
        self.skip = if front { offset } else { count.saturating_sub(offset + 1) };
        self.next = Some(place);
        Some(())
    }

    /// The next element of an end, where `left` elements are left.
    fn next(&mut self, list: &'a QuickList, front: bool, left: usize) -> Option<Element<'a>> {
        loop {
            if let Some(element) = self.node.next(front) {
                return Some(element);
            }
            if let Some(index) = self.index.take() {
                self.seek(list, index, front)?;
            }
            let place = self.next?;
            let node = list.nodes.get(place)?;
            let skip = core::mem::take(&mut self.skip);
            if front {
                node.prefetch(skip, left);
            }
            self.node = Open::new(node, skip, front);
            self.next = if front { list.nodes.next(place) } else { list.nodes.prev(place) };
        }
    }
}

impl<'a> Open<'a> {
    fn new(node: &'a Node, skip: usize, front: bool) -> Self {
        let index = if front { Some(skip) } else { node.count().checked_sub(skip + 1) };
        let at = |list: &ListPack| node.seek(list, index?);
        if let Some(list) = node.list() {
            let Some(at) = at(list) else { return Self::Spent };
            return if front {
                Self::Front(list.iter_from(at))
            } else {
                Self::Back(list, Some(at))
            };
        }
        match node.content() {
            Content::Packed(list) => {
                let list = list.into_owned();
                let at = at(&list);
                Self::Expanded(Arc::new(list), at)
            }
            Content::Plain(element) => Self::Element(Element::plain(element)),
        }
    }

    fn next(&mut self, front: bool) -> Option<Element<'a>> {
        match self {
            Self::Spent => None,
            Self::Front(entries) => entries.next().map(Element::lent),
            Self::Back(list, at) => {
                let here = (*at)?;
                *at = list.prev(here);
                list.entry(here).map(Element::lent)
            }
            Self::Expanded(list, at) => {
                let here = (*at)?;
                *at = if front { list.next(here) } else { list.prev(here) };
                Some(Element::shared(Arc::clone(list), here))
            }
            Self::Element(element) => {
                let element = element.clone();
                *self = Self::Spent;
                Some(element)
            }
        }
    }
}

impl<'a> Iter<'a> {
    /// Calls `visit` with each of the elements that are left, from the front.
    ///
    /// Faster than a loop: an [`Entry`] stays in registers, and an [`Element`] is moved in memory.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for element in ["a", "b", "c"] {
    ///     list.push_back(element)?;
    /// }
    /// let mut text = Vec::new();
    /// list.range(1..3).for_each_entry(|entry| entry.with_bytes(|bytes| text.extend_from_slice(bytes)));
    /// assert_eq!(text, b"bc");
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    #[inline]
    pub fn for_each_entry(mut self, mut visit: impl FnMut(Entry<'_>)) {
        while let Some(element) = self.next() {
            visit(element.entry());
            // The rest of the node that was opened, without checking the state of either end.
            if let Open::Front(entries) = &self.front.node {
                let mut left = self.left;
                entries.clone().take(left).for_each(|entry| {
                    left -= 1;
                    visit(entry);
                });
                self.left = left;
                self.front.node = Open::Spent;
            }
        }
    }

    #[inline(never)]
    fn next_in_nodes(&mut self, front: bool) -> Option<Element<'a>> {
        let end = if front { &mut self.front } else { &mut self.back };
        let element = end.next(self.list, front, self.left + 1);
        if element.is_none() {
            // A listpack was appended whose header counts more entries than it has.
            self.left = 0;
        }
        element
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = Element<'a>;

    #[inline]
    fn next(&mut self) -> Option<Element<'a>> {
        self.left = self.left.checked_sub(1)?;
        // Most elements are within a node that is open.
        if let Open::Front(entries) = &mut self.front.node
            && let Some(entry) = entries.next()
        {
            return Some(Element::lent(entry));
        }
        self.next_in_nodes(true)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a> DoubleEndedIterator for Iter<'a> {
    #[inline]
    fn next_back(&mut self) -> Option<Element<'a>> {
        self.left = self.left.checked_sub(1)?;
        if let Open::Back(list, at) = &mut self.back.node
            && let Some(here) = *at
        {
            *at = list.prev(here);
            return list.entry(here).map(Element::lent);
        }
        self.next_in_nodes(false)
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> IntoIterator for &'a QuickList {
    type Item = Element<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
