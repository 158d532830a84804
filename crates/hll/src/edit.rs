//! A HyperLogLog in a borrowed vector of bytes, to change in place.

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

/// A HyperLogLog in a borrowed vector of bytes, such as a string value of a store.
///
/// An error leaves the bytes as they were.
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

/// What [`HllMut::count`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The estimated number of distinct elements.
    pub count: u64,
    /// Whether the bytes changed: the cached cardinality was stale, and the new one stands in its place.
    pub stored: bool,
}

impl<'a> HllMut<'a> {
    /// Takes bytes whose header is that of a HyperLogLog, in constant time.
    ///
    /// # Errors
    ///
    /// As [`Hll::new`].
    #[inline]
    pub fn new(bytes: &'a mut Vec<u8>) -> Result<Self, DecodeError> {
        let encoding = header::check(bytes)?;
        Ok(Self { bytes, encoding })
    }

    /// How the registers are kept.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The same bytes, to read.
    ///
    /// # Errors
    ///
    /// None in practice: the header was checked by [`new`](Self::new).
    pub fn view(&self) -> Result<Hll<'_>, DecodeError> {
        Hll::new(self.bytes)
    }

    /// Adds an element and says whether a register changed.
    ///
    /// A change marks the cached cardinality stale. A sparse HyperLogLog turns dense when a register passes 32 or the
    /// bytes, header included, would pass `sparse_max_bytes` ([`SPARSE_MAX_BYTES`](crate::SPARSE_MAX_BYTES) is Redis's
    /// default). O(1) for dense, O(bytes) for sparse.
    ///
    /// # Errors
    ///
    /// A fault in the runs up to the register, or anywhere when the encoding must change.
    #[inline]
    pub fn add(&mut self, element: &[u8], sparse_max_bytes: usize) -> Result<bool, DecodeError> {
        self.add_hash(hash(element), sparse_max_bytes)
    }

    /// [`add`](Self::add) for an element whose [`hash`](crate::hash()) is known.
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

    /// [`add_hash`](Self::add_hash) of each in order, in less time: many elements change a sparse HyperLogLog in one pass
    /// over its bytes. Adds to `changed` for each whether a register changed. O(1) each for dense, O(bytes + n log n) for
    /// sparse.
    ///
    /// # Errors
    ///
    /// As [`add_hash`](Self::add_hash) of the first that fails: `changed` ends before it. Those before it were added.
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

    /// [`add_hash`](Self::add_hash) where the bytes lie, for a dense HyperLogLog, which no element makes longer; `None`
    /// for a sparse one, of which nothing is changed. O(1).
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

    /// Marks the cached cardinality stale; the count before it stays underneath.
    #[inline]
    pub fn invalidate(&mut self) {
        header::invalidate(self.bytes);
    }

    /// The estimated number of distinct elements: the cached one unless it is stale, else from the registers, which
    /// stores it.
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

    /// Turns a sparse HyperLogLog dense; the header, cached cardinality included, stays. Says whether it was sparse.
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

    /// Turns a sparse HyperLogLog dense and lets `change` at it before the bytes are exchanged.
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
            // The scan would only find that it does not fit.
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
