//! Insertion: into the node, into its neighbour, into a new node, or between the halves of a full one.

use listpack::{Entry, ListPack, Position};

use crate::node::{Content, Node};
use crate::nodes::Place;
use crate::{QuickList, Refused};

/// An element of an uncompressed node.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) place: Place,
    /// Its index in the node.
    pub(crate) offset: usize,
    /// Its position in the listpack; `None` in a plain node.
    pub(crate) at: Option<Position>,
}

impl QuickList {
    /// Inserts an element before the one at `index`, or at the end if `index` is the length. O(nodes / 64), and O(bytes
    /// of the node).
    ///
    /// # Errors
    ///
    /// [`Refused`]; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// list.insert(0, "a")?;
    /// list.insert(1, "c")?;
    /// list.insert(1, "b")?;
    /// assert_eq!(format!("{list:?}"), r#"["a", "b", "c"]"#);
    /// assert!(list.insert(4, "e").is_err());
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn insert<'e>(
        &mut self,
        index: usize,
        element: impl Into<Entry<'e>>,
    ) -> Result<(), Refused> {
        if index == self.len() {
            return self.push_back(element);
        }
        let spot = self.open_at(index).ok_or(Refused::NoElement { index })?;
        self.insert_beside(spot, element.into(), false).map(|_| ())
    }

    /// Inserts an element before the first one that equals `pivot`, and returns whether there is one. O(n).
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    pub fn insert_before<'e, 'p>(
        &mut self,
        pivot: impl Into<Entry<'p>>,
        element: impl Into<Entry<'e>>,
    ) -> Result<bool, Refused> {
        self.insert_at_pivot(pivot.into(), element.into(), false)
    }

    /// Inserts an element after the first one that equals `pivot`, and returns whether there is one. O(n).
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// for element in ["a", "b", "a"] {
    ///     list.push_back(element)?;
    /// }
    /// assert!(list.insert_after("a", "c")? && !list.insert_after("d", "e")?);
    /// assert_eq!(format!("{list:?}"), r#"["a", "c", "b", "a"]"#);
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn insert_after<'e, 'p>(
        &mut self,
        pivot: impl Into<Entry<'p>>,
        element: impl Into<Entry<'e>>,
    ) -> Result<bool, Refused> {
        self.insert_at_pivot(pivot.into(), element.into(), true)
    }

    fn insert_at_pivot(
        &mut self,
        pivot: Entry<'_>,
        element: Entry<'_>,
        after: bool,
    ) -> Result<bool, Refused> {
        match self.open_first(pivot.canonical()) {
            Some(spot) => self.insert_beside(spot, element, after).map(|_| true),
            None => Ok(false),
        }
    }

    /// Opens the node of the element at `index`.
    pub(crate) fn open_at(&mut self, index: usize) -> Option<Spot> {
        let (place, offset) = self.nodes.seek(index)?;
        self.open(place);
        let node = self.nodes.get(place)?;
        node.prefetch(offset, 1);
        let at = match node.list() {
            Some(list) => Some(node.seek(list, offset)?),
            None => None,
        };
        Some(Spot { place, offset, at })
    }

    /// Opens the node of the first element that equals `pivot`. Nodes before it are settled, as a server does when it
    /// leaves them; compressed ones stay compressed.
    fn open_first(&mut self, pivot: Entry<'_>) -> Option<Spot> {
        let mut next = self.nodes.first();
        while let Some(place) = next {
            let node = self.nodes.get(place)?;
            if let Some((offset, at)) = first_in(node, pivot) {
                self.open(place);
                return Some(Spot { place, offset, at });
            }
            if !node.is_compressed() {
                self.settle(place);
            }
            next = self.nodes.next(place);
        }
        None
    }

    /// Inserts an element next to the one at `spot`, whose node is open, and settles the nodes; returns the new place
    /// of that node, if it is a plain one.
    pub(crate) fn insert_beside(
        &mut self,
        spot: Spot,
        element: Entry<'_>,
        after: bool,
    ) -> Result<Place, Refused> {
        let Spot { place, offset, at } = spot;
        let len = element.text_len();
        self.check_room(place, len).inspect_err(|_| {
            self.close(place);
        })?;
        let (count, plain) =
            self.nodes.get(place).map_or((0, true), |node| (node.count(), node.is_plain()));
        let at_end = if after { offset + 1 == count } else { offset == 0 };
        if !self.limits.is_large(len) && self.allows_push(place, len) {
            self.insert_within(place, at, element, after);
            self.close(place);
            return Ok(place);
        }
        let beside = if after { self.nodes.next(place) } else { self.nodes.prev(place) };
        if at_end
            && let Some(beside) = beside
            && self.allows_push(beside, len)
        {
            self.open(beside);
            self.put_in(beside, element, !after)?;
            self.close(beside);
            self.close(place);
            return Ok(place);
        }
        let large = self.limits.is_large(len);
        if plain || at_end || large {
            let node = self.node_of(element, 0).inspect_err(|_| {
                self.close(place);
            })?;
            // A part that is split off goes after the new node, as seen from the old one.
            let part = (!plain && !at_end).then(|| self.split(place, offset, after));
            let (old, new) = self.insert_node(Some(place), node, after);
            if let Some(part) = part {
                self.insert_node(Some(new), part, after);
            }
            return Ok(old.unwrap_or(place));
        }
        let part = self.split(place, offset, after);
        let part = push_at_cut(part, element, after);
        let (old, new) = self.insert_node(Some(place), part, after);
        let old = old.unwrap_or(new);
        Ok(self.merge_about(old))
    }

    /// Inserts an element into the listpack of an open node.
    fn insert_within(
        &mut self,
        place: Place,
        at: Option<Position>,
        element: Entry<'_>,
        after: bool,
    ) {
        self.nodes.change(place, |node| {
            let at = at?;
            let list = node.list_for(element)?;
            let at = if after { list.next(at).unwrap_or(list.end()) } else { at };
            list.insert(at, element).ok()?;
            node.set_count(node.count() + 1);
            Some(())
        });
    }

    /// Splits an open listpack after or before the entry at `offset`, and returns the part beyond it in that direction;
    /// that entry stays.
    pub(crate) fn split(&mut self, place: Place, offset: usize, after: bool) -> Node {
        let part = self.nodes.change(place, |node| {
            let list = node.list_mut()?;
            let mut part = list.split_off(offset + usize::from(after));
            if !after {
                core::mem::swap(list, &mut part);
            }
            let left = list.settle_count();
            node.set_count(left);
            Some(part)
        });
        let mut part = part.flatten().unwrap_or_default();
        let count = part.settle_count();
        Node::packed(part, count)
    }

    /// Merges the nodes around the one at `center`, if two fit into one; returns its place, or that of the node that
    /// has its elements. The two nodes before it are tried first, then the two after it, then its neighbours.
    pub(crate) fn merge_about(&mut self, mut center: Place) -> Place {
        if let Some(prev) = self.nodes.prev(center)
            && let Some(first) = self.nodes.prev(prev)
            && self.merge(first, prev)
        {
            center = self.nodes.next(first).unwrap_or(center);
        }
        if let Some(next) = self.nodes.next(center)
            && let Some(last) = self.nodes.next(next)
        {
            self.merge(next, last);
        }
        if let Some(prev) = self.nodes.prev(center)
            && self.merge(prev, center)
        {
            center = prev;
        }
        if let Some(next) = self.nodes.next(center) {
            self.merge(center, next);
        }
        center
    }

    /// Merges two nodes into the first, if they are listpacks that fit into one; returns whether they were merged.
    fn merge(&mut self, first: Place, second: Place) -> bool {
        let (Some(a), Some(b)) = (self.nodes.get(first), self.nodes.get(second)) else {
            return false;
        };
        if a.is_plain()
            || b.is_plain()
            || !self.limits.allow_merge(a.size() + b.size(), a.count() + b.count())
        {
            return false;
        }
        let Some((second, _)) = self.nodes.remove(second) else { return false };
        let Ok(mut behind) = second.into_content() else { return false };
        self.nodes.change(first, |node| {
            node.decompress();
            node.release();
            let list = node.list_mut()?;
            list.settle_count();
            behind.settle_count();
            list.append(&behind).ok()?;
            let count = list.settle_count();
            node.set_count(count);
            Some(())
        });
        self.keep_depth(None);
        self.settle(first);
        true
    }
}

/// The index and the position of the first element of the node that equals `needle`.
fn first_in(node: &Node, needle: Entry<'_>) -> Option<(usize, Option<Position>)> {
    match node.content() {
        Content::Packed(list) => {
            let at = list.find(needle)?;
            Some((offset_of(&list, at), Some(at)))
        }
        Content::Plain(element) => needle.with_bytes(|text| *text == *element).then_some((0, None)),
    }
}

/// The number of entries before the one at `at`.
pub(crate) fn offset_of(list: &ListPack, at: Position) -> usize {
    let mut entries = list.iter();
    let mut before = 0;
    while entries.position() < at && entries.next().is_some() {
        before += 1;
    }
    before
}

/// Adds the element to a part of a split listpack, where it was split.
fn push_at_cut(part: Node, element: Entry<'_>, after: bool) -> Node {
    let mut list = part.into_content().unwrap_or_default();
    // There is room: it was checked for the whole.
    let _ = if after { list.push_front(element) } else { list.push_back(element) };
    let count = list.settle_count();
    Node::packed(list, count)
}
