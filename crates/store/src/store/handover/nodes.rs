//! The nodes of a large list.

use std::collections::VecDeque;
use std::ops::Range;

use quicklist::{NodeRef, QuickList};

use super::CHUNK;
use crate::value::{Direction, List, Value};

/// The most nodes that are copied at once. Where more change, the list is shared.
const MOST_COPIED: usize = 4;

/// Which nodes of a list are yet to be handed over: those that were kept from its front on, those of the list that are
/// as they were, and those that were kept from its back on.
#[derive(Debug)]
pub(crate) struct NodesPart {
    /// How many there were.
    count: usize,
    front: VecDeque<KeptNode>,
    /// The numbers that those have now which are as they were.
    live: Range<usize>,
    back: Vec<KeptNode>,
    /// How many nodes the list had when it was last looked at.
    seen: usize,
    /// The end that was about to change then.
    changing: Option<Direction>,
}

/// A node as it was.
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

    /// Keeps the nodes at an end that is about to lose so many elements, or to get others; `false` if that are too many
    /// to be copied.
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

    /// Finds out where the nodes are that are as they were, after the last change.
    fn settle(&mut self, value: &Value) {
        let count = quick(value).map_or(1, QuickList::node_count);
        if self.changing.take() == Some(Direction::Left) && !self.live.is_empty() {
            self.live.start = (self.live.start + count).saturating_sub(self.seen);
            self.live.end = (self.live.end + count).saturating_sub(self.seen);
        }
        self.seen = count;
    }

    /// Hands over the next nodes; `false` once none are left.
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

/// How many nodes from an end on hold so many elements, and one more.
fn covering<'l>(nodes: impl Iterator<Item = NodeRef<'l>>, elements: usize) -> usize {
    let mut before = 0;
    let covering = nodes.take(MOST_COPIED).take_while(|node| {
        let covered = before <= elements;
        before += node.count();
        covered
    });
    covering.count() + usize::from(elements > 0)
}
