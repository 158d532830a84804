use std::sync::Arc;

use listpack::{Entry, ListPack, MAX_BYTES, Position};

use crate::node::{Content, Node};
use crate::nodes::{Nodes, Place};
use crate::{Element, Limits, NodeRef, Refused};

/// The maximum overhead of a listpack with one element: header, end marker, and the longest length fields.
const LISTPACK_OVERHEAD: usize = 32;

/// From this number of nodes on, a new node at an end gets the capacity of its full neighbour at once, at most this part
/// of the list. The node would otherwise be copied at every sixteenth of its size.
const LONG: usize = 16;

/// A list of strings and integers, stored as Redis's quicklist.
///
/// The [crate documentation](crate) describes the nodes.
///
/// ```
/// use quicklist::{Limits, QuickList};
///
/// let mut list = QuickList::new(Limits::default());
/// list.push_back("b")?;
/// list.push_back("17")?;
/// list.push_front("a")?;
/// list.insert_before("17", "c")?;
/// assert_eq!(format!("{list:?}"), r#"["a", "b", "c", 17]"#);
/// assert_eq!(list.pop_back(), Some(b"17".to_vec()));
/// # Ok::<(), quicklist::Refused>(())
/// ```
#[derive(Clone)]
pub struct QuickList {
    pub(crate) nodes: Nodes,
    pub(crate) limits: Limits,
}

