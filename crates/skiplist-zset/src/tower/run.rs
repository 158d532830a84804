//! The towers of a level that are reached from the same tower above.

/// Keys, or spans, that are compared together.
const GROUP: usize = 8;

/// The part of a level below one tower.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The keys of the first entries.
    pub(super) keys: Vec<u64>,
    /// Blocks, or runs of the level below.
    pub(super) children: Vec<u32>,
    /// How many entries are below.
    pub(super) spans: Vec<u32>,
    /// The run of the level above in which this one is.
    pub(super) above: u32,
}

impl Run {
    pub(super) const fn new(above: u32) -> Self {
        Self { keys: Vec::new(), children: Vec::new(), spans: Vec::new(), above }
    }

    /// The places of the children whose first keys equal this one; the first child counts as in front of all keys.
    #[inline]
    pub(super) fn alike(&self, key: u64) -> (usize, usize) {
        let from = below(&self.keys[1..], key) + 1;
        let mut to = from;
        while self.keys.get(to) == Some(&key) {
            to += 1;
        }
        (from, to)
    }

    /// The last child whose first key is less than this one, or the first child.
    #[inline]
    pub(super) fn child_below(&self, key: u64) -> u32 {
        self.children[below(&self.keys[1..], key)]
    }

    /// The place of the child with the entry of this rank, or the last place, and how many entries are in front of it.
    ///
    /// Every rank ends elsewhere, which no processor foresees: nothing here branches on the spans.
    #[inline]
    pub(super) fn place_of_rank(&self, rank: u32) -> (usize, u32) {
        let spans = &self.spans[..self.spans.len() - 1];
        let (groups, _) = spans.as_chunks::<GROUP>();
        let (mut sum, mut passed, mut at) = (0, 0, 0);
        for group in groups {
            sum += group.iter().sum::<u32>();
            let whole = sum <= rank;
            passed = if whole { sum } else { passed };
            at += if whole { GROUP } else { 0 };
        }
        // The last group begins earlier, to be whole too: what is in front of it has been passed.
        let start = at.min(spans.len().saturating_sub(GROUP));
        let Some(group) = spans[start..].first_chunk::<GROUP>() else {
            return within(spans, rank, 0);
        };
        let again = at - start;
        for (place, &span) in group.iter().enumerate() {
            passed -= if place < again { span } else { 0 };
        }
        let (at, passed) = within(group, rank, passed);
        (start + at, passed)
    }

    /// The place of a child.
    ///
    /// All are compared: the end of a search is not predictable, and vector instructions compare this many in a few
    /// steps.
    #[inline]
    pub(super) fn place_of_child(&self, child: u32) -> usize {
        let mut found = 0;
        for (at, &other) in (0_u32..).zip(&self.children) {
            found |= if other == child { at } else { 0 };
        }
        found as usize
    }

    /// How many entries are below the children in front of a place.
    #[inline]
    pub(super) fn entries_before(&self, at: usize) -> u32 {
        self.spans[..at].iter().sum()
    }

    pub(super) fn insert(&mut self, at: usize, key: u64, child: u32, span: u32) {
        self.keys.insert(at, key);
        self.children.insert(at, child);
        self.spans.insert(at, span);
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.keys.remove(at);
        self.children.remove(at);
        self.spans.remove(at);
    }

    pub(super) fn split_off(&mut self, at: usize) -> Self {
        Self {
            keys: self.keys.split_off(at),
            children: self.children.split_off(at),
            spans: self.spans.split_off(at),
            above: self.above,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.keys.capacity() * 8 + (self.children.capacity() + self.spans.capacity()) * 4
    }
}

/// How many of some spans end at a rank or in front of it, and how many entries are in front of the next; `passed` are
/// in front of the first.
#[inline]
fn within(spans: &[u32], rank: u32, mut passed: u32) -> (usize, u32) {
    let (mut sum, mut at) = (passed, 0);
    for &span in spans {
        sum += span;
        let whole = sum <= rank;
        passed = if whole { sum } else { passed };
        at += usize::from(whole);
    }
    (at, passed)
}

/// How many of some sorted keys are below this one.
///
/// A binary search waits for one cache line after the other; this takes the last key of each line, and then one line.
#[inline]
fn below(keys: &[u64], key: u64) -> usize {
    let (groups, rest) = keys.as_chunks::<GROUP>();
    let whole: usize = groups.iter().map(|group| usize::from(group[GROUP - 1] < key)).sum();
    let group = groups.get(whole).map_or(rest, |group| group);
    whole * GROUP + group.iter().map(|&other| usize::from(other < key)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs around a group and around two, with every rank, one beyond the end included.
    #[test]
    fn the_place_of_a_rank_is_what_a_plain_sum_finds() {
        for len in 1..=40_u32 {
            let mut run = Run::new(0);
            let spans = (0..len).map(|at| 1 + at * 7 % 5);
            spans.clone().enumerate().for_each(|(at, span)| run.insert(at, 0, 0, span));
            for rank in 0..=spans.clone().sum() {
                let (mut at, mut before) = (0, 0);
                for span in spans.clone().take(len as usize - 1) {
                    if before + span > rank {
                        break;
                    }
                    (at, before) = (at + 1, before + span);
                }
                assert_eq!(run.place_of_rank(rank), (at, before), "{len} children, rank {rank}");
            }
        }
    }
}
