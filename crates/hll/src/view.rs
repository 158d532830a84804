//! A HyperLogLog in borrowed bytes, to read.

use alloc::vec;

use crate::arch;
use crate::dense::{self, Dense};
use crate::error::DecodeError;
use crate::estimate::{self, Histogram, PowerSum};
use crate::hash::register_and_rank;
use crate::header::{self, Encoding};
use crate::layout::{HEADER_LEN, REGISTERS, Unpacked};
use crate::opcode::{Opcode, VAL_MAX};
use crate::sparse;

/// A HyperLogLog in borrowed bytes.
///
/// [`new`](Self::new) looks at the header alone, as Redis does before each command; a fault in the runs of the sparse
/// encoding shows when a method scans them, or at once in [`validate`](Self::validate).
///
/// # Examples
///
/// ```
/// let bytes = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x71\xa6\x84\x4e\x57";
/// let view = hll::Hll::new(bytes)?;
/// assert_eq!(view.encoding(), hll::Encoding::Sparse);
/// assert_eq!(view.cached(), None);
/// assert_eq!(view.count()?, 1);
/// # Ok::<(), hll::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hll<'a> {
    bytes: &'a [u8],
    body: Body<'a>,
}

/// The registers as they lie. A sparse body keeps the header before it, so that offsets in errors count from the start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    Sparse(&'a [u8]),
    Dense(&'a Dense),
}

