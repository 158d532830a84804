//! A HyperLogLog in a borrowed vector of bytes, changed in place.

use alloc::vec;
use alloc::vec::Vec;

use crate::arch;
use crate::batch;
use crate::dense::{self, Dense};
use crate::error::DecodeError;
use crate::hash::{hash, register_and_rank};
use crate::header::{self, Encoding};
use crate::layout::{DENSE_LEN, HEADER_LEN, Unpacked};
use crate::opcode::VAL_MAX;
use crate::sparse::{self, Update};
use crate::view::Hll;

/// A mutable view of a HyperLogLog in a borrowed `Vec<u8>`, such as a string value of a store.
///
/// An error leaves the bytes unchanged.
///
/// # Examples
///
/// ```
/// let mut value = hll::empty();
/// let mut edit = hll::HllMut::new(&mut value)?;
/// assert!(edit.add(b"a", hll::SPARSE_MAX_BYTES)?);
/// assert!(!edit.add(b"a", hll::SPARSE_MAX_BYTES)?);
/// assert_eq!(edit.count()?, hll::Counted { count: 1, stored: true });
/// assert_eq!(edit.count()?, hll::Counted { count: 1, stored: false });
/// # Ok::<(), hll::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct HllMut<'a> {
    bytes: &'a mut Vec<u8>,
    encoding: Encoding,
}

/// The result of [`HllMut::count`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The estimated number of distinct elements.
    pub count: u64,
    /// Whether the bytes changed: the cached cardinality was stale, and the new one was stored.
    pub stored: bool,
}

impl<'a> HllMut<'a> {
    /// Opens bytes after checking the header alone. O(1).
    ///
    /// # Errors
    ///
    /// As [`Hll::new`].
    #[inline]
    pub fn new(bytes: &'a mut Vec<u8>) -> Result<Self, DecodeError> {
        let encoding = header::check(bytes)?;
        Ok(Self { bytes, encoding })
    }

