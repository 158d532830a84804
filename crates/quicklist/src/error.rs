use core::{error, fmt};

/// Why a list does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The element is longer than a node can be: some bytes below 1 GiB in a listpack, below 4 GiB in a plain node. Or
    /// it would go into a listpack of nearly that size, which came from elsewhere.
    TooLarge {
        /// The bytes of the element.
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
                write!(f, "an element of {len} bytes is too large for a node of the list")
            }
            Self::NoElement { index } => write!(f, "list has no element at index {index}"),
        }
    }
}

impl error::Error for Refused {}
