//! Operations on a quicklist. Its oracle is a `VecDeque` of texts, and a server for the nodes.

use arbitrary::Arbitrary;

use super::list_pack::Element;

/// An operation on a list. Indices are modulo the number of elements.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum QuickListOp {
    /// Append an element.
    PushBack(Element),
    /// Insert an element at the front.
    PushFront(Element),
    /// Append an element many times.
    PushRun(Element, u8),
    /// Remove the last element.
    PopBack,
    /// Remove the first element.
    PopFront,
    /// Replace the element at an index.
    Set(u16, Element),
    /// Insert an element before the one at an index, or at the end.
    Insert(u16, Element),
    /// Insert an element before the first one that equals the one at an index.
    InsertBefore(u16, Element),
    /// Insert an element after the first one that equals the one at an index.
    InsertAfter(u16, Element),
    /// Insert an element at a pivot, which may not exist.
    InsertAt(Element, Element),
    /// Remove the first or the last elements, up to this many, that equal the one at an index.
    Remove(u16, u8, bool),
    /// Remove this many elements from an index on.
    DeleteRange(u16, u8),
    /// Keep the elements from one index to another.
    Trim(u8, u8),
    /// Get the element at an index, and a range from it on.
    Get(u16, u8),
    /// Find the elements that equal the one at an index, in a range from another index on.
    Positions(u16, u16),
    /// Rebuild the list from its nodes.
    Reload,
    /// Convert the list to a listpack and back.
    Convert,
    /// Share the nodes with a second list, and continue with that one, or with the first.
    Share(bool),
    /// Release the slack.
    ShrinkToFit,
    /// Remove everything.
    Clear,
}