    /// The encoding of the registers.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// A read-only view of the same bytes.
    ///
    /// # Errors
    ///
    /// None in practice: the header was checked by [`new`](Self::new).
    pub fn view(&self) -> Result<Hll<'_>, DecodeError> {
        Hll::new(self.bytes)
    }

    /// Adds an element and returns whether a register changed.
    ///
    /// A change marks the cached cardinality stale. A sparse HyperLogLog turns dense when a register exceeds 32 or the
    /// length, header included, would exceed `sparse_max_bytes` ([`SPARSE_MAX_BYTES`](crate::SPARSE_MAX_BYTES) is
    /// Redis's default). O(1) for dense, O(bytes) for sparse.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the runs up to the register are malformed, or any run if the encoding must change.
    #[inline]
    pub fn add(&mut self, element: &[u8], sparse_max_bytes: usize) -> Result<bool, DecodeError> {
        self.add_hash(hash(element), sparse_max_bytes)
    }

    /// Adds an element by its [`hash`](crate::hash()); see [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[inline]
    pub fn add_hash(&mut self, hash: u64, sparse_max_bytes: usize) -> Result<bool, DecodeError> {
        let (register, rank) = register_and_rank(hash);
        match self.encoding {
            Encoding::Dense => Ok(raise(dense_mut(self.bytes)?, register, rank)),
            Encoding::Sparse => self.add_sparse(register, rank, sparse_max_bytes),
        }
    }

    /// Adds elements by their hashes, in order, and appends to `changed` for each whether a register changed.
    ///
    /// The result is that of [`add_hash`](Self::add_hash) for each, in less time: many elements change a sparse
    /// HyperLogLog in one pass over its bytes. O(n) for dense, O(bytes + n log n) for sparse, for n hashes.
    ///
    /// # Errors
    ///
    /// The error of [`add_hash`](Self::add_hash) for the first element that fails. The elements before it were added,
    /// and `changed` has their results.
    ///
    /// # Examples
    ///
    /// ```
    /// use hll::{HllMut, SPARSE_MAX_BYTES, hash};
    ///
    /// let mut value = hll::empty();
    /// let mut changed = Vec::new();
    /// let hashes = [b"a", b"b", b"a"].map(|element| hash(element));
    /// HllMut::new(&mut value)?.add_hashes(&hashes, SPARSE_MAX_BYTES, &mut changed)?;
    /// assert_eq!(changed, [true, true, false]);
    /// # Ok::<(), hll::DecodeError>(())
    /// ```
    pub fn add_hashes(
        &mut self,
        mut hashes: &[u64],
        sparse_max_bytes: usize,
        changed: &mut Vec<bool>,
    ) -> Result<(), DecodeError> {
        changed.reserve(hashes.len());
        while !hashes.is_empty() {
            let count = match self.encoding {
                Encoding::Dense => hashes.len(),
                Encoding::Sparse => {
                    batch::most(self.bytes, sparse_max_bytes).clamp(1, hashes.len())
                }
            };
            let (these, rest) = hashes.split_at(count);
            if self.encoding == Encoding::Sparse
                && batch::is_worth_it(self.bytes, count)
                && let Some(raised) = batch::add(self.bytes, these)
            {
                if raised.contains(&true) {
                    self.invalidate();
                }
                changed.extend(raised);
            } else {
                for &hash in these {
                    changed.push(self.add_hash(hash, sparse_max_bytes)?);
                }
            }
            hashes = rest;
        }
        Ok(())
    }

    /// Adds an element to a dense HyperLogLog in a slice, and returns whether a register changed; returns `None` for a
    /// sparse one, and changes nothing.
    ///
    /// A dense HyperLogLog never changes its length, so a slice is enough. O(1).
    ///
    /// # Errors
    ///
    /// As [`Hll::new`].
    ///
    /// # Examples
    ///
    /// ```
    /// use hll::{HllMut, HyperLogLog};
    ///
    /// let mut sketch = HyperLogLog::new();
    /// let mut bytes = sketch.as_bytes().to_vec();
    /// assert_eq!(HllMut::add_in_place(&mut bytes, hll::hash(b"a"))?, None);
    /// sketch.promote();
    /// let mut bytes = sketch.into_bytes();
    /// assert_eq!(HllMut::add_in_place(&mut bytes, hll::hash(b"a"))?, Some(true));
    /// assert_eq!(HllMut::add_in_place(&mut bytes, hll::hash(b"a"))?, Some(false));
    /// # Ok::<(), hll::DecodeError>(())
    /// ```
    #[inline]
    pub fn add_in_place(bytes: &mut [u8], hash: u64) -> Result<Option<bool>, DecodeError> {
        if header::check(bytes)? == Encoding::Sparse {
            return Ok(None);
        }
        let (register, rank) = register_and_rank(hash);
        Ok(Some(raise(dense_mut(bytes)?, register, rank)))
    }

    /// Marks the cached cardinality stale; the other 63 bits keep the old count.
    #[inline]
    pub fn invalidate(&mut self) {
        header::invalidate(self.bytes);
    }

    /// Returns the estimated number of distinct elements. A stale cached count is computed from the registers and
    /// stored.
    ///
    /// # Errors
    ///
    /// As [`Hll::validate`].
    pub fn count(&mut self) -> Result<Counted, DecodeError> {
        if let Some(count) = header::cached(self.bytes) {
            return Ok(Counted { count, stored: false });
        }
        let count = self.view()?.count()?;
        header::store(self.bytes, count);
        Ok(Counted { count, stored: true })
    }

    /// Converts a sparse HyperLogLog to dense and returns whether it was sparse. The header stays, with the cached
    /// cardinality.
    ///
    /// # Errors
    ///
    /// As [`Hll::validate`].
    pub fn promote(&mut self) -> Result<bool, DecodeError> {
        match self.encoding {
            Encoding::Dense => Ok(false),
            Encoding::Sparse => {
                self.promote_with(|_| {})?;
                Ok(true)
            }
        }
    }

    /// Converts a sparse HyperLogLog to dense and applies `change` before the bytes are replaced.
    #[cold]
    fn promote_with(&mut self, change: impl FnOnce(&mut Dense)) -> Result<(), DecodeError> {
        let mut bytes = vec![0; DENSE_LEN];
        if let Some(dense) = bytes.first_chunk_mut() {
            dense[..HEADER_LEN].copy_from_slice(&self.bytes[..HEADER_LEN]);
            header::set_encoding(dense, Encoding::Dense);
            sparse::each_run(self.bytes, |first, run| {
                if run.value > 0 {
                    for register in first..first + run.span {
                        #[expect(clippy::cast_possible_truncation, reason = "below 2^14")]
                        dense::raise(dense, register as u16, run.value);
                    }
                }
            })?;
            change(dense);
        }
        *self.bytes = bytes;
        self.encoding = Encoding::Dense;
        Ok(())
    }

    /// Turns it dense with exactly these registers.
    pub(crate) fn pack(&mut self, registers: &Unpacked) -> Result<(), DecodeError> {
        let pack = |dense: &mut Dense| (arch::best().pack)(registers, dense::packed_mut(dense));
        match self.encoding {
            Encoding::Dense => {
                pack(dense_mut(self.bytes)?);
                Ok(())
            }
            Encoding::Sparse => self.promote_with(pack),
        }
    }

    fn add_sparse(&mut self, register: u16, rank: u8, max: usize) -> Result<bool, DecodeError> {
        let update = if rank > VAL_MAX {
            // The scan would only show that it does not fit.
            Update::NeedsDense
        } else {
            let mut spot = sparse::near(self.bytes, register);
            let run = sparse::find(self.bytes, &mut spot, register)?;
            sparse::update(self.bytes, spot, run, register, rank, max)
        };
        match update {
            Update::Unchanged => return Ok(false),
            Update::Raised => {}
            Update::NeedsDense => self.promote_with(|dense| {
                dense::raise(dense, register, rank);
            })?,
        }
        self.invalidate();
        Ok(true)
    }
}

#[inline]
fn dense_mut(bytes: &mut [u8]) -> Result<&mut Dense, DecodeError> {
    let got = bytes.len();
    bytes.try_into().map_err(|_| DecodeError::WrongDenseLength { got })
}

/// Raises a register; a change marks the cached cardinality stale.
#[inline]
fn raise(dense: &mut Dense, register: u16, rank: u8) -> bool {
    let raised = dense::raise(dense, register, rank);
    if raised {
        header::invalidate(dense);
    }
    raised
}
