#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! Hash each element, and let the hash choose one of [`REGISTERS`] registers. The other bits of the hash behave like
//! random bits: one element in 2^n has n zeros before its first one bit. So each register stores the highest *rank* of
//! its elements (the number of these zeros, plus one), and the number of distinct elements can be estimated from all
//! registers. An element that was added before changes nothing. The union of two sketches takes the maximum of each
//! pair of registers.
//!
//! The relative standard error is 1.04 / sqrt([`REGISTERS`]).
//!
//! ## Representation
//!
//! A header of [`HEADER_LEN`] bytes and the registers in one of two encodings:
//!
//! ```text
//!  0      4     5            8                          16
//! +------+-----+------------+--------------------------+----------
//! | HYLL | enc | 0   0   0  | cached count, u64 LE     | registers
//! +------+-----+------------+--------------------------+----------
//!         0 dense            bit 63: stale
//!         1 sparse
//! ```
//!
//! *Dense*: [`REGISTER_BITS`] bits per register, the first register in the lowest bits of the first byte; [`DENSE_LEN`]
//! bytes in total.
//!
//! ```text
//!  byte 0     byte 1     byte 2     byte 3
//! +----------+----------+----------+----------+----
//! | 11000000 | 22221111 | 33333322 | 55444444 | ...    highest bit on the left, registers 0, 1, 2 ...
//! +----------+----------+----------+----------+----
//! ```
//!
//! *Sparse*: run lengths that together cover every register.
//!
//! ```text
//! ZERO   00xxxxxx             x + 1 registers of value 0 (1 to 64)
//! XZERO  01xxxxxx yyyyyyyy    xy + 1 registers of value 0 (1 to 16384), high bits first
//! VAL    1vvvvvxx             x + 1 registers (1 to 4) of value v + 1 (1 to 32)
//! ```
//!
//! ## Transitions
//!
//! A new sketch is sparse. It turns dense when a register exceeds 32 or when its length, header included, would exceed
//! a limit that the caller sets (Redis's `hll-sparse-max-bytes`, by default [`SPARSE_MAX_BYTES`]), and never turns
//! back. The header is kept. A union is dense if any of its sources is dense.
//!
//! ## Worked example
//!
//! ```
//! let mut sketch = hll::empty();
//! assert_eq!(sketch[16..], [0x7f, 0xff]); // XZERO 16384
//!
//! let (register, rank) = hll::register_and_rank(hll::hash(b"a"));
//! assert_eq!((register, rank), (12711, 2));
//!
//! let mut edit = hll::HllMut::new(&mut sketch)?;
//! edit.add(b"a", hll::SPARSE_MAX_BYTES)?;
//! // XZERO 12711, VAL 2 once, XZERO 3672: 12711 + 1 + 3672 = 16384
//! assert_eq!(sketch[16..], [0x71, 0xa6, 0x80 | 1 << 2, 0x4e, 0x57]);
//! # assert_eq!((0x31a6 + 1, 0x0e57 + 1), (12711, 3672));
//!
//! let mut edit = hll::HllMut::new(&mut sketch)?;
//! assert_eq!(edit.count()?.count, 1);
//! assert_eq!(sketch[8..16], [1, 0, 0, 0, 0, 0, 0, 0]);
//!
//! let mut edit = hll::HllMut::new(&mut sketch)?;
//! edit.add(b"b", hll::SPARSE_MAX_BYTES)?;
//! assert_eq!(sketch[8..16], [1, 0, 0, 0, 0, 0, 0, 0x80]); // stale, the old count underneath
//! # Ok::<(), hll::DecodeError>(())
//! ```
//!
//! ## Which type
//!
//! | type | over | for |
//! |---|---|---|
//! | [`HyperLogLog`] | bytes of its own, checked | counting |
//! | [`Hll`] | `&[u8]` | reading a string value |
//! | [`HllMut`] | `&mut Vec<u8>` | changing a string value in place |
//! | [`Union`] | registers of its own | counting or merging several |
//!
//! ## Complexity
//!
//! | operation | dense | sparse of n bytes |
//! |---|---|---|
//! | add | O(1) | O(n) |
//! | add m in one call | O(m) | O(n + m log m) |
//! | count, merge into a union | O([`REGISTERS`]) | O(n) |
//! | open bytes | O(1) | O(1); O(n) to validate the opcodes |
//!
//! Loops over all registers use AVX-512 (VBMI) or AVX2 if the CPU has them; the choice is made once, at the first use.
//!
//! ## References
//!
//! 1. P. Flajolet, E. Fusy, O. Gandouet, F. Meunier: HyperLogLog: the analysis of a near-optimal cardinality estimation
//!    algorithm, 2007.
//! 2. S. Heule, M. Nunkesser, A. Hall: HyperLogLog in practice, 2013 (64-bit hashes, sparse form).
//! 3. O. Ertl: New cardinality estimation algorithms for HyperLogLog sketches, arXiv:1702.01284, 2017 (the estimator).
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arch;
mod batch;
mod dense;
mod edit;
mod error;
mod estimate;
mod hash;
mod header;
mod layout;
mod opcode;
mod owned;
#[cfg(feature = "serde")]
mod serde;
mod sparse;
mod union;
mod view;

pub use edit::{Counted, HllMut};
pub use error::DecodeError;
pub use hash::{hash, register_and_rank};
pub use header::Encoding;
pub use layout::{
    DENSE_LEN, HEADER_LEN, MAGIC, MAX_RANK, P, Q, REGISTER_BITS, REGISTERS, SPARSE_MAX_BYTES,
};
pub use opcode::Opcode;
pub use owned::{HyperLogLog, empty};
pub use union::Union;
pub use view::Hll;

/// Each implementation of the dense count that this machine can run, by name, for benchmarks; `None` for a sparse
/// sketch.
#[doc(hidden)]
pub fn count_kernels() -> impl Iterator<Item = (&'static str, impl Fn(&Hll<'_>) -> Option<u64>)> {
    arch::available().map(|kernels| {
        let count = |hll: &Hll<'_>| (kernels.sum_packed)(dense::packed(hll.dense()?)).estimate();
        (kernels.name, count)
    })
}
