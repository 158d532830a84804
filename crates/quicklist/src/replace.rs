//! Replacing an element.

use listpack::Entry;

use crate::insert::Spot;
use crate::node::Node;
use crate::nodes::Place;
use crate::{QuickList, Refused};

impl QuickList {
    /// Replaces the element at `index`. O(nodes / 64), and O(bytes of the node).
    ///
    /// # Errors
    ///
    /// [`Refused`]; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use quicklist::{Limits, QuickList, Refused};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// list.push_back("a")?;
    /// list.set(0, "b")?;
    /// assert_eq!(list.get(0).map(|element| element.to_vec()), Some(b"b".to_vec()));
    /// assert_eq!(list.set(1, "c"), Err(Refused::NoElement { index: 1 }));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn set<'e>(&mut self, index: usize, element: impl Into<Entry<'e>>) -> Result<(), Refused> {
        let element = element.into();
        let spot = self.open_at(index).ok_or(Refused::NoElement { index })?;
        let Some(at) = spot.at else { return self.replace_plain(spot, element) };
        if !self.limits.is_large(element.text_len()) {
            let list = self.nodes.get_mut(spot.place).and_then(|node| node.list_for(element));
            if list.is_some_and(|list| list.replace(at, element).is_ok()) {
                self.settle(spot.place);
                return Ok(());
            }
        }
        self.replace_by_node(spot, element)
    }

    /// Replaces the element of a plain node.
    fn replace_plain(&mut self, spot: Spot, element: Entry<'_>) -> Result<(), Refused> {
        if self.limits.is_large(element.text_len()) {
            let new = self.node_of(element, 0).inspect_err(|_| {
                self.close(spot.place);
            })?;
            if let Some(node) = self.nodes.get_mut(spot.place) {
                node.take_content(new);
            }
            self.settle(spot.place);
            return Ok(());
        }
        let old = self.insert_beside(spot, element, true)?;
        self.delete_node(old);
        Ok(())
    }

    /// Replaces an entry of an open listpack by a node of the element, between what is before and what is behind it.
    fn replace_by_node(&mut self, spot: Spot, element: Entry<'_>) -> Result<(), Refused> {
        let Spot { place, offset, .. } = spot;
        let new = self.node_of(element, 0).inspect_err(|_| {
            self.close(place);
        })?;
        let count = self.nodes.get(place).map_or(0, Node::count);
        self.hold(place, true);
        let part = (offset + 1 < count).then(|| self.split(place, offset, true));
        let (old, new) = self.insert_node(Some(place), new, true);
        let old = match part {
            Some(part) => {
                let (new, _) = self.insert_node(Some(new), part, true);
                new.and_then(|new| self.nodes.prev(new))
            }
            None => old,
        };
        let Some(old) = old else { return Ok(()) };
        let at = self.nodes.get(old).and_then(Node::list).and_then(listpack::ListPack::last);
        let gone = match at {
            Some(at) => self.delete_at(old, at),
            None => self.delete_node(old).is_some(),
        };
        if gone {
            return Ok(());
        }
        self.hold(old, false);
        let Some(mut new) = self.nodes.next(old) else { return Ok(()) };
        if self.limits.merge_replaced {
            new = self.merge_about(new);
            self.settle(new);
            if let Some(prev) = self.nodes.prev(new) {
                self.settle(prev);
            }
            if let Some(next) = self.nodes.next(new) {
                self.settle(next);
            }
        } else {
            self.settle(old);
            self.settle(new);
        }
        Ok(())
    }

    fn hold(&mut self, place: Place, held: bool) {
        if let Some(node) = self.nodes.get_mut(place) {
            node.hold(held);
        }
    }
}
