use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use super::set::Compact;
use super::view::View;

/// An iterator over the members of a [`Compact`], in ascending order. Created by [`Compact::iter`].
#[derive(Clone)]
pub struct CompactIter<'a> {
    view: View<'a>,
    /// The indices that are still to come.
    left: Range<usize>,
    front: End,
    back: End,
}

/// How far the iteration over the upper bits has come from one side.
#[derive(Clone, Copy)]
struct End {
    /// The word that is iterated over.
    index: usize,
    /// Its set bits not yet returned.
    ones: u64,
}

impl<'a> CompactIter<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        let last = (view.form.len() + view.form.buckets() - 1) / 64;
        Self {
            view,
            left: 0..view.form.len(),
            front: End { index: 0, ones: view.upper.word(0) },
            back: End { index: last, ones: view.upper.word(last) },
        }
    }
}

impl CompactIter<'_> {
    /// The member of this index, whose one is at this bit.
    #[inline(always)]
    fn member(&self, index: usize, bit: usize) -> i64 {
        self.view.form.join(bit - index, self.view.low(index))
    }

    /// Goes to where members are drawn from the front next, after some have been left out.
    fn seek_front(&mut self) {
        if !self.left.is_empty() {
            let bit = self.view.upper.select(self.left.start);
            let ones = self.view.upper.word(bit / 64) >> (bit % 64) << (bit % 64);
            self.front = End { index: bit / 64, ones };
        }
    }

    /// The same for the back.
    fn seek_back(&mut self) {
        if !self.left.is_empty() {
            let bit = self.view.upper.select(self.left.end - 1);
            let ones = self.view.upper.word(bit / 64) << (63 - bit % 64) >> (63 - bit % 64);
            self.back = End { index: bit / 64, ones };
        }
    }
}

impl Iterator for CompactIter<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        let index = self.left.next()?;
        while self.front.ones == 0 {
            self.front.index += 1;
            self.front.ones = self.view.upper.word(self.front.index);
        }
        let bit = 64 * self.front.index + self.front.ones.trailing_zeros() as usize;
        self.front.ones &= self.front.ones - 1;
        Some(self.member(index, bit))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn count(self) -> usize {
        self.left.len()
    }

    #[inline]
    fn last(mut self) -> Option<i64> {
        self.next_back()
    }

    fn nth(&mut self, n: usize) -> Option<i64> {
        self.left.start = self.left.start.saturating_add(n).min(self.left.end);
        self.seek_front();
        self.next()
    }
}

impl DoubleEndedIterator for CompactIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        let index = self.left.next_back()?;
        while self.back.ones == 0 {
            self.back.index -= 1;
            self.back.ones = self.view.upper.word(self.back.index);
        }
        let top = 63 - self.back.ones.leading_zeros() as usize;
        self.back.ones ^= 1 << top;
        Some(self.member(index, 64 * self.back.index + top))
    }

    fn nth_back(&mut self, n: usize) -> Option<i64> {
        self.left.end = self.left.end.saturating_sub(n).max(self.left.start);
        self.seek_back();
        self.next_back()
    }
}

impl ExactSizeIterator for CompactIter<'_> {}

impl FusedIterator for CompactIter<'_> {}

impl fmt::Debug for CompactIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> IntoIterator for &'a Compact {
    type Item = i64;
    type IntoIter = CompactIter<'a>;

    fn into_iter(self) -> CompactIter<'a> {
        self.iter()
    }
}
