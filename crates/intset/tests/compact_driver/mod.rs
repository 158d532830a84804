//! Reads operations on a compact set from bytes, and runs them on the set and on its oracle. The fuzz target includes
//! this file too.

use std::collections::BTreeSet;

use intset::{Compact, IntSet, Prefix, Refused};

/// A set, its oracle, and the remaining bytes.
struct Run<'a> {
    bytes: &'a [u8],
    set: Compact,
    oracle: BTreeSet<i64>,
    /// The bits below the prefix that most new members have in common.
    fixed: u64,
}

/// Runs the operations read from `bytes`; checks every result, and the whole set after each step.
pub(crate) fn run(bytes: &[u8]) {
    let mut run =
        Run { bytes, set: Compact::new(Prefix::new(0, 0)), oracle: BTreeSet::new(), fixed: 0 };
    let (base, width) = (run.word(), u32::from(run.byte() % 65));
    // Few fixed bits, a run of them, or all but a few.
    run.fixed = match run.byte() % 4 {
        0 => 0,
        1 => run.word(),
        2 => 0xff << (run.byte() % 57),
        _ => !(0xfff << (run.byte() % 53)),
    };
    run.set = Compact::new(Prefix::new(base.cast_signed(), width));
    while !run.bytes.is_empty() {
        run.step();
        run.check();
    }
}

impl Run<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    fn prefix(&self) -> Prefix {
        self.set.prefix()
    }

    /// A value that probably has the prefix.
    fn value(&mut self) -> i64 {
        let (first, last) = (self.prefix().first(), self.prefix().last());
        let below = first.wrapping_sub(last.wrapping_add(1)).cast_unsigned().wrapping_neg();
        let inside = below.wrapping_sub(1);
        let bits = match self.byte() {
            0..=79 => self.byte().into(),
            80..=169 => self.word() & inside & !self.fixed,
            170..=199 => self.word() & inside,
            200..=219 => inside.wrapping_sub(u64::from(self.byte()) & inside),
            220..=234 => inside & !self.fixed,
            // Members and their neighbours.
            235..=249 => {
                let near = self.byte() % 3;
                let member = self.member().unwrap_or(first);
                return member.wrapping_add(i64::from(near) - 1);
            }
            250..=255 => return self.word().cast_signed(),
        };
        first.wrapping_add(bits.cast_signed())
    }

    /// A member, or `None` if the set is empty.
    fn member(&mut self) -> Option<i64> {
        let index = usize::from(self.byte()) * 7 + usize::from(self.byte());
        self.oracle.iter().nth(index % self.oracle.len().max(1)).copied()
    }

    fn step(&mut self) {
        match self.byte() {
            0..=79 => {
                let value = self.value();
                self.insert(value);
            }
            80..=109 => {
                let value = self.value();
                assert_eq!(self.set.remove(value), self.oracle.remove(&value), "remove {value}");
            }
            110..=139 => {
                if let Some(member) = self.member() {
                    assert!(self.set.remove(member) && self.oracle.remove(&member));
                }
            }
            140..=179 => self.insert_run(),
            180..=189 => self.remove_run(),
            190..=219 => {
                let value = self.value();
                self.query(value);
            }
            220..=234 => {
                let (index, random) = (usize::from(self.byte()), self.word());
                assert_eq!(self.set.get(index), self.oracle.iter().nth(index).copied());
                let chosen = self.set.random_member(random);
                assert_eq!(chosen.is_none(), self.oracle.is_empty());
                assert!(chosen.is_none_or(|member| self.oracle.contains(&member)));
            }
            235..=239 => self.walk(),
            240..=244 => self.set.shrink_to_fit(),
            245..=249 => self.rebuild(),
            250..=253 => {
                let copy = self.set.clone();
                assert_eq!(copy, self.set);
                self.set = copy;
            }
            254..=255 => {
                self.set.clear();
                self.oracle.clear();
            }
        }
    }

    fn insert(&mut self, value: i64) {
        let prefix = self.prefix();
        let expected = if prefix.contains(value) {
            Ok(self.oracle.insert(value))
        } else {
            Err(Refused::Outside { value, prefix })
        };
        assert_eq!(self.set.try_insert(value), expected, "insert {value}");
    }

    /// Many members, in equal steps or spread over the whole width.
    fn insert_run(&mut self) {
        let (start, count, kind) = (self.value(), self.byte(), self.byte());
        let mut spread = self.word() | 1;
        for i in 0..u64::from(count) {
            let value = if kind < 64 {
                start.wrapping_add((i * u64::from(kind)).cast_signed())
            } else {
                spread = spread.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
                let bits = spread & !self.fixed;
                match self.prefix().width() {
                    64 => bits.cast_signed(),
                    width => self.prefix().first() | (bits & ((1 << width) - 1)).cast_signed(),
                }
            };
            self.insert(value);
        }
    }

    fn remove_run(&mut self) {
        let (every, left) = (usize::from(self.byte()) % 7 + 1, usize::from(self.byte()));
        let doomed: Vec<i64> = self.oracle.iter().copied().step_by(every).skip(left % 9).collect();
        for member in doomed {
            assert!(self.set.remove(member) && self.oracle.remove(&member));
        }
    }

    fn query(&self, value: i64) {
        let below = self.oracle.range(..value).count();
        let is_member = self.oracle.contains(&value);
        assert_eq!(self.set.contains(value), is_member, "contains {value}");
        assert_eq!(self.set.count_below(value), below, "count below {value}");
        assert_eq!(self.set.rank(value), is_member.then_some(below), "rank of {value}");
    }

    /// Iterates from both ends, with skips.
    fn walk(&self) {
        let mut ours = self.set.iter();
        let mut theirs = self.oracle.iter().copied();
        for &byte in self.bytes.iter().take(40) {
            let leap = usize::from(byte / 4);
            let pair = match byte % 4 {
                0 => (ours.next(), theirs.next()),
                1 => (ours.next_back(), theirs.next_back()),
                2 => (ours.nth(leap), theirs.nth(leap)),
                _ => (ours.nth_back(leap), theirs.nth_back(leap)),
            };
            assert_eq!(pair.0, pair.1);
        }
        assert_eq!(ours.len(), theirs.clone().count());
        assert_eq!(ours.clone().last(), theirs.clone().next_back());
        assert!(ours.rev().eq(theirs.rev()));
    }

    /// Rebuilds the set from its sorted members, with the same prefix.
    fn rebuild(&mut self) {
        let prefix = self.prefix();
        let members = self.oracle.iter().copied();
        self.set = Compact::from_sorted(prefix, members.clone()).expect("sorted, in the prefix");
        let narrow = Compact::spanning(members).expect("sorted");
        narrow.internal_validate();
        assert_eq!(narrow, self.set);
    }

    /// Compares all observable state.
    fn check(&self) {
        self.set.internal_validate();
        assert_eq!(self.set.len(), self.oracle.len());
        assert_eq!(self.set.is_empty(), self.oracle.is_empty());
        assert_eq!(self.set.first(), self.oracle.first().copied());
        assert_eq!(self.set.last(), self.oracle.last().copied());
        assert!(self.set.iter().eq(self.oracle.iter().copied()));
        let blob = IntSet::from_sorted(self.oracle.iter().copied()).expect("sorted");
        assert_eq!(self.set.to_int_set().as_bytes(), blob.as_bytes());
        assert_eq!(self.set, blob);
    }
}
