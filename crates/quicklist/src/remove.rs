//! Removal of ranges, and of elements that equal a needle.

use core::ops::Range;

use listpack::Entry;

use crate::QuickList;
use crate::node::Node;
use crate::nodes::Place;

impl QuickList {
    /// Removes up to `count` elements from `index` on, and returns how many. O(nodes / 64 + removed nodes), and
    /// O(bytes) of the nodes at the two ends.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for number in 0..10 {
    ///     list.push_back(number)?;
    /// }
    /// assert_eq!(list.delete_range(2, 7), 7);
    /// assert_eq!(format!("{list:?}"), "[0, 1, 9]");
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn delete_range(&mut self, index: usize, count: usize) -> usize {
        let before = self.len();
        let mut left = count.min(before.saturating_sub(index));
        let Some((place, mut offset)) = self.nodes.seek(index).filter(|_| left > 0) else {
            return 0;
        };
        self.settle(place);
        let mut next = Some(place);
        while let Some(place) = next.filter(|_| left > 0) {
            // Without compression, the order in which nodes are removed does not matter.
            if self.limits.depth == 0
                && offset == 0
                && let Some((deleted, behind)) = self.nodes.remove_run(place, left)
            {
                left -= deleted;
                next = behind;
                continue;
            }
            let Some(node) = self.nodes.get(place) else { break };
            let count = node.count();
            if node.is_plain() || (offset == 0 && left >= count) {
                left = left.saturating_sub(count);
                next = self.delete_node(place).and_then(|(_, behind)| behind);
            } else {
                let deleted = left.min(count - offset);
                left -= deleted;
                next = self.nodes.next(place);
                self.open(place);
                self.nodes.change(place, |node| {
                    node.cut(offset, deleted);
                    node.set_count(count - deleted);
                });
                self.close(place);
            }
            offset = 0;
        }
        before - self.len()
    }

    /// Removes all elements outside of the range. O(nodes / 64 + removed nodes), and O(bytes) of the nodes at the two
    /// ends.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for number in 0..10 {
    ///     list.push_back(number)?;
    /// }
    /// list.trim(2..4);
    /// assert_eq!(format!("{list:?}"), "[2, 3]");
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn trim(&mut self, keep: Range<usize>) {
        let end = keep.end.min(self.len());
        if keep.start >= end {
            // As on a server, only from the front.
            self.delete_range(0, self.len());
            return;
        }
        let behind = self.len() - end;
        self.delete_range(0, keep.start);
        self.delete_range(self.len() - behind, behind);
    }

    /// Removes the first `at_most` elements that equal `needle`, and returns how many were removed. O(n).
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for element in ["a", "b", "a", "a"] {
    ///     list.push_back(element)?;
    /// }
    /// assert_eq!(list.remove_back("a", 1), 1);
    /// assert_eq!(format!("{list:?}"), r#"["a", "b", "a"]"#);
    /// assert_eq!(list.remove("a", usize::MAX), 2);
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn remove<'e>(&mut self, needle: impl Into<Entry<'e>>, at_most: usize) -> usize {
        self.remove_from(needle.into().canonical(), at_most, true)
    }

    /// Removes the last `at_most` elements that equal `needle`, and returns how many were removed. O(n).
    pub fn remove_back<'e>(&mut self, needle: impl Into<Entry<'e>>, at_most: usize) -> usize {
        self.remove_from(needle.into().canonical(), at_most, false)
    }

    fn remove_from(&mut self, needle: Entry<'_>, at_most: usize, front: bool) -> usize {
        let mut removed = 0;
        let mut next = if front { self.nodes.first() } else { self.nodes.last() };
        while removed < at_most
            && let Some(place) = next
            && let Some(node) = self.nodes.get(place)
        {
            let matches = if node.contains(needle) {
                self.remove_within(place, needle, at_most - removed, front)
            } else {
                if !node.is_compressed() {
                    self.settle(place);
                }
                0
            };
            removed += matches;
            let emptied = self.nodes.get(place).is_some_and(Node::is_spent);
            if emptied {
                let prev = self.nodes.prev(place);
                let behind = self.delete_node(place).and_then(|(_, behind)| behind);
                next = if front { behind } else { prev };
                if removed == at_most
                    && let Some(next) = next
                {
                    self.settle(next);
                }
            } else {
                if matches > 0 {
                    self.settle(place);
                }
                next = if front { self.nodes.next(place) } else { self.nodes.prev(place) };
            }
        }
        removed
    }

    /// Opens a node and removes at most `at_most` elements that equal `needle`; returns how many.
    fn remove_within(
        &mut self,
        place: Place,
        needle: Entry<'_>,
        at_most: usize,
        front: bool,
    ) -> usize {
        self.open(place);
        let removed = self.nodes.change(place, |node| {
            let removed = node.list_to_cut().map_or(1, |list| {
                if front { list.remove(needle, at_most) } else { list.remove_back(needle, at_most) }
            });
            node.set_count(node.count().saturating_sub(removed));
            removed
        });
        removed.unwrap_or(0)
    }
}
