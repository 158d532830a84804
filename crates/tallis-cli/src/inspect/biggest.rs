//! The biggest keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::row::{Bytes, Row};

/// The keys that take the most memory; among equal ones those that take the most bytes of the file, and then the first.
#[derive(Debug, Default)]
pub(super) struct Biggest {
    most: usize,
    number: u64,
    /// The smallest on top.
    heap: BinaryHeap<Reverse<Ranked>>,
}

#[derive(Debug)]
struct Ranked {
    rank: (Bytes, Reverse<u64>),
    row: Row,
}

impl Biggest {
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Adds a key, if it is one of the biggest so far.
    pub(super) fn add(&mut self, bytes: Bytes, row: impl FnOnce() -> Row) {
        let rank = (bytes, Reverse(self.number));
        self.number += 1;
        let full = self.heap.len() >= self.most;
        if full && self.heap.peek().is_none_or(|Reverse(least)| rank < least.rank) {
            return;
        }
        self.heap.push(Reverse(Ranked { rank, row: row() }));
        if full {
            self.heap.pop();
        }
    }

    /// Returns the rows, the biggest first.
    pub(super) fn into_rows(self) -> Vec<Row> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked.row).collect()
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: u64) -> Row {
        Row {
            db: 0,
            key: name.to_string(),
            key_b64: None,
            kind: "string".to_owned(),
            encoding: "string",
            len: 0,
            bytes_file: 0,
            bytes_memory: 0,
            expire_at_ms: -1,
        }
    }

    #[test]
    fn the_biggest_come_first_and_of_those_alike_the_first() {
        let sizes = [3, 9, 1, 9, 4, 4, 4, 0];
        for most in 0..=sizes.len() + 1 {
            let mut biggest = Biggest::new(most);
            for (number, memory) in (0..).zip(sizes) {
                biggest.add(Bytes { memory, file: 7 }, || row(number));
            }
            let names: Vec<String> = biggest.into_rows().into_iter().map(|row| row.key).collect();
            let want = ["1", "3", "4", "5", "6", "0", "2", "7"];
            assert_eq!(names, want[..most.min(want.len())]);
        }
    }
}
