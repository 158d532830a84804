//! A HyperLogLog that owns its bytes.

use alloc::vec::Vec;
use core::fmt;

use crate::edit::HllMut;
use crate::error::DecodeError;
use crate::hash::hash;
use crate::header::{self, Encoding};
use crate::layout::{HEADER_LEN, SPARSE_MAX_BYTES};
use crate::opcode;
use crate::union::Union;
use crate::view::Hll;

/// The bytes of a new, empty HyperLogLog: one XZERO over all registers, and a stale cached cardinality, as PFADD
/// creates a key.
///
/// # Examples
///
/// ```
/// assert_eq!(hll::empty(), b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff");
/// ```
#[must_use]
pub fn empty() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(EMPTY.len());
    bytes.extend_from_slice(&EMPTY);
    bytes
}

const EMPTY_LEN: usize = HEADER_LEN + 2;

const EMPTY: [u8; EMPTY_LEN] = {
    let mut bytes = [0; EMPTY_LEN];
    let (head, body) = bytes.split_at_mut(HEADER_LEN);
    head.copy_from_slice(&header::new());
    let (word, _) = opcode::zeros(1 << crate::layout::P);
    body[0] = word.to_le_bytes()[0];
    body[1] = word.to_le_bytes()[1];
    bytes
};

/// A HyperLogLog: an estimate of the number of distinct elements in at most [`DENSE_LEN`](crate::DENSE_LEN) bytes.
///
/// Its bytes are always those that Redis would hold after the same elements. Two are equal if their registers are,
/// whatever the encoding and the cached cardinality; compare [`as_bytes`](Self::as_bytes) to include these.
///
/// # Examples
///
/// ```
/// use hll::{Encoding, HyperLogLog};
///
/// let mut visitors = HyperLogLog::new();
/// assert!(visitors.add(b"alice"));
/// assert!(!visitors.add(b"alice"));
/// assert_eq!(visitors.count(), 1);
///
/// visitors.extend((0..5000).map(|i| format!("visitor {i}")));
/// assert_eq!(visitors.encoding(), Encoding::Dense);
/// assert!(visitors.count().abs_diff(5001) < 100);
///
/// let same = HyperLogLog::from_bytes(visitors.as_bytes().to_vec())?;
/// assert_eq!(same, visitors);
/// # Ok::<(), hll::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct HyperLogLog {
    /// Every opcode was validated.
    bytes: Vec<u8>,
    sparse_max_bytes: usize,
}

impl HyperLogLog {
    /// Creates an empty sketch that stays sparse up to [`SPARSE_MAX_BYTES`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_sparse_max_bytes(SPARSE_MAX_BYTES)
    }

    /// Creates an empty sketch that stays sparse up to `sparse_max_bytes` bytes, header included.
    #[must_use]
    pub fn with_sparse_max_bytes(sparse_max_bytes: usize) -> Self {
        Self { bytes: empty(), sparse_max_bytes }
    }

    /// Takes the bytes of a HyperLogLog, unchanged, after validating all of them. O(bytes).
    ///
    /// # Errors
    ///
    /// As [`Hll::new`] and [`Hll::validate`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Hll::new(&bytes)?.validate()?;
        Ok(Self { bytes, sparse_max_bytes: SPARSE_MAX_BYTES })
    }

    /// The bytes as Redis holds them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A read-only view of the bytes.
    #[must_use]
    pub fn view(&self) -> Hll<'_> {
        sound(Hll::new(&self.bytes))
    }

    /// The encoding of the registers.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.view().encoding()
    }

    /// Adds an element and returns whether a register changed. O(1) if dense, O(bytes) if sparse.
    #[inline]
    pub fn add(&mut self, element: &[u8]) -> bool {
        self.add_hash(hash(element))
    }

    /// Adds an element by its [`hash`](crate::hash()).
    #[inline]
    pub fn add_hash(&mut self, hash: u64) -> bool {
        let limit = self.sparse_max_bytes;
        sound(self.edit().add_hash(hash, limit))
    }

    /// Returns the estimated number of distinct elements: the cached count, or one computed from the registers if that
    /// is stale.
    #[must_use]
    pub fn count(&self) -> u64 {
        let view = self.view();
        view.cached().unwrap_or_else(|| sound(view.count()))
    }

    /// Returns the [`count`](Self::count) and caches it in the bytes, as PFCOUNT does.
    pub fn count_and_cache(&mut self) -> u64 {
        sound(self.edit().count()).count
    }

    /// Merges another sketch into this one, as PFMERGE does.
    pub fn merge(&mut self, other: &Self) {
        let mut union = Union::new();
        sound(union.merge(&other.view()));
        sound(union.merge_into(&mut self.bytes, self.sparse_max_bytes));
    }

    /// Converts the sketch to the dense encoding and returns whether it was sparse.
    pub fn promote(&mut self) -> bool {
        sound(self.edit().promote())
    }

    #[inline]
    fn edit(&mut self) -> HllMut<'_> {
        sound(HllMut::new(&mut self.bytes))
    }
}

/// Unwraps a result that cannot be an error, because all bytes were validated when they were taken.
#[inline]
fn sound<T>(result: Result<T, DecodeError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => unreachable!("a validated HyperLogLog is invalid: {error}"),
    }
}

impl Default for HyperLogLog {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for HyperLogLog {
    fn eq(&self, other: &Self) -> bool {
        sound(self.view().registers()).eq(sound(other.view().registers()))
    }
}

impl Eq for HyperLogLog {}

impl fmt::Debug for HyperLogLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperLogLog")
            .field("count", &self.count())
            .field("encoding", &self.encoding())
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl TryFrom<Vec<u8>> for HyperLogLog {
    type Error = DecodeError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::from_bytes(bytes)
    }
}

impl<T: AsRef<[u8]>> Extend<T> for HyperLogLog {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        /// Hashes that are held at once.
        const BATCH: usize = 1024;
        let mut hashes = elements.into_iter().map(|element| hash(element.as_ref()));
        let (mut batch, mut changed) = (Vec::new(), Vec::new());
        loop {
            batch.extend(hashes.by_ref().take(BATCH));
            if batch.is_empty() {
                return;
            }
            let limit = self.sparse_max_bytes;
            sound(self.edit().add_hashes(&batch, limit, &mut changed));
            batch.clear();
            changed.clear();
        }
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for HyperLogLog {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut hll = Self::new();
        hll.extend(elements);
        hll
    }
}