impl QuickList {
    /// Creates an empty list with these limits, without heap memory.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { nodes: Nodes::default(), limits }
    }

    /// Creates a list of one node, or of none if the listpack is empty.
    ///
    /// A listpack that was created with [`listpack::Validation::Shallow`] may be malformed: then results are wrong, and
    /// removing an element may remove others, but nothing panics.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut small = listpack::ListPack::new();
    /// small.push_back("a")?;
    /// let list = QuickList::from_listpack(small.clone(), Limits::default());
    /// assert_eq!(list.into_listpack().ok(), Some(small));
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[must_use]
    pub fn from_listpack(list: ListPack, limits: Limits) -> Self {
        let mut lists = Self::new(limits);
        lists.append_listpack(list);
        lists
    }

    /// Returns the listpack of a list that has one listpack node, or is empty.
    ///
    /// # Errors
    ///
    /// Returns the list unchanged if it has several nodes or a plain one.
    pub fn into_listpack(mut self) -> Result<ListPack, Self> {
        match self.nodes.first() {
            None => Ok(ListPack::new()),
            Some(place) if self.nodes.count() == 1 => match self.nodes.remove(place) {
                Some((node, _)) => node.into_content().map_err(|element| {
                    self.append_plain(element);
                    self
                }),
                None => Err(self),
            },
            Some(_) => Err(self),
        }
    }

    /// Appends a listpack as a node, as when reading a file or a payload. A listpack without elements is skipped, as on
    /// a server.
    ///
    /// For RDB type 14, a server appends each ziplist as a listpack of its entries; for types 1 and 10, it pushes the
    /// elements one by one.
    ///
    /// The node is not split, whatever the [fill](crate::Fill). For listpacks that were validated shallowly see
    /// [`from_listpack`](Self::from_listpack).
    pub fn append_listpack(&mut self, mut list: ListPack) {
        let count = list.settle_count();
        if count > 0 {
            let mut node = Node::packed(list, count);
            node.measure();
            self.insert_node(self.nodes.last(), node, true);
        }
    }

    /// Appends a plain node, as when reading a file or a payload: one element, of any length.
    pub fn append_plain(&mut self, element: impl Into<Box<[u8]>>) {
        self.insert_node(self.nodes.last(), Node::plain(element.into()), true);
    }

    /// The limits of the list.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets [`Limits::plain_from`]. Existing nodes are unchanged.
    ///
    /// It is the only limit that a server changes in existing lists: DEBUG QUICKLIST-PACKED-THRESHOLD.
    pub fn set_plain_from(&mut self, bytes: u32) {
        self.limits.plain_from = bytes;
    }

    /// The number of elements. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no elements. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.count() == 0
    }

    /// The number of nodes. O(1).
    #[inline]
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.count()
    }

    /// Iterates over the nodes, in order, as a file or a payload has them.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeRef<'_>> + Clone {
        self.nodes.iter().map(NodeRef::new)
    }

    /// Converts an index of Redis, where -1 is the last element, to an index from the front. `None` if there is no such
    /// element. O(1).
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// list.push_back("a")?;
    /// list.push_back("b")?;
    /// assert_eq!((list.index(-1), list.index(0), list.index(-3)), (Some(1), Some(0), None));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    #[must_use]
    pub fn index(&self, index: i64) -> Option<usize> {
        let place = match usize::try_from(index) {
            Ok(front) => front,
            Err(_) => self.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
        };
        (place < self.len()).then_some(place)
    }

    /// Returns the element at `index`. O(nodes / 64), and O(entries of the node) from its nearer end, unless all of them
    /// have one size.
    ///
    /// For a compressed node, a copy is decompressed.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Element<'_>> {
        let (place, offset) = self.nodes.seek(index)?;
        let node = self.nodes.get(place)?;
        node.prefetch(offset, 1);
        if let Some(list) = node.list() {
            return list.entry(node.seek(list, offset)?).map(Element::lent);
        }
        match node.content() {
            Content::Packed(list) => {
                let at = node.seek(&list, offset)?;
                Some(Element::shared(Arc::new(list.into_owned()), at))
            }
            Content::Plain(element) => Some(Element::plain(element)),
        }
    }

    /// Appends an element. O(1) amortized.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    #[inline]
    pub fn push_back<'e>(&mut self, element: impl Into<Entry<'e>>) -> Result<(), Refused> {
        self.push(element.into(), true)
    }

    /// Inserts an element at the front. O(bytes of the first node) at most.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    #[inline]
    pub fn push_front<'e>(&mut self, element: impl Into<Entry<'e>>) -> Result<(), Refused> {
        self.push(element.into(), false)
    }

    fn push(&mut self, element: Entry<'_>, back: bool) -> Result<(), Refused> {
        let len = element.text_len();
        let limits = &self.limits;
        let pushed = self.nodes.change_end(back, |node| {
            node.allows_push(limits, len).then(|| node.push(element, back))
        });
        pushed.flatten().unwrap_or_else(|| self.push_node(element, back))
    }

    /// Adds a node of the element at an end.
    #[cold]
    #[inline(never)]
    fn push_node(&mut self, element: Entry<'_>, back: bool) -> Result<(), Refused> {
        let end = self.nodes.end(back);
        let full = end.and_then(|end| self.nodes.get(end)).filter(|node| !node.is_plain());
        let capacity = match full {
            Some(full) if self.nodes.count() >= LONG => {
                // A node from a file may exceed the limit.
                let most = full.size().min(self.limits.fill.most_bytes());
                most + element.text_len() + LISTPACK_OVERHEAD
            }
            _ => 0,
        };
        let node = self.node_of(element, capacity)?;
        // The full node grows no more by pushing.
        if let Some(full) = end.and_then(|end| self.nodes.get_mut(end)) {
            full.shrink_to_fit();
            full.measure();
        }
        self.insert_node(end, node, back);
        Ok(())
    }

    /// Removes the last element and returns its text. O(1) amortized.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// list.push_back(-7)?;
    /// assert_eq!((list.pop_back(), list.pop_back()), (Some(b"-7".to_vec()), None));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    pub fn pop_back(&mut self) -> Option<Vec<u8>> {
        self.pop(true)
    }

    /// Removes the first element and returns its text. O(bytes of the first node) at most.
    pub fn pop_front(&mut self) -> Option<Vec<u8>> {
        self.pop(false)
    }

    fn pop(&mut self, back: bool) -> Option<Vec<u8>> {
        loop {
            // The ends are never compressed.
            let popped = self.nodes.change_end(back, |node| {
                node.pop(back, |element| element.with_bytes(<[u8]>::to_vec))
            })?;
            if let Some((text, gone)) = popped {
                if gone && let Some(place) = self.nodes.end(back) {
                    self.delete_node(place);
                }
                return Some(text);
            }
            let (node, _) = self.delete_node(self.nodes.end(back)?)?;
            if let Err(element) = node.into_content() {
                return Some(element.into_vec());
            }
            // A listpack without the elements that its header counts: it was not validated.
        }
    }

    /// Returns a copy-on-write copy: both lists share the nodes, and each copies a node when it first changes it.
    /// O(nodes), independent of their size.
    ///
    /// ```
    /// use quicklist::{Limits, QuickList};
    ///
    /// let mut list = QuickList::new(Limits::default());
    /// list.push_back("a")?;
    /// let before = list.share();
    /// list.push_back("b")?;
    /// assert_eq!((list.len(), before.len()), (2, 1));
    /// # Ok::<(), quicklist::Refused>(())
    /// ```
    #[must_use]
    pub fn share(&mut self) -> Self {
        Self { nodes: self.nodes.share(), limits: self.limits }
    }

    /// The bytes on the heap: nodes, slack and index, without the allocator's overhead. Nodes that are
    /// [shared](Self::share) count in both lists. O(nodes).
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    /// Releases all slack. O(n).
    pub fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
    }

    /// Removes all elements and releases all memory.
    pub fn clear(&mut self) {
        self.nodes = Nodes::default();
    }

    /// A new node of the element; a listpack has this capacity in bytes, or more.
    pub(crate) fn node_of(&self, element: Entry<'_>, capacity: usize) -> Result<Node, Refused> {
        let len = element.text_len();
        if self.limits.is_large(len) {
            return match u32::try_from(len) {
                Ok(_) => Ok(Node::plain(element.to_vec().into())),
                Err(_) => Err(Refused::TooLarge { len }),
            };
        }
        let mut list = ListPack::with_capacity(capacity);
        list.push_back(element).map_err(|_| Refused::TooLarge { len })?;
        Ok(Node::packed(list, 1))
    }

    /// An error if an element of `len` bytes may be more than the node, or a part of it, can take.
    pub(crate) fn check_room(&self, place: Place, len: usize) -> Result<(), Refused> {
        let node = self.nodes.get(place).filter(|node| !node.is_plain()).map_or(0, Node::size);
        let need = node.saturating_add(len).saturating_add(LISTPACK_OVERHEAD);
        if need > MAX_BYTES && !self.limits.is_large(len) {
            return Err(Refused::TooLarge { len });
        }
        Ok(())
    }

    /// Whether the node takes an element of `len` bytes.
    pub(crate) fn allows_push(&self, place: Place, len: usize) -> bool {
        self.nodes.get(place).is_some_and(|node| node.allows_push(&self.limits, len))
    }

    /// Puts an element at an end of an uncompressed listpack.
    pub(crate) fn put_in(
        &mut self,
        place: Place,
        element: Entry<'_>,
        back: bool,
    ) -> Result<(), Refused> {
        let put = self.nodes.change(place, |node| node.push(element, back));
        put.unwrap_or(Err(Refused::TooLarge { len: element.text_len() }))
    }

    /// Puts a node behind or before the one at `old`; returns the places of both.
    pub(crate) fn insert_node(
        &mut self,
        old: Option<Place>,
        node: Node,
        after: bool,
    ) -> (Option<Place>, Place) {
        let new = if after {
            self.nodes.insert_after(old, node)
        } else {
            self.nodes.insert_before(old, node)
        };
        let beside = if after { self.nodes.prev(new) } else { self.nodes.next(new) };
        let old = old.and(beside);
        if let Some(old) = old {
            self.settle(old);
        }
        self.settle(new);
        (old, new)
    }

    /// Removes a node; returns it and the place of the next node.
    pub(crate) fn delete_node(&mut self, place: Place) -> Option<(Node, Option<Place>)> {
        let removed = self.nodes.remove(place);
        self.keep_depth(None);
        removed
    }

    /// Removes the entry at `at` from the uncompressed listpack at `place`; returns whether the node was removed too.
    pub(crate) fn delete_at(&mut self, place: Place, at: Position) -> bool {
        let gone = self.nodes.change(place, |node| node.delete(at)) == Some(true);
        if gone {
            self.delete_node(place);
        }
        gone
    }

    /// Panics unless the invariants of the list hold: the sums are right, the ends are not compressed, no operation has
    /// left a node decompressed, and each listpack has the number of entries that is recorded.
    #[doc(hidden)]
    pub fn verify(&self) {
        self.nodes.verify();
        let (count, depth) = (self.nodes.count(), usize::from(self.limits.depth));
        for (index, node) in self.nodes.iter().enumerate() {
            assert!(!node.is_in_use(), "node {index} is in use");
            let at_end = depth == 0 || index < depth || count - index <= depth;
            assert!(!(at_end && node.is_compressed()), "node {index} of {count} is compressed");
            node.verify();
        }
    }
}

impl Default for QuickList {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}
