use core::fmt;
use core::iter::FusedIterator;

use crate::{Entry, ListPack, Position, decode};

/// A double-ended iterator over the entries of a [`ListPack`]. Created by [`ListPack::iter`].
///
/// The number of entries left is not known without a scan.
#[derive(Clone)]
pub struct Iter<'a> {
    blob: &'a [u8],
    /// The offset of the next entry from the front, and the end of the next one from the back.
    front: usize,
    back: usize,
}

impl<'a> Iter<'a> {
    #[inline]
    pub(crate) fn new(blob: &'a [u8], front: usize) -> Self {
        Self { blob, front, back: blob.len().saturating_sub(1) }
    }

    /// The position of the entry that [`next`](Iterator::next) returns; the end of the remaining entries if it returns
    /// `None`.
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for number in [10, 20, 30] {
    ///     list.push_back(number)?;
    /// }
    /// // Where the first number that is not below 15 stands:
    /// let mut iter = list.iter();
    /// let at = loop {
    ///     let at = iter.position();
    ///     match iter.next() {
    ///         Some(entry) if entry.as_int() < Some(15) => {}
    ///         _ => break at,
    ///     }
    /// };
    /// list.insert(at, 15)?;
    /// assert_eq!(format!("{list:?}"), "[10, 15, 20, 30]");
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn position(&self) -> Position {
        Position::new(self.front)
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = Entry<'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'a>> {
        let Some((entry, next)) = decode::entry(self.blob, self.front, self.back) else {
            self.front = self.back;
            return None;
        };
        self.front = next;
        Some(entry)
    }

    /// From the bytes that are left, of which an entry takes two or more.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.back.saturating_sub(self.front) / 2))
    }

    #[inline]
    fn count(self) -> usize {
        let (mut at, mut count) = (self.front, 0);
        while let Some(next) = decode::next(self.blob, at, self.back) {
            at = next;
            count += 1;
        }
        count
    }

    #[inline]
    fn last(mut self) -> Option<Entry<'a>> {
        self.next_back()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Entry<'a>> {
        self.front = decode::skip(self.blob, self.front, self.back, n).unwrap_or(self.back);
        self.next()
    }

    // The ends stay in registers.
    #[inline]
    fn fold<B, F: FnMut(B, Entry<'a>) -> B>(self, init: B, mut f: F) -> B {
        let (mut at, mut all) = (self.front, init);
        while let Some((entry, next)) = decode::entry(self.blob, at, self.back) {
            at = next;
            all = f(all, entry);
        }
        all
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let last = decode::previous(self.blob, self.front, self.back)
            .and_then(|at| Some((at, decode::entry(self.blob, at, self.back)?.0)));
        let Some((at, entry)) = last else {
            self.back = self.front;
            return None;
        };
        self.back = at;
        Some(entry)
    }
}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> IntoIterator for &'a ListPack {
    type Item = Entry<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
