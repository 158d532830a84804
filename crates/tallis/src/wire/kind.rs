//! What a frame may hold.

use std::fmt;

use bitpack::Bitmap;
use bloom::BloomFilter;
use hll::HyperLogLog;
use intset::IntSet;
use listpack::ListPack;
use quicklist::QuickList;
use skiplist_zset::ZSet;
use store::Store;

/// What a frame holds. The numbers are those in the frame, and never change.
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

    /// The kind of that number.
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

/// A value that can be framed.
///
/// Only values whose reading checks what it reads are framed, so the trait is sealed.
pub trait Framed: sealed::Payload {
    /// What its frames say that they hold.
    const KIND: Kind;
}

pub(super) mod sealed {
    use super::super::codec;
    use super::super::error::Error;

    /// What stands in the frame.
    #[expect(unnameable_types, reason = "it seals `Framed`")]
    pub trait Payload: Sized {
        /// Appends the value.
        fn write(&self, out: Vec<u8>) -> Result<Vec<u8>, Error>;

        /// The value of these bytes.
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
