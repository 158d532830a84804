//! Operations on a list of nodes. Its oracle is a `VecDeque` of texts, and a server for how the nodes are cut.

use arbitrary::Arbitrary;

use super::list_pack::Element;

/// One step on a list. Indices are taken modulo the number of elements, so that they hit.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum QuickListOp {
    /// Append an element.
    PushBack(Element),
    /// Put an element in front.
    PushFront(Element),
    /// Append an element many times.
    PushRun(Element, u8),
    /// Take the last element out.
    PopBack,
    /// Take the first element out.
    PopFront,
    /// Put another element in place of the one at an index.
    Set(u16, Element),
    /// Put an element before the one at an index, or at the end.
    Insert(u16, Element),
    /// Put an element before the first one that is like the one at an index.
    InsertBefore(u16, Element),
    /// Put an element behind the first one that is like the one at an index.
    InsertAfter(u16, Element),
    /// Look for a pivot, which may not be there, to insert an element.
    InsertAt(Element, Element),
    /// Take out so many elements like the one at an index, the first ones, or the last ones.
    Remove(u16, u8, bool),
    /// Take out as many elements from an index on.
    DeleteRange(u16, u8),
    /// Keep the elements from one index to another.
    Trim(u8, u8),
    /// Ask for the element at an index, and for a range from it on.
    Get(u16, u8),
    /// Look for the elements like the one at an index, in a range from another index on.
    Positions(u16, u16),
    /// Build the list anew from its nodes.
    Reload,
    /// Make a listpack of the list, and a list of that again.
    Convert,
    /// Make a second list of the same nodes, and go on with that one, or with the first.
    Share(bool),
    /// Release the slack.
    ShrinkToFit,
    /// Take everything out.
    Clear,
}
