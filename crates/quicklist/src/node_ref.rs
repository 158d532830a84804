use core::fmt;
use std::borrow::Cow;

use crate::node::{Content, Node};

/// A node of a list, as in files and payloads.
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

    /// Returns whether the node is a single element: container 1 in a file. All others are listpacks, container 2.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.0.is_plain()
    }

    /// The number of elements. O(1).
    #[must_use]
    pub fn count(self) -> usize {
        self.0.count()
    }

    /// The uncompressed length of the listpack or of the element, in bytes. O(1).
    #[must_use]
    pub fn size(self) -> usize {
        self.0.size()
    }

    /// Returns the bytes of the listpack or of the element, decompressed if necessary.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self.0.content() {
            Content::Packed(Cow::Borrowed(list)) => Cow::Borrowed(list.as_bytes()),
            Content::Packed(Cow::Owned(list)) => Cow::Owned(list.into_bytes()),
            Content::Plain(element) => element,
        }
    }

    /// The LZF stream of a compressed node, which decompresses to [`size`](Self::size) bytes. A server writes it
    /// unchanged.
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
