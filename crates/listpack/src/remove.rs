//! Removal of the entries that equal a needle.

use crate::{Entry, ListPack, Position};

impl ListPack {
    /// Removes the first `at_most` entries that equal `needle`, and returns how many were removed. O(n), in one pass.
    ///
    /// The search ends with the last entry that is removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for entry in ["a", "b", "a", "a"] {
    ///     list.push_back(entry)?;
    /// }
    /// assert_eq!(list.remove("a", 2), 2);
    /// assert_eq!(format!("{list:?}"), r#"["b", "a"]"#);
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    pub fn remove<'e>(&mut self, needle: impl Into<Entry<'e>>, at_most: usize) -> usize {
        let needle = needle.into().canonical();
        self.find(needle).map_or(0, |first| self.remove_from(first, needle, at_most))
    }

    /// Removes the last `at_most` entries that equal `needle`, and returns how many were removed. O(n).
    ///
    /// The walk from the back ends with the first entry that is removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for entry in ["a", "b", "a", "a"] {
    ///     list.push_back(entry)?;
    /// }
    /// assert_eq!(list.remove_back("a", 2), 2);
    /// assert_eq!(format!("{list:?}"), r#"["a", "b"]"#);
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    pub fn remove_back<'e>(&mut self, needle: impl Into<Entry<'e>>, at_most: usize) -> usize {
        let needle = needle.into().canonical();
        let (mut first, mut found) = (None, 0);
        let mut next = self.last();
        while found < at_most
            && let Some(at) = next
        {
            if self.entry(at) == Some(needle) {
                first = Some(at);
                found += 1;
            }
            next = self.prev(at);
        }
        first.map_or(0, |first| self.remove_from(first, needle, found))
    }

    /// Removes at most `at_most` entries that equal `needle`, the first of which is at `first`.
    fn remove_from(&mut self, first: Position, needle: Entry<'_>, at_most: usize) -> usize {
        // The entries that stay are moved to `kept`; those from `at` on have not been moved.
        let (mut kept, mut at) = (first.offset(), first.offset());
        let mut removed = 0;
        let mut next = Some(first);
        while removed < at_most
            && let Some(found) = next
            && let Some(behind) = self.next_offset(found.offset())
        {
            self.held_mut().copy_within(at..found.offset(), kept);
            kept += found.offset() - at;
            at = behind;
            removed += 1;
            next = if removed < at_most { self.find_offset(needle, at, 0) } else { None };
        }
        if removed > 0 {
            self.cut(self.layout(), kept, at, removed);
        }
        removed
    }
}
