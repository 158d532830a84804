use core::iter::FusedIterator;
use core::slice;

use crate::IntSet;
use crate::slot::{Slot, View};

/// An iterator over the members of an [`IntSet`], in ascending order. Created by [`IntSet::iter`].
#[derive(Clone)]
pub struct Iter<'a> {
    slots: Slots<'a>,
}

#[derive(Clone)]
enum Slots<'a> {
    W16(slice::Iter<'a, [u8; 2]>),
    W32(slice::Iter<'a, [u8; 4]>),
    W64(slice::Iter<'a, [u8; 8]>),
}

macro_rules! with_iter {
    ($slots:expr, $iter:ident => $body:expr) => {
        match $slots {
            Slots::W16($iter) => $body,
            Slots::W32($iter) => $body,
            Slots::W64($iter) => $body,
        }
    };
}

impl<'a> Iter<'a> {
    #[inline]
    pub(crate) fn new(view: View<'a>) -> Self {
        let slots = match view {
            View::W16(slots) => Slots::W16(slots.iter()),
            View::W32(slots) => Slots::W32(slots.iter()),
            View::W64(slots) => Slots::W64(slots.iter()),
        };
        Self { slots }
    }
}

impl Iterator for Iter<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        with_iter!(&mut self.slots, iter => iter.next().map(|slot| slot.get()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        with_iter!(&self.slots, iter => iter.size_hint())
    }

    #[inline]
    fn count(self) -> usize {
        self.len()
    }

    #[inline]
    fn last(mut self) -> Option<i64> {
        self.next_back()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<i64> {
        with_iter!(&mut self.slots, iter => iter.nth(n).map(|slot| slot.get()))
    }

    // The width is matched once, not for each member.
    #[inline]
    fn fold<B, F: FnMut(B, i64) -> B>(self, init: B, mut f: F) -> B {
        with_iter!(self.slots, iter => iter.fold(init, |acc, slot| f(acc, slot.get())))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        with_iter!(&mut self.slots, iter => iter.next_back().map(|slot| slot.get()))
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<i64> {
        with_iter!(&mut self.slots, iter => iter.nth_back(n).map(|slot| slot.get()))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, i64) -> B>(self, init: B, mut f: F) -> B {
        with_iter!(self.slots, iter => iter.rfold(init, |acc, slot| f(acc, slot.get())))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}

impl core::fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An owning iterator over the members of an [`IntSet`], in ascending order.
#[derive(Clone)]
pub struct IntoIter {
    set: IntSet,
    /// The indices not yet returned.
    left: core::ops::Range<usize>,
}

impl Iterator for IntoIter {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        self.set.get(self.left.next()?)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<i64> {
        self.set.get(self.left.nth(n)?)
    }
}

impl DoubleEndedIterator for IntoIter {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        self.set.get(self.left.next_back()?)
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<i64> {
        self.set.get(self.left.nth_back(n)?)
    }
}

impl ExactSizeIterator for IntoIter {}

impl FusedIterator for IntoIter {}

impl core::fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl IntoIterator for IntSet {
    type Item = i64;
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter { left: 0..self.len(), set: self }
    }
}

impl<'a> IntoIterator for &'a IntSet {
    type Item = i64;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
