//! A partial sort with the same steps as Redis's.
//!
//! Redis sorts the nearest few of many elements by the quicksort of "Engineering a sort function" (Software - Practice
//! and Experience 23(11), 1993), and skips the partitions that contain none of the requested elements. It is not
//! stable: among members at equal distance, its steps determine which come first, or at all. So the same steps are
//! executed here, but only if there are equal distances.

use core::cmp::Ordering;
use core::ops::Range;

/// Sorts the items so that the first `wanted` are right. Returns `false` if it takes too long, as quicksort may for an
/// adverse input; the items are a permutation of the input then.
pub(super) fn sort<T: Copy>(
    items: &mut [T],
    wanted: usize,
    compare: impl Fn(&T, &T) -> Ordering,
) -> bool {
    // Several times what most inputs need.
    let bits = usize::BITS - items.len().leading_zeros();
    let budget = items.len().saturating_mul(8 * (bits as usize + 8));
    let mut sort = Sort { items, wanted, compare, budget };
    let all = 0..sort.items.len();
    sort.part(all).is_some()
}

struct Sort<'i, T, C> {
    items: &'i mut [T],
    wanted: usize,
    compare: C,
    /// Remaining comparisons.
    budget: usize,
}

impl<T: Copy, C: Fn(&T, &T) -> Ordering> Sort<'_, T, C> {
    /// Returns `None` if no comparisons remain.
    fn compare(&mut self, a: usize, b: usize) -> Option<Ordering> {
        self.budget = self.budget.checked_sub(1)?;
        Some((self.compare)(&self.items[a], &self.items[b]))
    }

    /// Which of three elements is the median.
    fn middle(&mut self, a: usize, b: usize, c: usize) -> Option<usize> {
        use Ordering::{Greater, Less};
        let a_first = self.compare(a, b)? == Less;
        let b_to_c = self.compare(b, c)?;
        if a_first && b_to_c == Less || !a_first && b_to_c == Greater {
            return Some(b);
        }
        let a_before_c = self.compare(a, c)? == Less;
        Some(if a_first == a_before_c { c } else { a })
    }

    fn part(&mut self, part: Range<usize>) -> Option<()> {
        let mut part = part;
        loop {
            if part.len() < 7 {
                return self.insertion(part);
            }
            let (smaller, greater) = self.split(part)?;
            if smaller.len() > 1 && self.matters(&smaller) {
                self.part(smaller)?;
            }
            if greater.len() <= 1 || !self.matters(&greater) {
                return Some(());
            }
            part = greater;
        }
    }

    fn matters(&self, part: &Range<usize>) -> bool {
        part.start < self.wanted
    }

    fn insertion(&mut self, part: Range<usize>) -> Option<()> {
        for from in part.start + 1..part.end {
            let mut at = from;
            while at > part.start && self.compare(at - 1, at)? == Ordering::Greater {
                self.items.swap(at - 1, at);
                at -= 1;
            }
        }
        Some(())
    }

    /// The index of the pivot: the median of three, or of three medians.
    fn pivot(&mut self, part: &Range<usize>) -> Option<usize> {
        let (len, first, last) = (part.len(), part.start, part.end - 1);
        let centre = first + len / 2;
        if len == 7 {
            return Some(centre);
        }
        if len <= 40 {
            return self.middle(first, centre, last);
        }
        let step = len / 8;
        let first = self.middle(first, first + step, first + 2 * step)?;
        let centre = self.middle(centre - step, centre, centre + step)?;
        let last = self.middle(last - 2 * step, last - step, last)?;
        self.middle(first, centre, last)
    }

    /// Partitions a range into elements smaller than its pivot, equal, and greater; returns the first and the last of
    /// these ranges.
    ///
    /// ```text
    ///   | pivot | equal | smaller | not seen yet | greater | equal |
    ///            ^       ^                      ^         ^
    ///            1       left                   right     end
    /// ```
    ///
    /// Equal elements are collected at both ends and swapped to the middle at the end.
    fn split(&mut self, part: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
        let Range { start, end } = part;
        let pivot = self.pivot(&part)?;
        self.items.swap(start, pivot);
        // Indexes after the last one of each: of equal elements, of smaller ones. From the end: indexes of the first
        // one.
        let (mut equal_left, mut left) = (start + 1, start + 1);
        let (mut equal_right, mut right) = (end, end);
        loop {
            while left < right {
                match self.compare(left, start)? {
                    Ordering::Greater => break,
                    Ordering::Equal => {
                        self.items.swap(equal_left, left);
                        equal_left += 1;
                    }
                    Ordering::Less => {}
                }
                left += 1;
            }
            while left < right {
                match self.compare(right - 1, start)? {
                    Ordering::Less => break,
                    Ordering::Equal => {
                        self.items.swap(right - 1, equal_right - 1);
                        equal_right -= 1;
                    }
                    Ordering::Greater => {}
                }
                right -= 1;
            }
            if left >= right {
                break;
            }
            self.items.swap(left, right - 1);
            left += 1;
            right -= 1;
        }
        let (smaller, greater) = (left - equal_left, equal_right - left);
        let swapped = (equal_left - start).min(smaller);
        self.swap_runs(start, left - swapped, swapped);
        let swapped = greater.min(end - equal_right);
        self.swap_runs(left, end - swapped, swapped);
        Some((start..start + smaller, end - greater..end))
    }

    fn swap_runs(&mut self, a: usize, b: usize, len: usize) {
        for at in 0..len {
            self.items.swap(a + at, b + at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_first(a: &[u32; 4], b: &[u32; 4]) -> Ordering {
        a[0].cmp(&b[0])
    }

    #[test]
    fn the_first_places_are_those_of_any_sort() {
        let mut state = 7_u32;
        for round in 0..2000 {
            let (len, values) = (round % 100, 1 + round % 37);
            let mut items: Vec<_> = (0..len)
                .map(|at| {
                    state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                    [(state >> 16) % values, at, 0, 0]
                })
                .collect();
            let mut all = items.clone();
            all.sort_unstable();
            for wanted in [1, 3, len as usize / 2] {
                let before = items.clone();
                assert!(sort(&mut items, wanted, by_first));
                let firsts = |items: &[[u32; 4]]| -> Vec<u32> {
                    items.iter().take(wanted).map(|item| item[0]).collect()
                };
                assert_eq!(firsts(&items), firsts(&all), "{before:?}");
                let mut same = items.clone();
                same.sort_unstable();
                assert_eq!(same, all);
            }
        }
    }

    #[test]
    fn sorting_ends_on_an_adversarial_order() {
        // McIlroy's adversary: values are chosen when they are compared, so that each pivot is among the smallest.
        use core::cell::RefCell;
        let len = 20_000;
        let state = RefCell::new((vec![u32::MAX; len], 0_u32, 0_usize));
        let compare = |a: &usize, b: &usize| {
            let mut state = state.borrow_mut();
            let (values, next, candidate) = &mut *state;
            if values[*a] == u32::MAX && values[*b] == u32::MAX {
                let solid = if *a == *candidate { *a } else { *b };
                values[solid] = *next;
                *next += 1;
            }
            if values[*a] == u32::MAX {
                *candidate = *a;
            } else if values[*b] == u32::MAX {
                *candidate = *b;
            }
            values[*a].cmp(&values[*b])
        };
        let mut items: Vec<usize> = (0..len).collect();
        assert!(!sort(&mut items, len, compare));
        items.sort_unstable();
        assert!(items.into_iter().eq(0..len));
    }
}
