//! Snapshots of the nodes of a large list.

use std::collections::VecDeque;
use std::ops::Range;

use quicklist::{NodeRef, QuickList};

use super::CHUNK;
use crate::value::{Direction, List, Value};

/// The number of nodes that are copied at most. If more change, the list is shared.
const MOST_COPIED: usize = 4;

/// The nodes of a list that are not yet handed over: kept ones at the front, then unchanged ones in the list, then kept
/// ones at the back.
#[derive(Debug)]
pub(crate) struct NodesPart {
    /// The number of nodes at the start.
    count: usize,
    front: VecDeque<KeptNode>,
    /// The current indexes of the unchanged nodes.
    live: Range<usize>,
    back: Vec<KeptNode>,
    /// The number of nodes of the list when it was last visited.
    seen: usize,
    /// The end that was about to change then.
    changing: Option<Direction>,
}

/// The old form of a node.
#[derive(Debug)]
pub(crate) struct KeptNode {
    pub(crate) is_plain: bool,
    pub(crate) bytes: Box<[u8]>,
}

impl KeptNode {
    fn of(node: NodeRef<'_>) -> Self {
        Self { is_plain: node.is_plain(), bytes: node.bytes().into() }
    }
}

impl NodesPart {
    pub(super) const fn new(count: usize) -> Self {
        Self {
            count,
            front: VecDeque::new(),
            live: 0..count,
            back: Vec::new(),
            seen: count,
            changing: None,
        }
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count as u64
    }

    /// Keeps the nodes at an end that is about to lose that many elements, or to gain others; returns `false` if these
    /// are too many to copy.
    pub(super) fn keep(&mut self, value: &Value, end: Direction, elements: usize) -> bool {
        self.settle(value);
        let Some(list) = quick(value) else { return true };
        self.changing = Some(end);
        let touched = match end {
            Direction::Left => covering(list.nodes(), elements),
            Direction::Right => covering(list.nodes().rev(), elements),
        };
        if touched > MOST_COPIED {
            return false;
        }
        match end {
            Direction::Left => self.keep_front(list, touched.saturating_sub(self.live.start)),
            Direction::Right => {
                let untouched = self.seen.saturating_sub(touched);
                self.keep_back(list, self.live.end.saturating_sub(untouched));
            }
        }
        // A list of one node may become a listpack.
        if self.live.len() <= 2 {
            self.keep_front(list, self.live.len());
        }
        true
    }

    fn keep_front(&mut self, list: &QuickList, nodes: usize) {
        let nodes = nodes.min(self.live.len());
        self.front.extend(list.nodes().skip(self.live.start).take(nodes).map(KeptNode::of));
        self.live.start += nodes;
    }

    fn keep_back(&mut self, list: &QuickList, nodes: usize) {
        let nodes = nodes.min(self.live.len());
        let behind = self.seen.saturating_sub(self.live.end);
        self.back.extend(list.nodes().rev().skip(behind).take(nodes).map(KeptNode::of));
        self.live.end -= nodes;
    }

    /// Updates the indexes of the unchanged nodes after the last change.
    fn settle(&mut self, value: &Value) {
        let count = quick(value).map_or(1, QuickList::node_count);
        if self.changing.take() == Some(Direction::Left) && !self.live.is_empty() {
            self.live.start = (self.live.start + count).saturating_sub(self.seen);
            self.live.end = (self.live.end + count).saturating_sub(self.seen);
        }
        self.seen = count;
    }

    /// Hands over the next nodes; returns `false` once all are done.
    pub(crate) fn next(&mut self, value: &Value, out: &mut Vec<KeptNode>) -> bool {
        out.clear();
        self.settle(value);
        let mut bytes = 0;
        let mut live = quick(value).map(|list| list.nodes().skip(self.live.start));
        while bytes < CHUNK {
            let node = if let Some(node) = self.front.pop_front() {
                node
            } else if !self.live.is_empty()
                && let Some(node) = live.as_mut().and_then(Iterator::next)
            {
                self.live.start += 1;
                KeptNode::of(node)
            } else if let Some(node) = self.back.pop() {
                node
            } else {
                return false;
            };
            bytes += node.bytes.len();
            out.push(node);
        }
        true
    }
}

fn quick(value: &Value) -> Option<&QuickList> {
    match value.as_list()? {
        List::Quick(list) => Some(list),
        List::ListPack(_) => None,
    }
}

/// The number of nodes, from an end, that contain that many elements, plus one.
fn covering<'l>(nodes: impl Iterator<Item = NodeRef<'l>>, elements: usize) -> usize {
    let mut before = 0;
    let covering = nodes.take(MOST_COPIED).take_while(|node| {
        let covered = before <= elements;
        before += node.count();
        covered
    });
    covering.count() + usize::from(elements > 0)
}