impl<'a> Hll<'a> {
    /// Takes bytes whose header is that of a HyperLogLog, in constant time.
    ///
    /// # Errors
    ///
    /// [`DecodeError::ShortHeader`], [`DecodeError::WrongMagic`], [`DecodeError::UnknownEncoding`] and
    /// [`DecodeError::WrongDenseLength`]. The reserved bytes of the header may hold anything, as in Redis.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let body = match header::check(bytes)? {
            Encoding::Sparse => Body::Sparse(bytes),
            Encoding::Dense => match bytes.try_into() {
                Ok(dense) => Body::Dense(dense),
                Err(_) => return Err(DecodeError::WrongDenseLength { got: bytes.len() }),
            },
        };
        Ok(Self { bytes, body })
    }

    /// Checks the registers as well: the runs of the sparse encoding must sum to [`REGISTERS`] and end with the bytes.
    /// The dense encoding has nothing to check. O(bytes) for sparse, O(1) for dense.
    ///
    /// # Errors
    ///
    /// [`DecodeError::CutOpcode`], [`DecodeError::WrongRunSum`] and [`DecodeError::TailBytes`].
    pub fn validate(&self) -> Result<(), DecodeError> {
        match self.body {
            Body::Sparse(bytes) => sparse::each_run(bytes, |_, _| {}),
            Body::Dense(_) => Ok(()),
        }
    }

    /// How the registers are kept.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        match self.body {
            Body::Sparse(_) => Encoding::Sparse,
            Body::Dense(_) => Encoding::Dense,
        }
    }

    /// The bytes, header included.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The cached cardinality, or `None` when a change has made it stale. It is what the bytes say, not checked.
    #[must_use]
    pub fn cached(&self) -> Option<u64> {
        header::cached(self.bytes)
    }

    /// The estimated number of distinct elements, from the registers; the cache is not looked at.
    ///
    /// The relative standard error is 1.04 / sqrt([`REGISTERS`]), 0.81 %. Registers that no input can fill give up to
    /// 2^63.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn count(&self) -> Result<u64, DecodeError> {
        match self.body {
            Body::Sparse(bytes) => {
                let mut sum = PowerSum::default();
                sparse::each_run(bytes, |_, run| sum.take(run.value, run.span))?;
                if let Some(count) = sum.estimate() {
                    return Ok(count);
                }
                let mut histogram: Histogram = [0; 64];
                sparse::each_run(bytes, |_, run| histogram[usize::from(run.value)] += run.span)?;
                Ok(estimate::from_histogram(&histogram))
            }
            Body::Dense(dense) => Ok(arch::count_packed(dense::packed(dense))),
        }
    }

    /// The value of one register; `None` from [`REGISTERS`] on. O(bytes before it) for sparse, O(1) for dense.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate), for what lies before the register.
    #[inline]
    pub fn register(&self, register: u16) -> Result<Option<u8>, DecodeError> {
        if usize::from(register) >= REGISTERS {
            return Ok(None);
        }
        match self.body {
            Body::Sparse(bytes) => {
                let run = sparse::find(bytes, &mut sparse::near(bytes, register), register)?;
                Ok(Some(run.value))
            }
            Body::Dense(dense) => Ok(Some(dense::get(dense, register))),
        }
    }

    /// What [`HllMut::add_hash`](crate::HllMut::add_hash) would return, without doing it: whether it would raise a
    /// register. Cost as there, but nothing is written.
    ///
    /// # Errors
    ///
    /// As [`HllMut::add_hash`](crate::HllMut::add_hash).
    ///
    /// # Examples
    ///
    /// ```
    /// use hll::{HyperLogLog, SPARSE_MAX_BYTES, hash};
    ///
    /// let mut seen = HyperLogLog::new();
    /// assert!(seen.view().would_add(hash(b"alice"), SPARSE_MAX_BYTES)?);
    /// seen.add(b"alice");
    /// assert!(!seen.view().would_add(hash(b"alice"), SPARSE_MAX_BYTES)?);
    /// # Ok::<(), hll::DecodeError>(())
    /// ```
    #[inline]
    pub fn would_add(&self, hash: u64, sparse_max_bytes: usize) -> Result<bool, DecodeError> {
        let (register, rank) = register_and_rank(hash);
        match self.body {
            Body::Dense(dense) => Ok(dense::get(dense, register) < rank),
            Body::Sparse(bytes) => {
                if rank <= VAL_MAX {
                    let mut spot = sparse::near(bytes, register);
                    let run = sparse::find(bytes, &mut spot, register)?;
                    if run.value >= rank {
                        return Ok(false);
                    }
                    if sparse::fits(bytes, spot, run, register, rank, sparse_max_bytes) {
                        return Ok(true);
                    }
                }
                // It would become dense.
                self.validate()?;
                Ok(true)
            }
        }
    }

    /// Every register in order. O([`REGISTERS`]), with 16 KiB allocated.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn registers(&self) -> Result<impl ExactSizeIterator<Item = u8> + use<>, DecodeError> {
        let mut registers = vec![0; REGISTERS];
        if let Some(unpacked) = registers.first_chunk_mut() {
            self.raise(unpacked)?;
        }
        Ok(registers.into_iter())
    }

    /// The opcodes of a sparse one, in order and as they lie, right or wrong; `None` of a dense one.
    ///
    /// They are not checked to cover the registers. If the second byte of the last one is missing, a zero stands in.
    ///
    /// # Examples
    ///
    /// ```
    /// use hll::Opcode;
    ///
    /// let bytes = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x71\xa6\x84\x4e\x57";
    /// let opcodes: Vec<Opcode> = hll::Hll::new(bytes)?.opcodes().unwrap().collect();
    /// assert_eq!(opcodes[..2], [Opcode::XZero { span: 12711 }, Opcode::Val { value: 2, span: 1 }]);
    /// # Ok::<(), hll::DecodeError>(())
    /// ```
    #[must_use]
    pub fn opcodes(&self) -> Option<impl Iterator<Item = Opcode> + use<'a>> {
        let Body::Sparse(bytes) = self.body else { return None };
        let mut left = bytes.get(HEADER_LEN..).unwrap_or_default();
        Some(core::iter::from_fn(move || {
            let (opcode, rest) = Opcode::split_first(left)?;
            left = rest;
            Some(opcode)
        }))
    }

    /// The bytes of a dense one.
    pub(crate) const fn dense(&self) -> Option<&'a Dense> {
        match self.body {
            Body::Sparse(_) => None,
            Body::Dense(dense) => Some(dense),
        }
    }

    /// Raises each register to the one here. Changes nothing on an error.
    pub(crate) fn raise(&self, registers: &mut Unpacked) -> Result<(), DecodeError> {
        self.validate()?;
        self.raise_valid(registers)
    }

    /// The same if the registers were checked already.
    pub(crate) fn raise_valid(&self, registers: &mut Unpacked) -> Result<(), DecodeError> {
        match self.body {
            Body::Sparse(bytes) => sparse::each_run(bytes, |first, run| {
                if run.value > 0 {
                    let first = first as usize;
                    for register in &mut registers[first..first + run.span as usize] {
                        *register = (*register).max(run.value);
                    }
                }
            }),
            Body::Dense(dense) => {
                (arch::best().raise)(registers, &[dense]);
                Ok(())
            }
        }
    }
}
