//! Union, intersection and difference as sets of their own: `&a | &b`, `&a & &b`, `&a - &b`.
//!
//! # Idea
//!
//! Which of two members is the smaller is random, and a branch on it is mispredicted every other time. So a step of the
//! merge has no branch: it writes a member that may be needed, and advances the three positions by the result of the
//! comparison, 0 or 1. A member that was not needed is overwritten by the next one.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{BitAnd, BitOr, Sub};

use crate::IntSet;
use crate::Width;
use crate::algebra::differ_much;
use crate::codec::{HEADER, encode_header};
use crate::slot::{Slot, with_slots};

/// The members of both sets, without slack, in the narrowest width that holds them all. O(n + m), or O(n log(m/n))
/// where m is much greater.
///
/// ```
/// use intset::IntSet;
///
/// let (a, b) = (IntSet::from_iter([1, 2, 70_000]), IntSet::from_iter([2, 3]));
/// assert_eq!((&a & &b).as_bytes(), IntSet::from_iter([2]).as_bytes());
/// ```
impl BitAnd for &IntSet {
    type Output = IntSet;

    fn bitand(self, other: Self) -> IntSet {
        if differ_much(self, other) {
            let mut members = Vec::new();
            self.intersection(other, &mut members);
            return packed(&members);
        }
        let mut out = vec![0; self.len().min(other.len())];
        touch_both(self, other);
        let count = with_slots!(self.view(), a => with_slots!(other.view(), b => intersect(a, b, &mut out)));
        packed(&out[..count])
    }
}

/// The members of either set, without slack, in the narrowest width that holds them all. O(n + m).
///
/// ```
/// use intset::IntSet;
///
/// let (a, b) = (IntSet::from_iter([1, 2]), IntSet::from_iter([2, 70_000]));
/// assert_eq!(&a | &b, IntSet::from_iter([1, 2, 70_000]));
/// ```
///
/// # Panics
///
/// If the set would have more than `u32::MAX` members.
impl BitOr for &IntSet {
    type Output = IntSet;

    fn bitor(self, other: Self) -> IntSet {
        if differ_much(self, other) {
            let mut members = Vec::with_capacity(self.len() + other.len());
            self.union(other, &mut members);
            return packed(&members);
        }
        let mut out = vec![0; self.len() + other.len()];
        let count =
            with_slots!(self.view(), a => with_slots!(other.view(), b => unite(a, b, &mut out)));
        packed(&out[..count])
    }
}

/// The members of this set that the other lacks, without slack, in the narrowest width that holds them all. O(n + m),
/// or O(n log(m/n)) where m is much greater.
///
/// ```
/// use intset::IntSet;
///
/// let (a, b) = (IntSet::from_iter([1, 2, 70_000]), IntSet::from_iter([2, 70_000]));
/// assert_eq!((&a - &b).as_bytes(), IntSet::from_iter([1]).as_bytes());
/// ```
impl Sub for &IntSet {
    type Output = IntSet;

    fn sub(self, other: Self) -> IntSet {
        if differ_much(self, other) {
            let mut members = Vec::new();
            self.difference(other, &mut members);
            return packed(&members);
        }
        let mut out = vec![0; self.len()];
        let count =
            with_slots!(self.view(), a => with_slots!(other.view(), b => subtract(a, b, &mut out)));
        packed(&out[..count])
    }
}

/// Loads both sets at once: the merge itself loads one line after the other.
fn touch_both(a: &IntSet, b: &IntSet) {
    a.touch();
    b.touch();
}

/// Writes the members of both to the front of `out`, which is as long as the shorter one; returns their number.
fn intersect<A: Slot, B: Slot>(a: &[A], b: &[B], out: &mut [i64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].get(), b[j].get());
        out[count] = x;
        count += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// Writes the members of either to the front of `out`, which is as long as both together; returns their number.
fn unite<A: Slot, B: Slot>(a: &[A], b: &[B], out: &mut [i64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].get(), b[j].get());
        out[count] = x.min(y);
        count += 1;
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count = append(&a[i..], out, count);
    append(&b[j..], out, count)
}

/// Writes the members of `a` alone to the front of `out`, which is as long as `a`; returns their number.
fn subtract<A: Slot, B: Slot>(a: &[A], b: &[B], out: &mut [i64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].get(), b[j].get());
        out[count] = x;
        count += usize::from(x < y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    append(&a[i..], out, count)
}

/// Writes `slots` to `out` from `at` on; returns where they end.
fn append<S: Slot>(slots: &[S], out: &mut [i64], at: usize) -> usize {
    for (to, slot) in out[at..].iter_mut().zip(slots) {
        *to = slot.get();
    }
    at + slots.len()
}

/// The set of these members, which increase.
fn packed(members: &[i64]) -> IntSet {
    if members.is_empty() {
        return IntSet::new();
    }
    // The bits that any member needs in addition to its sign.
    let needed = members.iter().fold(0, |all, member| all | (member ^ (member >> 63)));
    match Width::of(needed) {
        Width::W16 => packed_as::<[u8; 2]>(members),
        Width::W32 => packed_as::<[u8; 4]>(members),
        Width::W64 => packed_as::<[u8; 8]>(members),
    }
}

fn packed_as<S: Slot>(members: &[i64]) -> IntSet {
    let count = u32::try_from(members.len()).expect(crate::build::COUNT_LIMIT);
    let mut blob = vec![0; HEADER + members.len() * S::BYTES];
    blob[..HEADER].copy_from_slice(&encode_header(S::WIDTH, count));
    for (slot, &member) in S::slots_mut(&mut blob[HEADER..]).iter_mut().zip(members) {
        *slot = S::put(member);
    }
    IntSet::from_capacity(blob.into())
}
