//! Which nodes are compressed: all but some at either end.
//!
//! A server considers only the nodes at the ends and the node that an operation has changed. So an inner node may stay
//! uncompressed for a while if it was too short when last considered; the same is done here.

use crate::QuickList;
use crate::node::Node;
use crate::nodes::Place;

impl QuickList {
    /// Finishes an operation on a node: one that was opened is compressed again, any other one according to its depth.
    pub(crate) fn settle(&mut self, place: Place) {
        if self.limits.depth > 0 && !self.close(place) {
            self.keep_depth(Some(place));
        }
    }

    /// Decompresses the node at `place` for the duration of an operation.
    pub(crate) fn open(&mut self, place: Place) {
        if let Some(node) = self.nodes.get_mut(place) {
            node.open();
        }
    }

    /// Compresses the node again if it was opened; returns whether it was.
    pub(crate) fn close(&mut self, place: Place) -> bool {
        self.nodes.get_mut(place).is_some_and(Node::close)
    }

    /// Decompresses the nodes at the ends, and compresses the node at `place`, unless it is one of them, and the two
    /// nodes next to the ends. O(depth).
    pub(crate) fn keep_depth(&mut self, place: Option<Place>) {
        let depth = usize::from(self.limits.depth);
        if depth == 0 || self.nodes.count() < 2 * depth {
            return;
        }
        let (mut front, mut back) = (self.nodes.first(), self.nodes.last());
        let mut at_end = false;
        for _ in 0..depth {
            self.at(front, Node::decompress);
            self.at(back, Node::decompress);
            at_end |= place.is_some() && (place == front || place == back);
            let next = front.and_then(|front| self.nodes.next(front));
            if front == back || next == back {
                return;
            }
            front = next;
            back = back.and_then(|back| self.nodes.prev(back));
        }
        if !at_end {
            self.at(place, Node::compress);
        }
        self.at(front, Node::compress);
        self.at(back, Node::compress);
    }

    fn at(&mut self, place: Option<Place>, change: impl FnOnce(&mut Node)) {
        if let Some(node) = place.and_then(|place| self.nodes.get_mut(place)) {
            change(node);
        }
    }
}
