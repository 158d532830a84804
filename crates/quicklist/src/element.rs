use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use listpack::{Entry, ListPack, Position};

/// An element of a list: borrowed from the list, or from a decompressed copy of its node.
///
/// ```
/// use quicklist::{Entry, Limits, QuickList};
///
/// let mut list = QuickList::new(Limits::default());
/// list.push_back("17")?;
/// let element = list.get(0).expect("one element");
/// assert!(matches!(element.entry(), Entry::Int(17)));
/// assert_eq!(element, Entry::from("17"));
/// # Ok::<(), quicklist::Refused>(())
/// ```
#[derive(Clone)]
pub struct Element<'a>(Held<'a>);

#[derive(Clone)]
enum Held<'a> {
    Lent(Entry<'a>),
    /// An entry of a decompressed node, which its elements share.
    Kept(Arc<ListPack>, Position),
    Plain(Arc<[u8]>),
}

impl<'a> Element<'a> {
    pub(crate) fn lent(entry: Entry<'a>) -> Self {
        Self(Held::Lent(entry))
    }

    pub(crate) fn shared(list: Arc<ListPack>, at: Position) -> Self {
        Self(Held::Kept(list, at))
    }

    pub(crate) fn plain(element: Cow<'a, [u8]>) -> Self {
        Self(match element {
            Cow::Borrowed(element) => Held::Lent(Entry::Str(element)),
            Cow::Owned(element) => Held::Plain(element.into()),
        })
    }

    /// Returns the integer or the bytes.
    #[inline]
    #[must_use]
    pub fn entry(&self) -> Entry<'_> {
        match &self.0 {
            Held::Lent(entry) => *entry,
            Held::Kept(list, at) => list.entry(*at).unwrap_or(Entry::Str(&[])),
            Held::Plain(element) => Entry::Str(element),
        }
    }

    /// Calls `read` with the text: the bytes, or the decimal digits of the integer.
    #[inline]
    pub fn with_bytes<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        self.entry().with_bytes(read)
    }

    /// Returns the text as a vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.entry().to_vec()
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entry() == other.entry()
    }
}

impl Eq for Element<'_> {}

impl PartialEq<Entry<'_>> for Element<'_> {
    fn eq(&self, other: &Entry<'_>) -> bool {
        self.entry() == *other
    }
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry().fmt(f)
    }
}
