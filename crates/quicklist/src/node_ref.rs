use core::fmt;
use std::borrow::Cow;

use crate::node::{Content, Node};

/// A node of a list, as files and payloads hold it.
///
/// ```
/// use quicklist::{Limits, QuickList};
///
/// let mut list = QuickList::new(Limits::default());
/// list.push_back("a")?;
/// let node = list.nodes().next().expect("one node");
/// assert_eq!(&*node.bytes(), [10, 0, 0, 0, 1, 0, 0x81, b'a', 2, 0xff]);
/// assert!(!node.is_plain() && node.stream().is_none());
/// # Ok::<(), quicklist::Refused>(())
/// ```
#[derive(Clone, Copy)]
pub struct NodeRef<'a>(&'a Node);

impl<'a> NodeRef<'a> {
    pub(crate) fn new(node: &'a Node) -> Self {
        Self(node)
    }

    /// Whether the node is one element by itself: container 1 in a file. All others are listpacks, container 2.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.0.is_plain()
    }

    /// The number of elements. O(1).
    #[must_use]
    pub fn count(self) -> usize {
        self.0.count()
    }

    /// The bytes of the listpack or of the element, however they are kept. O(1).
    #[must_use]
    pub fn size(self) -> usize {
        self.0.size()
    }

    /// The bytes of the listpack or of the element. Those of a compressed node are expanded for it.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self.0.content() {
            Content::Packed(Cow::Borrowed(list)) => Cow::Borrowed(list.as_bytes()),
            Content::Packed(Cow::Owned(list)) => Cow::Owned(list.into_bytes()),
            Content::Plain(element) => element,
        }
    }

    /// The LZF stream of a compressed node, which gives [`size`](Self::size) bytes: a server writes it as it is.
    #[must_use]
    pub fn stream(self) -> Option<&'a [u8]> {
        self.0.stream()
    }
}

impl fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeRef")
            .field("plain", &self.is_plain())
            .field("count", &self.count())
            .field("size", &self.size())
            .field("compressed", &self.stream().map(<[u8]>::len))
            .finish()
    }
}
