//! Union, intersection and difference, with a [`Sink`] that receives the members.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::IntSet;
use crate::search::gallop;
use crate::slot::{Slot, with_slots};

/// Receives the members of a result, in strictly increasing order.
///
/// A [`Count`] only counts them, a `Vec<i64>` and an [`IntSet`] store them, and [`Each`] passes them to a closure.
pub trait Sink {
    /// Receives the next member.
    fn push(&mut self, member: i64);
}

/// A [`Sink`] that counts.
///
/// ```
/// use intset::{Count, IntSet};
///
/// let (a, b) = (IntSet::from_iter([1, 2, 3]), IntSet::from_iter([2, 3, 4]));
/// let mut count = Count::default();
/// a.intersection(&b, &mut count);
/// assert_eq!(count, Count(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(
    /// The number of members so far.
    pub usize,
);

impl Sink for Count {
    #[inline]
    fn push(&mut self, _: i64) {
        self.0 += 1;
    }
}

/// A [`Sink`] that calls a closure.
#[derive(Clone, Copy, Debug)]
pub struct Each<F>(
    /// The closure, called with each member.
    pub F,
);

impl<F: FnMut(i64)> Sink for Each<F> {
    #[inline]
    fn push(&mut self, member: i64) {
        (self.0)(member);
    }
}

impl Sink for Vec<i64> {
    #[inline]
    fn push(&mut self, member: i64) {
        Self::push(self, member);
    }
}

/// Adds the members. A value above all others is appended in constant time.
impl Sink for IntSet {
    #[inline]
    fn push(&mut self, member: i64) {
        self.insert(member);
    }
}

/// From this ratio of sizes on, the larger set is searched instead of iterated.
const GALLOP_RATIO: usize = 16;

/// Whether one set is so much greater that it is searched.
pub(crate) fn differ_much(a: &IntSet, b: &IntSet) -> bool {
    let (less, more) = (a.len().min(b.len()), a.len().max(b.len()));
    more / GALLOP_RATIO > less
}

impl IntSet {
    /// Passes the members of either set to `sink`, in ascending order.
    ///
    /// O(n + m); if the sizes differ much, runs of the larger set are found by galloping search.
    ///
    /// ```
    /// # use intset::IntSet;
    /// let mut both = IntSet::new();
    /// IntSet::from_iter([1, 3]).union(&IntSet::from_iter([2, 70_000]), &mut both);
    /// assert_eq!(both, IntSet::from_iter([1, 2, 3, 70_000]));
    /// ```
    pub fn union(&self, other: &Self, sink: &mut impl Sink) {
        with_slots!(self.view(), a => with_slots!(other.view(), b => merge::<_, _, _, true, true, true>(a, b, sink)));
    }

    /// Passes the members that both sets have to `sink`, in ascending order.
    ///
    /// O(n + m), or O(n log(m/n)) where m is much greater.
    pub fn intersection(&self, other: &Self, sink: &mut impl Sink) {
        with_slots!(self.view(), a => with_slots!(other.view(), b => merge::<_, _, _, false, true, false>(a, b, sink)));
    }

    /// Passes the members that this set has and `other` lacks to `sink`, in ascending order.
    ///
    /// O(n + m), or O(n log(m/n)) where m is much greater.
    pub fn difference(&self, other: &Self, sink: &mut impl Sink) {
        with_slots!(self.view(), a => with_slots!(other.view(), b => merge::<_, _, _, true, false, false>(a, b, sink)));
    }
}

/// Iterates over two sets and pushes the members that only `a` has, that both have, or that only `b` has, as selected.
fn merge<A, B, S, const ONLY_A: bool, const BOTH: bool, const ONLY_B: bool>(
    a: &[A],
    b: &[B],
    sink: &mut S,
) where
    A: Slot,
    B: Slot,
    S: Sink,
{
    let gallop_a = a.len() / GALLOP_RATIO > b.len();
    let gallop_b = b.len() / GALLOP_RATIO > a.len();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].get(), b[j].get());
        match x.cmp(&y) {
            Ordering::Equal => {
                if BOTH {
                    sink.push(x);
                }
                i += 1;
                j += 1;
            }
            Ordering::Less => {
                let end = if gallop_a { gallop(a, i + 1, y) } else { i + 1 };
                if ONLY_A {
                    push_all(&a[i..end], sink);
                }
                i = end;
            }
            Ordering::Greater => {
                let end = if gallop_b { gallop(b, j + 1, x) } else { j + 1 };
                if ONLY_B {
                    push_all(&b[j..end], sink);
                }
                j = end;
            }
        }
    }
    if ONLY_A {
        push_all(&a[i..], sink);
    }
    if ONLY_B {
        push_all(&b[j..], sink);
    }
}

#[inline]
fn push_all<T: Slot>(slots: &[T], sink: &mut impl Sink) {
    for slot in slots {
        sink.push(slot.get());
    }
}
