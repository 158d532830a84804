//! Filtering the members of a range by their scores.

use core::hash::BuildHasher;
use core::ops::RangeInclusive;

use listpack::Entry;

use crate::block::{BLOCK, Target, Tie};
use crate::large::Large;
use crate::records::NONE;

impl<S: BuildHasher> Large<S> {
    /// Iterates over the members whose scores have these keys and are kept, lowest first.
    ///
    /// Block by block: first the scores of a block, whose records lie anywhere, so that their cache misses overlap;
    /// then which of them are kept, without a branch that would be mispredicted every other time; then their members.
    /// The lines of all records are prefetched with those of their block, and those of the next block before the scores
    /// of this one are read.
    pub(crate) fn pick<'z>(
        &'z self,
        keys: &RangeInclusive<u64>,
        keep: &mut impl FnMut(f64) -> bool,
        found: &mut impl FnMut(Entry<'z>, f64),
    ) {
        if keys.is_empty() {
            return;
        }
        let target = |key, tie| Target { key, tie };
        let start = self.seek(target(*keys.start(), Tie::First));
        let last = target(*keys.end(), Tie::Last);
        let (mut number, mut from) = (start.block, start.at);
        loop {
            let block = self.order().block(number);
            self.prefetch_block(number, BLOCK);
            let to = self.position(number, last);
            let is_last = to < block.len() || block.next == NONE;
            if !is_last {
                self.prefetch_block(block.next, BLOCK);
            }
            let mut scores = [0.0; BLOCK];
            let mut kept = [0_u8; BLOCK];
            let scores = &mut scores[..to.saturating_sub(from)];
            for (at, score) in (from..).zip(&mut *scores) {
                *score = self.score_of(block.record(at));
            }
            let mut count = 0;
            for (at, &score) in (0_u8..).zip(&*scores) {
                kept[count] = at;
                count += usize::from(keep(score));
            }
            for &at in &kept[..count] {
                let at = usize::from(at);
                found(Entry::Str(self.get(block.record(from + at)).0), scores[at]);
            }
            if is_last {
                return;
            }
            (number, from) = (block.next, 0);
        }
    }
}
