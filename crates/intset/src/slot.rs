//! Members in the blob: little-endian byte arrays, at any alignment.
//!
//! Every algorithm is written once over [`Slot`] and compiled for the three widths; [`View`] turns a set's width into a
//! type.

use crate::Width;

/// One member in the blob. Reading compiles to one load, whatever the address.
pub(crate) trait Slot: Copy + 'static {
    const WIDTH: Width;
    const BYTES: usize = Self::WIDTH.bytes();

    fn get(self) -> i64;

    /// The low bytes of `value`; the caller has made sure that it fits.
    fn put(value: i64) -> Self;

    /// The whole slots of `bytes`; a remainder is left out.
    fn slots(bytes: &[u8]) -> &[Self];

    fn slots_mut(bytes: &mut [u8]) -> &mut [Self];
}

macro_rules! slot {
    ($bytes:literal, $int:ty, $width:expr) => {
        impl Slot for [u8; $bytes] {
            const WIDTH: Width = $width;

            #[inline(always)]
            fn get(self) -> i64 {
                <$int>::from_le_bytes(self).into()
            }

            #[inline(always)]
            fn put(value: i64) -> Self {
                debug_assert!(Width::of(value) <= Self::WIDTH);
                let mut low = [0; $bytes];
                low.copy_from_slice(&value.to_le_bytes()[..$bytes]);
                low
            }

            #[inline(always)]
            fn slots(bytes: &[u8]) -> &[Self] {
                bytes.as_chunks().0
            }

            #[inline(always)]
            fn slots_mut(bytes: &mut [u8]) -> &mut [Self] {
                bytes.as_chunks_mut().0
            }
        }
    };
}

slot!(2, i16, Width::W16);
slot!(4, i32, Width::W32);
slot!(8, i64, Width::W64);

/// The members of a set, in the type of their width.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    W16(&'a [[u8; 2]]),
    W32(&'a [[u8; 4]]),
    W64(&'a [[u8; 8]]),
}

impl<'a> View<'a> {
    /// The first `len` slots of `width` in `payload`, which has as many.
    #[inline(always)]
    pub(crate) fn new(width: Width, payload: &'a [u8], len: usize) -> Self {
        match width {
            Width::W16 => Self::W16(&Slot::slots(payload)[..len]),
            Width::W32 => Self::W32(&Slot::slots(payload)[..len]),
            Width::W64 => Self::W64(&Slot::slots(payload)[..len]),
        }
    }
}

/// Runs an expression with the slots of a [`View`], whatever their type.
macro_rules! with_slots {
    ($view:expr, $slots:ident => $body:expr) => {
        match $view {
            $crate::slot::View::W16($slots) => $body,
            $crate::slot::View::W32($slots) => $body,
            $crate::slot::View::W64($slots) => $body,
        }
    };
}
pub(crate) use with_slots;
