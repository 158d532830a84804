//! The union of several sketches.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::arch;
use crate::dense::Dense;
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
    registers: Box<Lined>,
    dense: bool,
}

/// Registers that begin with a cache line: no vector of them lies in two.
#[derive(Clone)]
#[repr(align(64))]
struct Lined(Unpacked);

impl Union {
    /// The union of none: every register is 0.
    #[must_use]
    pub fn new() -> Self {
        Self { registers: Box::new(Lined([0; REGISTERS])), dense: false }
    }

    /// Takes one more HyperLogLog in. O([`REGISTERS`]) for dense, O(bytes + elements) for sparse.
    ///
    /// # Errors
    ///
    /// As [`Hll::validate`]; the union stays as it was.
    pub fn merge(&mut self, hll: &Hll<'_>) -> Result<(), DecodeError> {
        hll.raise(&mut self.registers.0)?;
        self.dense |= hll.encoding() == Encoding::Dense;
        Ok(())
    }

    /// [`merge`](Self::merge) of several, which reads and writes the registers of the union once for some of them, not
    /// once for each. O([`REGISTERS`]) for each dense one, O(bytes + elements) for each sparse one.
    ///
    /// # Errors
    ///
    /// As [`merge`](Self::merge).
    ///
    /// # Examples
    ///
    /// ```
    /// let parts: Vec<hll::HyperLogLog> = [["x", "y"], ["y", "z"]].map(|part| part.into_iter().collect()).into();
    /// let views: Vec<hll::Hll<'_>> = parts.iter().map(|part| part.view()).collect();
    /// let mut union = hll::Union::new();
    /// union.merge_all(&views)?;
    /// assert_eq!(union.count(), 3);
    /// # Ok::<(), hll::DecodeError>(())
    /// ```
    pub fn merge_all(&mut self, hlls: &[Hll<'_>]) -> Result<(), DecodeError> {
        hlls.iter().try_for_each(Hll::validate)?;
        let dense: Vec<&Dense> = hlls.iter().filter_map(Hll::dense).collect();
        self.dense |= !dense.is_empty();
        (arch::best().raise)(&mut self.registers.0, &dense);
        let mut sparse = hlls.iter().filter(|hll| hll.encoding() == Encoding::Sparse);
        sparse.try_for_each(|hll| hll.raise_valid(&mut self.registers.0))
    }

    /// The estimated number of distinct elements of all of them.
    #[must_use]
    pub fn count(&self) -> u64 {
        arch::count_unpacked(&self.registers.0)
    }

    /// Writes the union, with `target` taken in, to `target` as PFMERGE does, and gives the encoding that it has then.
    ///
    /// `target` becomes dense if it or any that was merged is dense. Otherwise each register is raised in turn, with
    /// the changes of encoding that [`HllMut::add`] makes, which is what decides the bytes. The cached cardinality is
    /// marked stale. For a new key start from [`empty`](crate::empty()).
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
            HllMut::new(target)?.pack(&self.registers.0)?;
        }
        header::invalidate(target);
        Ok(if fits { Encoding::Sparse } else { Encoding::Dense })
    }

    /// Raises each register of a sparse target; `false` if it must be dense.
    fn raise_sparse(&self, target: &mut Vec<u8>, max_bytes: usize) -> Result<bool, DecodeError> {
        let mut cursor = Cursor::new();
        for (register, &rank) in (0..).zip(self.registers.0.iter()) {
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
