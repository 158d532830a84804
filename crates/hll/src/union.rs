//! The union of several sketches.

use core::fmt;

use crate::arch;
use crate::edit::HllMut;
use crate::error::DecodeError;
use crate::header::{self, Encoding};
use crate::layout::{REGISTERS, Unpacked};
use crate::sparse::{Cursor, Update};
use crate::view::Hll;

/// The registers of a union, each in a byte of its own (16 KiB on the heap).
///
/// Redis counts several keys and merges into one by way of such an array; [`count`](Self::count) is its PFCOUNT of
/// several keys and [`merge_into`](Self::merge_into) its PFMERGE.
///
/// # Examples
///
/// ```
/// let a: hll::HyperLogLog = ["x", "y"].into_iter().collect();
/// let b: hll::HyperLogLog = ["y", "z"].into_iter().collect();
/// let mut union = hll::Union::new();
/// union.merge(&a.view())?;
/// union.merge(&b.view())?;
/// assert_eq!(union.count(), 3);
/// # Ok::<(), hll::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct Union {
    registers: Box<Unpacked>,
    dense: bool,
}

impl Union {
    /// The union of none: every register is 0.
    #[must_use]
    pub fn new() -> Self {
        Self { registers: Box::new([0; REGISTERS]), dense: false }
    }

    /// Takes one more HyperLogLog in. O([`REGISTERS`]) for dense, O(bytes + elements) for sparse.
    ///
    /// # Errors
    ///
    /// As [`Hll::validate`]; the union stays as it was.
    pub fn merge(&mut self, hll: &Hll<'_>) -> Result<(), DecodeError> {
        hll.raise(&mut self.registers)?;
        self.dense |= hll.encoding() == Encoding::Dense;
        Ok(())
    }

    /// The estimated number of distinct elements of all of them.
    #[must_use]
    pub fn count(&self) -> u64 {
        arch::count_unpacked(&self.registers)
    }

    /// Writes the union, with `target` taken in, to `target` as PFMERGE does, and gives the encoding that it has then.
    ///
    /// `target` becomes dense if it or any that was merged is dense. Otherwise each register is raised in turn, with
    /// the changes of encoding that [`HllMut::add`] makes, which is what decides the bytes. The cached cardinality is marked
    /// stale. For a new key start from [`empty`](crate::empty()).
    ///
    /// # Errors
    ///
    /// As [`Hll::new`] and [`Hll::validate`] for `target`; it and the union stay as they were.
    pub fn merge_into(
        &mut self,
        target: &mut Vec<u8>,
        sparse_max_bytes: usize,
    ) -> Result<Encoding, DecodeError> {
        self.merge(&Hll::new(target)?)?;
        let fits = !self.dense && self.raise_sparse(target, sparse_max_bytes)?;
        if !fits {
            // The union holds every register of the target, so packing it whole raises each to its place.
            HllMut::new(target)?.pack(&self.registers)?;
        }
        header::invalidate(target);
        Ok(if fits { Encoding::Sparse } else { Encoding::Dense })
    }

    /// Raises each register of a sparse target; `false` if it must be dense.
    fn raise_sparse(&self, target: &mut Vec<u8>, max_bytes: usize) -> Result<bool, DecodeError> {
        let mut cursor = Cursor::new();
        for (register, &rank) in (0..).zip(self.registers.iter()) {
            if rank > 0 && cursor.update(target, register, rank, max_bytes)? == Update::NeedsDense {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Default for Union {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Union {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Union")
            .field("count", &self.count())
            .field("dense", &self.dense)
            .finish_non_exhaustive()
    }
}
