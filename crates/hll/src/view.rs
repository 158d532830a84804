//! A HyperLogLog in borrowed bytes, read-only.

use alloc::vec;

use crate::arch;
use crate::dense::{self, Dense};
use crate::error::DecodeError;
use crate::estimate::{MAX_SUMMED, PowerSum};
use crate::hash::register_and_rank;
use crate::header::{self, Encoding};
use crate::layout::{HEADER_LEN, REGISTERS, Unpacked};
use crate::opcode::{Opcode, VAL_MAX};
use crate::sparse;

/// A read-only view of a HyperLogLog in borrowed bytes.
///
/// [`new`](Self::new) checks the header alone, as Redis does before each command. A malformed run of the sparse
/// encoding is reported by the first method that scans it, or by [`validate`](Self::validate).
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

/// The encoded registers. A sparse body includes the header, so that offsets in errors count from the start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    Sparse(&'a [u8]),
    Dense(&'a Dense),
}

impl<'a> Hll<'a> {
    /// Opens bytes after checking the header alone. O(1).
    ///
    /// # Errors
    ///
    /// [`DecodeError::ShortHeader`], [`DecodeError::WrongMagic`], [`DecodeError::UnknownEncoding`] and
    /// [`DecodeError::WrongDenseLength`]. The reserved bytes of the header may have any value, as in Redis.
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

    /// Validates the registers as well: the runs of the sparse encoding must cover exactly [`REGISTERS`] registers and
    /// end with the bytes. In the dense encoding every value is valid. O(bytes) for sparse, O(1) for dense.
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

    /// The encoding of the registers.
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

    /// The cached cardinality, or `None` if a change has made it stale. It is read from the bytes and not verified.
    #[must_use]
    pub fn cached(&self) -> Option<u64> {
        header::cached(self.bytes)
    }

    /// Computes the estimated number of distinct elements from the registers, ignoring the cached count.
    /// O([`REGISTERS`]) for dense, O(bytes) for sparse.
    ///
    /// The relative standard error is 1.04 / sqrt([`REGISTERS`]), 0.81 %. Registers with values that no input produces
    /// may give up to 2^63.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn count(&self) -> Result<u64, DecodeError> {
        // A sparse sum is never rounded: its values are too low.
        const _: () = assert!((MAX_SUMMED - VAL_MAX) as u32 + f64::MANTISSA_DIGITS >= u64::BITS);
        match self.body {
            Body::Sparse(bytes) => {
                let mut sum = PowerSum::default();
                sparse::each_run(bytes, |_, run| sum.take(run.value, run.span))?;
                Ok(sum.estimate().unwrap_or_default())
            }
            Body::Dense(dense) => Ok(arch::count_packed(dense::packed(dense))),
        }
    }

    /// Returns the value of one register, or `None` if `register` is not below [`REGISTERS`]. O(bytes before it) for
    /// sparse, O(1) for dense.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate), for the runs up to the register.
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

    /// Returns whether [`HllMut::add_hash`](crate::HllMut::add_hash) would change a register, without adding. O(1) for
    /// dense, O(bytes) for sparse.
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

    /// Iterates over the values of all registers, in order. O([`REGISTERS`]); allocates 16 KiB.
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

    /// Iterates over the opcodes of a sparse HyperLogLog, in order; `None` for a dense one.
    ///
    /// The opcodes are not validated. If the second byte of the last one is missing, it is read as 0.
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

    /// The bytes of a dense HyperLogLog.
    pub(crate) const fn dense(&self) -> Option<&'a Dense> {
        match self.body {
            Body::Sparse(_) => None,
            Body::Dense(dense) => Some(dense),
        }
    }

    /// Raises each of `registers` to the value here. An error changes nothing.
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
