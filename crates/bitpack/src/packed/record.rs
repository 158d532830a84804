//! The widths of records.

use core::fmt::Debug;
use core::hash::Hash;

use super::counts::{Counts, Hashed, Lanes1, Lanes2, Pages};
use super::few::FewFirst;

/// The bytes of one record: `[u8; 1]` to `[u8; 8]`. The trait is sealed.
///
/// # Examples
///
/// ```
/// use bitpack::packed::Record;
///
/// assert_eq!(<[u8; 2]>::records(b"abcde"), [*b"ab", *b"cd"]);
/// ```
pub trait Record:
    sealed::Sealed + Copy + Default + Debug + Eq + Ord + Hash + AsRef<[u8]> + Send + Sync + 'static
{
    /// The number of bytes of a record.
    const WIDTH: usize;

    /// Returns the whole records of a string, without the remaining bytes at its end.
    fn records(bytes: &[u8]) -> &[Self];

    /// Returns the whole records of a string, to be written, without the remaining bytes at its end.
    fn records_mut(bytes: &mut [u8]) -> &mut [Self];
}

mod sealed {
    /// Keeps [`Record`](super::Record) to the arrays, and names what counts them.
    #[expect(unnameable_types, reason = "sealed traits cannot be named")]
    pub trait Sealed: Sized {
        /// What counts records of this width.
        type Counts: super::Counts<Self>;
    }
}

/// What counts records of a width.
pub(super) type CountsOf<R> = <R as sealed::Sealed>::Counts;

macro_rules! record {
    ($width:literal, $counts:ty) => {
        impl sealed::Sealed for [u8; $width] {
            type Counts = $counts;
        }

        impl Record for [u8; $width] {
            const WIDTH: usize = $width;

            #[inline]
            fn records(bytes: &[u8]) -> &[Self] {
                bytes.as_chunks().0
            }

            #[inline]
            fn records_mut(bytes: &mut [u8]) -> &mut [Self] {
                bytes.as_chunks_mut().0
            }
        }
    };
}

record!(1, Lanes1);
record!(2, FewFirst<[u8; 2], Lanes2>);
record!(3, FewFirst<[u8; 3], Pages>);
record!(4, Hashed<4>);
record!(5, Hashed<5>);
record!(6, Hashed<6>);
record!(7, Hashed<7>);
record!(8, Hashed<8>);
