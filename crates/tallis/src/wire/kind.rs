//! The kinds of values in frames.

use std::fmt;

use bitpack::Bitmap;
use bloom::BloomFilter;
use hll::HyperLogLog;
use intset::IntSet;
use listpack::ListPack;
use quicklist::QuickList;
use skiplist_zset::ZSet;
use store::Store;

/// The kind of the value in a frame. The numbers are those in the frame, and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// A [`HyperLogLog`].
    HyperLogLog = 1,
    /// An [`IntSet`].
    IntSet = 2,
    /// A [`BloomFilter`].
    BloomFilter = 3,
    /// A sorted set, [`ZSet`].
    ZSet = 4,
    /// A [`Bitmap`].
    Bitmap = 5,
    /// A [`ListPack`].
    ListPack = 6,
    /// A [`QuickList`].
    QuickList = 7,
    /// The keys of a [`Store`], with values of any type.
    Keys = 8,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::HyperLogLog,
        Self::IntSet,
        Self::BloomFilter,
        Self::ZSet,
        Self::Bitmap,
        Self::ListPack,
        Self::QuickList,
        Self::Keys,
    ];

    /// Returns the kind with this number.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == byte)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::HyperLogLog => "HyperLogLog",
            Self::IntSet => "set of integers",
            Self::BloomFilter => "Bloom filter",
            Self::ZSet => "sorted set",
            Self::Bitmap => "bitmap",
            Self::ListPack => "listpack",
            Self::QuickList => "list",
            Self::Keys => "store",
        })
    }
}

/// A value that can be encoded as a frame.
///
/// The trait is sealed, because only values that are validated when they are decoded may be framed.
pub trait Framed: sealed::Payload {
    /// The kind in its frames.
    const KIND: Kind;
}

pub(super) mod sealed {
    use super::super::codec;
    use super::super::error::Error;

    /// The payload of a frame.
    #[expect(unnameable_types, reason = "it seals the trait `Framed`")]
    pub trait Payload: Sized {
        /// Appends the encoded value.
        fn write(&self, out: Vec<u8>) -> Result<Vec<u8>, Error>;

        /// Decodes a value.
        fn read(bytes: &[u8]) -> Result<Self, Error>;
    }

    macro_rules! by_serde {
        ($($value:ty),*) => {$(
            impl Payload for $value {
                fn write(&self, out: Vec<u8>) -> Result<Vec<u8>, Error> {
                    codec::write(self, out)
                }

                fn read(bytes: &[u8]) -> Result<Self, Error> {
                    codec::read(bytes)
                }
            }
        )*};
    }

    by_serde!(
        hll::HyperLogLog,
        intset::IntSet,
        bloom::BloomFilter,
        skiplist_zset::ZSet,
        bitpack::Bitmap,
        listpack::ListPack,
        quicklist::QuickList
    );
}

macro_rules! framed {
    ($($value:ty: $kind:ident),* $(,)?) => {$(
        impl Framed for $value {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}

framed! {
    HyperLogLog: HyperLogLog,
    IntSet: IntSet,
    BloomFilter: BloomFilter,
    ZSet: ZSet,
    Bitmap: Bitmap,
    ListPack: ListPack,
    QuickList: QuickList,
    Store: Keys,
}
