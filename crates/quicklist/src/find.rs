//! Searching for equal elements.

use core::ops::Range;
use std::borrow::Cow;

use listpack::{Entry, ListPack, Position};

use crate::QuickList;
use crate::node::Content;
use crate::nodes::Place;

impl QuickList {
    /// Iterates over the indices in `range` of the elements that equal `needle`, in ascending order. O(n) in total.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for element in ["a", "b", "a", "c", "a"] {
    ///     list.push_back(element)?;
    /// }
    /// assert!(list.positions("a", 0..4).eq([0, 2]));
    /// assert_eq!(list.positions_back("a", 0..5).nth(1), Some(2));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn positions<'l, 'e: 'l>(
        &'l self,
        needle: impl Into<Entry<'e>>,
        range: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        let start = self.nodes.seek(range.start);
        Positions {
            list: self,
            needle: needle.into().canonical(),
            node: Searched::None,
            next: start.map(|(place, _)| place),
            skip: start.map_or(0, |(_, offset)| offset),
            index: range.start,
            end: range.end,
        }
    }

    /// Iterates over the indices in `range` of the elements that equal `needle`, in descending order. O(n) in total.
    pub fn positions_back<'l, 'e: 'l>(
        &'l self,
        needle: impl Into<Entry<'e>>,
        range: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        let needle = needle.into().canonical();
        let elements = self.range(range.clone());
        let indices = range.start..range.start + elements.len();
        indices
            .rev()
            .zip(elements.rev())
            .filter_map(move |(index, element)| (element == needle).then_some(index))
    }
}

struct Positions<'l> {
    list: &'l QuickList,
    needle: Entry<'l>,
    node: Searched<'l>,
    /// The node that is searched next, and how many of its entries are skipped.
    next: Option<Place>,
    skip: usize,
    /// The index of the element that is compared next.
    index: usize,
    end: usize,
}

/// What is left of a node.
enum Searched<'l> {
    None,
    Element(Cow<'l, [u8]>),
    /// The position of the next entry, and how many entries are left.
    List(Cow<'l, ListPack>, Position, usize),
}

impl Positions<'_> {
    /// Looks into the next node; `None` if there is none within the range.
    fn open(&mut self) -> Option<()> {
        if self.index >= self.end {
            return None;
        }
        let place = self.next?;
        let node = self.list.nodes.get(place)?;
        let skip = core::mem::take(&mut self.skip);
        self.next = self.list.nodes.next(place);
        self.node = match node.content() {
            Content::Packed(list) => {
                let at = node.seek(&list, skip)?;
                Searched::List(list, at, node.count().saturating_sub(skip))
            }
            Content::Plain(element) => Searched::Element(element),
        };
        Some(())
    }

    /// The index of the next match in the node that is open, which is left behind if there is none.
    fn next_within(&mut self) -> Option<usize> {
        match &mut self.node {
            Searched::None => None,
            Searched::Element(element) => {
                let equal = self.needle.with_bytes(|text| *text == **element);
                let index = self.index;
                self.index += 1;
                self.node = Searched::None;
                equal.then_some(index)
            }
            Searched::List(list, at, left) => {
                let Some(found) = list.find_from(*at, self.needle, 0) else {
                    self.index += *left;
                    self.node = Searched::None;
                    return None;
                };
                let mut entries = list.iter_from(*at);
                let mut passed = 0;
                while entries.position() < found && entries.next().is_some() {
                    passed += 1;
                }
                let index = self.index + passed;
                self.index = index + 1;
                *left = left.saturating_sub(passed + 1);
                match list.next(found) {
                    Some(behind) => *at = behind,
                    None => self.node = Searched::None,
                }
                Some(index)
            }
        }
    }
}

impl Iterator for Positions<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(index) = self.next_within() {
                if index < self.end {
                    return Some(index);
                }
                self.node = Searched::None;
                self.next = None;
                return None;
            }
            self.open()?;
        }
    }
}
