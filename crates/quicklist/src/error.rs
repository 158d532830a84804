use core::{error, fmt};

/// Why a change is refused. The list is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The element is longer than a node can be: almost 1 GiB in a listpack, almost 4 GiB in a plain node. Or it would
    /// be added to a listpack of nearly that size, which was appended to the list.
    TooLarge {
        /// The length of the element, in bytes.
        len: usize,
    },
    /// There is no element at the index.
    NoElement {
        /// The index, from the front.
        index: usize,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLarge { len } => {
                write!(f, "element of {len} bytes is too large for a list node")
            }
            Self::NoElement { index } => write!(f, "list has no element at index {index}"),
        }
    }
}

impl error::Error for Refused {}
