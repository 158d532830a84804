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
/// [`count`](Self::count) is PFCOUNT of several keys, and [`merge_into`](Self::merge_into) is PFMERGE.
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

/// Registers aligned to a cache line, so that no vector load crosses two lines.
#[derive(Clone)]
#[repr(align(64))]
struct Lined(Unpacked);

impl Union {
    /// Creates the union of no sketches: every register is 0.
    #[must_use]
    pub fn new() -> Self {
        Self { registers: Box::new(Lined([0; REGISTERS])), dense: false }
    }

    /// Adds a HyperLogLog to the union. O([`REGISTERS`]) for dense, O(bytes + elements) for sparse.
    ///
    /// # Errors
    ///
    /// As [`Hll::validate`]; the union is unchanged.
    pub fn merge(&mut self, hll: &Hll<'_>) -> Result<(), DecodeError> {
        hll.raise(&mut self.registers.0)?;
        self.dense |= hll.encoding() == Encoding::Dense;
        Ok(())
    }

    /// Adds several sketches to the union. This is faster than [`merge`](Self::merge) for each, because one pass
    /// over the union's registers takes several of them. O([`REGISTERS`]) for each dense one, O(bytes + elements) for
    /// each sparse one.
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

    /// Returns the estimated number of distinct elements in the union.
    #[must_use]
    pub fn count(&self) -> u64 {
        arch::count_unpacked(&self.registers.0)
    }

    /// Merges the union into `target`, as PFMERGE does, and returns the encoding of the result.
    ///
    /// `target` becomes dense if it or any merged sketch is dense. Otherwise each register is raised in turn, with the
    /// changes of encoding that [`HllMut::add`] makes, which is what decides the bytes. The cached cardinality is
    /// marked stale. For a new key start from [`empty`](crate::empty()).
    ///
    /// # Errors
    ///
    /// As [`Hll::new`] and [`Hll::validate`] for `target`; it and the union are unchanged.
    pub fn merge_into(
        &mut self,
        target: &mut Vec<u8>,
        sparse_max_bytes: usize,
    ) -> Result<Encoding, DecodeError> {
        let hll = Hll::new(target)?;
        let mut fits = !self.dense && hll.encoding() == Encoding::Sparse;
        if fits {
            let mut held = Self::new();
            held.merge(&hll)?;
            fits = self.raise_sparse(&held, target, sparse_max_bytes)?;
            for (register, &held) in self.registers.0.iter_mut().zip(&held.registers.0) {
                *register = held.max(*register);
            }
        } else {
            self.merge(&hll)?;
        }
        if !fits {
            // The union includes every register of the target, so packing the union is enough.
            HllMut::new(target)?.pack(&self.registers.0)?;
        }
        header::invalidate(target);
        Ok(if fits { Encoding::Sparse } else { Encoding::Dense })
    }

    /// Raises each register of a sparse target, which holds `held`; `false` if it must be dense.
    fn raise_sparse(
        &self,
        held: &Self,
        target: &mut Vec<u8>,
        max_bytes: usize,
    ) -> Result<bool, DecodeError> {
        /// Registers that are compared at once: few are higher.
        const GROUP: usize = 32;
        let mut cursor = Cursor::new();
        let [ranks, held] = [self, held].map(|union| union.registers.0.as_chunks::<GROUP>().0);
        for (first, (ranks, held)) in (0..).step_by(GROUP).zip(ranks.iter().zip(held)) {
            let pairs = ranks.iter().zip(held);
            // A count has no branches.
            if pairs.clone().filter(|(rank, held)| rank > held).count() == 0 {
                continue;
            }
            for (register, (&rank, held)) in (first..).zip(pairs) {
                if rank > *held
                    && cursor.update(target, register, rank, max_bytes)? == Update::NeedsDense
                {
                    return Ok(false);
                }
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
