//! The nodes in their order, and how many elements precede each.
//!
//! Nodes are grouped in runs of a few dozen. A run has its number of elements, so the node of an index is found by one
//! pass over the runs and one over the nodes of a run: a list of a million short elements has some forty runs.

use std::collections::VecDeque;

use crate::node::Node;

/// The maximum number of nodes of a run: two kilobytes, which is what inserting or removing a node moves at most. With
/// half as many, the index over a million nodes takes twice the time; over some thousands, all of this is less than the
/// search within a node.
const RUN: usize = 64;

/// The place of a node. It is valid until nodes are inserted or removed, except as the methods document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    run: usize,
    node: usize,
}

#[derive(Clone, Default)]
pub(crate) struct Nodes {
    /// No run is empty.
    runs: VecDeque<Run>,
    /// The number of nodes.
    count: usize,
    /// The number of elements.
    len: usize,
}

#[derive(Clone)]
struct Run {
    nodes: Vec<Node>,
    /// The number of elements.
    len: usize,
}

impl Run {
    fn new(nodes: Vec<Node>) -> Self {
        let len = nodes.iter().map(Node::count).sum();
        Self { nodes, len }
    }
}

/// Calls `change` with a node, and adjusts these numbers of elements.
#[inline]
fn counted<R>(node: &mut Node, sums: [&mut usize; 2], change: impl FnOnce(&mut Node) -> R) -> R {
    let before = node.count();
    let result = change(node);
    let after = node.count();
    for sum in sums {
        *sum = *sum - before + after;
    }
    result
}

