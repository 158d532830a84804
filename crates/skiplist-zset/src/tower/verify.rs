//! Verification of the invariants of the skip list.

use super::Order;
use crate::block::{Target, Tie, is_before};
use crate::records::{NONE, Records};

impl Order {
    /// Checks blocks, towers, spans, links and order; gives all entries.
    pub(crate) fn verify(&self, records: &Records) -> Vec<u32> {
        let entries: Vec<u32> = self.entries().collect();
        assert_eq!(entries.len(), self.len());
        let in_order = |a: &u32, b: &u32| {
            let target = Target { key: records.key(*b), tie: Tie::Member(records.member(*b)) };
            is_before(*a, target, records)
        };
        assert!(entries.is_sorted_by(in_order), "the order of the entries");
        let mut level = vec![(self.root, NONE)];
        let (mut runs, mut expected) = (0, vec![self.len]);
        for height in (0..self.height).rev() {
            let (mut below, mut spans) = (Vec::new(), Vec::new());
            runs += level.len();
            for (&(number, above), &span) in level.iter().zip(&expected) {
                let run = &self.runs[number as usize];
                assert_eq!(run.above, above, "the run above one of level {height}");
                assert!(!run.keys.is_empty(), "a run of level {height} is empty");
                assert_eq!(run.spans.iter().sum::<u32>(), span, "span of a run of level {height}");
                below.extend(run.children.iter().map(|&child| (child, number)));
                spans.extend_from_slice(&run.spans);
                for (&key, &child) in run.keys.iter().zip(&run.children) {
                    if self.len > 0 {
                        let first = self.first_of(height, child);
                        assert_eq!(key, records.key(first), "head of a tower");
                    }
                }
            }
            (level, expected) = (below, spans);
        }
        assert_eq!(runs + self.free_runs.len(), self.runs.len(), "runs");
        assert_eq!(level.len() + self.free_blocks.len(), self.blocks.len(), "blocks");
        let (mut previous, mut long) = (NONE, 0);
        for (at, (&(number, run), &span)) in level.iter().zip(&expected).enumerate() {
            let block = self.block(number);
            block.verify(records);
            long += records.verify(number, block.entries());
            assert_eq!(block.len(), span as usize, "span of block {number}");
            assert!(block.len() > 0 || self.len == 0);
            assert_eq!((block.previous, block.run), (previous, run));
            assert_eq!(block.next, level.get(at + 1).map_or(NONE, |next| next.0));
            previous = number;
        }
        records.verify_counts(long, self.blocks.len());
        assert_eq!(Some(self.first), level.first().map(|first| first.0));
        assert_eq!(Some(self.last), level.last().map(|last| last.0));
        for &free in &self.free_blocks {
            assert_eq!((self.block(free).len(), records.verify(free, [].into_iter())), (0, 0));
        }
        entries
    }
}