impl Nodes {
    /// The number of nodes.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<Place> {
        (self.count > 0).then_some(Place { run: 0, node: 0 })
    }

    /// The place of the last node or of the first.
    #[inline]
    pub(crate) fn end(&self, back: bool) -> Option<Place> {
        if back { self.last() } else { self.first() }
    }

    #[inline]
    pub(crate) fn last(&self) -> Option<Place> {
        self.last_of(self.runs.len().checked_sub(1)?)
    }

    #[inline]
    pub(crate) fn next(&self, place: Place) -> Option<Place> {
        let behind = Place { node: place.node + 1, ..place };
        if behind.node < self.runs.get(place.run)?.nodes.len() {
            return Some(behind);
        }
        (place.run + 1 < self.runs.len()).then_some(Place { run: place.run + 1, node: 0 })
    }

    #[inline]
    pub(crate) fn prev(&self, place: Place) -> Option<Place> {
        match place.node.checked_sub(1) {
            Some(node) => Some(Place { node, ..place }),
            None => self.last_of(place.run.checked_sub(1)?),
        }
    }

    fn last_of(&self, run: usize) -> Option<Place> {
        let node = self.runs.get(run)?.nodes.len().checked_sub(1)?;
        Some(Place { run, node })
    }

    #[inline]
    pub(crate) fn get(&self, place: Place) -> Option<&Node> {
        self.runs.get(place.run)?.nodes.get(place.node)
    }

    /// The node at `place`, whose number of elements must not change but by [`change`](Self::change).
    #[inline]
    pub(crate) fn get_mut(&mut self, place: Place) -> Option<&mut Node> {
        self.runs.get_mut(place.run)?.nodes.get_mut(place.node)
    }

    /// Calls `change` with the node, which may change the number of its elements.
    #[inline]
    pub(crate) fn change<R>(
        &mut self,
        place: Place,
        change: impl FnOnce(&mut Node) -> R,
    ) -> Option<R> {
        let run = self.runs.get_mut(place.run)?;
        let node = run.nodes.get_mut(place.node)?;
        Some(counted(node, [&mut run.len, &mut self.len], change))
    }

    /// As [`change`](Self::change), for the last node or the first.
    #[inline]
    pub(crate) fn change_end<R>(
        &mut self,
        back: bool,
        change: impl FnOnce(&mut Node) -> R,
    ) -> Option<R> {
        let run = if back { self.runs.back_mut() } else { self.runs.front_mut() }?;
        let node = if back { run.nodes.last_mut() } else { run.nodes.first_mut() }?;
        Some(counted(node, [&mut run.len, &mut self.len], change))
    }

    /// The node that holds the element at `index`, and the index within it. O(nodes / 64), from the nearer end.
    #[inline]
    pub(crate) fn seek(&self, index: usize) -> Option<(Place, usize)> {
        let behind = self.len.checked_sub(index)?.checked_sub(1)?;
        if index <= behind { self.seek_front(index) } else { self.seek_back(behind) }
    }

    fn seek_front(&self, index: usize) -> Option<(Place, usize)> {
        let mut left = index;
        for (run, all) in self.runs.iter().enumerate() {
            if left < all.len {
                return all.seek(left).map(|(node, index)| (Place { run, node }, index));
            }
            left -= all.len;
        }
        None
    }

    fn seek_back(&self, behind: usize) -> Option<(Place, usize)> {
        let mut left = behind;
        for (run, all) in self.runs.iter().enumerate().rev() {
            if left < all.len {
                let index = all.len - 1 - left;
                return all.seek(index).map(|(node, index)| (Place { run, node }, index));
            }
            left -= all.len;
        }
        None
    }

    /// Inserts a node after the one at `place`, or into the empty list; returns its place.
    pub(crate) fn insert_after(&mut self, place: Option<Place>, node: Node) -> Place {
        match place {
            Some(Place { run, node: at }) => self.insert(run, at + 1, node),
            None => self.insert(0, 0, node),
        }
    }

    /// Inserts a node before the one at `place`, or into the empty list; returns its place.
    pub(crate) fn insert_before(&mut self, place: Option<Place>, node: Node) -> Place {
        let Place { run, node: at } = place.unwrap_or(Place { run: 0, node: 0 });
        self.insert(run, at, node)
    }

    fn insert(&mut self, mut run: usize, mut at: usize, node: Node) -> Place {
        self.count += 1;
        self.len += node.count();
        let full = self.runs.get(run).is_none_or(|all| all.nodes.len() >= RUN);
        if full {
            (run, at) = self.make_room(run, at);
        }
        if let Some(all) = self.runs.get_mut(run) {
            all.len += node.count();
            all.nodes.insert(at.min(all.nodes.len()), node);
        }
        Place { run, node: at }
    }

    /// Makes room in a full run, or creates the first run; returns the new place of a node that belonged at `at`.
    ///
    /// A list that grows at its ends has full runs; one that grows inside, half full ones at least.
    #[cold]
    fn make_room(&mut self, run: usize, at: usize) -> (usize, usize) {
        let len = self.runs.get(run).map_or(0, |all| all.nodes.len());
        if run == 0 && at == 0 {
            // Most lists have one node, and a few of them hardly more.
            let capacity = if self.runs.is_empty() { 1 } else { RUN };
            if self.runs.is_empty() {
                self.runs.reserve_exact(1);
            }
            self.runs.insert(run, Run::new(Vec::with_capacity(capacity)));
            return (run, 0);
        }
        if at == len && run + 1 == self.runs.len() {
            self.runs.push_back(Run::new(Vec::with_capacity(RUN)));
            return (run + 1, 0);
        }
        let half = len / 2;
        if let Some(all) = self.runs.get_mut(run) {
            let mut nodes = Vec::with_capacity(RUN);
            nodes.extend(all.nodes.drain(half..));
            let behind = Run::new(nodes);
            all.len -= behind.len;
            self.runs.insert(run + 1, behind);
        }
        if at <= half { (run, at) } else { (run + 1, at - half) }
    }

    /// Removes the node at `place`; returns it and the place of the next node. The places before it stay valid.
    pub(crate) fn remove(&mut self, place: Place) -> Option<(Node, Option<Place>)> {
        let run = self.runs.get_mut(place.run)?;
        if place.node >= run.nodes.len() {
            return None;
        }
        let node = run.nodes.remove(place.node);
        run.len -= node.count();
        self.count -= 1;
        self.len -= node.count();
        let behind = if run.nodes.is_empty() {
            self.runs.remove(place.run);
            Place { node: 0, ..place }
        } else {
            self.join(place.run);
            place
        };
        let left = self.runs.get(behind.run).map_or(0, |run| run.nodes.len());
        let behind = match behind {
            Place { run, node } if node >= left => Place { run: run + 1, node: 0 },
            place => place,
        };
        Some((node, (behind.run < self.runs.len()).then_some(behind)))
    }

    /// Removes a whole run if `place` is its first node and it has at most `most` elements; returns how many it had,
    /// and the place of the next node.
    pub(crate) fn remove_run(
        &mut self,
        place: Place,
        most: usize,
    ) -> Option<(usize, Option<Place>)> {
        let run = self.runs.get(place.run).filter(|run| place.node == 0 && run.len <= most)?;
        let (nodes, len) = (run.nodes.len(), run.len);
        self.runs.remove(place.run);
        self.count -= nodes;
        self.len -= len;
        Some((len, (place.run < self.runs.len()).then_some(place)))
    }

    /// Joins the run with the one behind it if both are nearly empty.
    fn join(&mut self, run: usize) {
        let len = |run: usize| self.runs.get(run).map(|all| all.nodes.len());
        if let (Some(ours), Some(theirs)) = (len(run), len(run + 1))
            && ours + theirs <= RUN / 2
            && let Some(behind) = self.runs.remove(run + 1)
            && let Some(all) = self.runs.get_mut(run)
        {
            all.len += behind.len;
            all.nodes.extend(behind.nodes);
        }
    }

    /// The same nodes, which are shared from now on.
    pub(crate) fn share(&mut self) -> Self {
        let share = |run: &mut Run| Run {
            nodes: run.nodes.iter_mut().map(Node::share).collect(),
            len: run.len,
        };
        Self { runs: self.runs.iter_mut().map(share).collect(), ..*self }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Node> + Clone {
        self.runs.iter().flat_map(|run| &run.nodes)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.runs.iter_mut().flat_map(|run| &mut run.nodes)
    }

    /// The bytes on the heap: those of the nodes, and those of the index.
    pub(crate) fn heap_bytes(&self) -> usize {
        let runs = self.runs.iter().map(|run| run.nodes.capacity() * size_of::<Node>());
        let index = self.runs.capacity() * size_of::<Run>() + runs.sum::<usize>();
        index + self.iter().map(Node::heap_bytes).sum::<usize>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.iter_mut().for_each(Node::shrink_to_fit);
        self.runs.iter_mut().for_each(|run| run.nodes.shrink_to_fit());
        self.runs.shrink_to_fit();
    }

    /// Panics unless the sums are those of the nodes.
    pub(crate) fn verify(&self) {
        for run in &self.runs {
            assert!((1..=RUN).contains(&run.nodes.len()), "a run of {} nodes", run.nodes.len());
            assert_eq!(run.len, run.nodes.iter().map(Node::count).sum(), "elements of a run");
        }
        assert_eq!(self.count, self.runs.iter().map(|run| run.nodes.len()).sum(), "nodes");
        assert_eq!(self.len, self.runs.iter().map(|run| run.len).sum(), "elements");
    }
}

impl Run {
    /// The node that holds the element at `index`, and the index within it.
    #[inline]
    fn seek(&self, index: usize) -> Option<(usize, usize)> {
        if index <= self.len / 2 {
            let mut left = index;
            for (at, node) in self.nodes.iter().enumerate() {
                if left < node.count() {
                    return Some((at, left));
                }
                left -= node.count();
            }
        } else {
            let mut left = self.len.checked_sub(index)?.checked_sub(1)?;
            for (at, node) in self.nodes.iter().enumerate().rev() {
                if left < node.count() {
                    return Some((at, node.count() - 1 - left));
                }
                left -= node.count();
            }
        }
        None
    }
}
