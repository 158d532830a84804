//! The layout: the only module that states it in numbers.

/// Bits of the hash that choose a register.
pub const P: u32 = 14;

/// Bits of the hash that remain to be ranked.
pub const Q: u32 = 64 - P;

/// Number of registers: 2^[`P`].
pub const REGISTERS: usize = 1 << P;

/// [`REGISTERS`] in the type of counts of registers.
pub(crate) const COVERED: u32 = 1 << P;

/// Largest rank that [`register_and_rank`](crate::register_and_rank) returns: [`Q`] zero bits, then the guard.
#[expect(clippy::cast_possible_truncation, reason = "51")]
pub const MAX_RANK: u8 = (Q + 1) as u8;

/// Bits per register in the dense encoding.
pub const REGISTER_BITS: usize = 6;

/// First bytes of every HyperLogLog.
pub const MAGIC: [u8; 4] = *b"HYLL";

/// Offset of the byte that names the encoding.
pub(crate) const ENCODING_AT: usize = MAGIC.len();

/// Bytes after the encoding that Redis writes as zero and does not check.
pub(crate) const RESERVED_LEN: usize = 3;

/// Offset of the cached cardinality, a `u64` in little-endian order.
pub(crate) const CACHE_AT: usize = ENCODING_AT + 1 + RESERVED_LEN;

/// Offset of the byte whose top bit says that the cached cardinality is stale.
pub(crate) const STALE_AT: usize = CACHE_AT + size_of::<u64>() - 1;

/// Top bit of the cached cardinality: set when it is stale.
pub(crate) const STALE: u64 = 1 << 63;

/// Bytes of the header, before the registers.
pub const HEADER_LEN: usize = CACHE_AT + size_of::<u64>();

/// Bytes of the packed registers.
pub(crate) const PACKED_LEN: usize = REGISTERS * REGISTER_BITS / 8;

/// Bytes of a dense HyperLogLog, header included.
pub const DENSE_LEN: usize = HEADER_LEN + PACKED_LEN;

/// Redis's default of `hll-sparse-max-bytes`: the longest sparse HyperLogLog, header included.
pub const SPARSE_MAX_BYTES: usize = 3000;

const _: () = assert!(HEADER_LEN == 16);
const _: () = assert!(STALE_AT == HEADER_LEN - 1);
const _: () = assert!(REGISTERS == 16384);
const _: () = assert!(PACKED_LEN == 12288);
const _: () = assert!(DENSE_LEN == 12304);
const _: () = assert!(MAX_RANK == 51 && (MAX_RANK as usize) < 1 << REGISTER_BITS);
const _: () = assert!(SPARSE_MAX_BYTES < DENSE_LEN);

/// Every register as it lies in the dense encoding.
pub(crate) type Packed = [u8; PACKED_LEN];

/// Every register in a byte of its own.
pub(crate) type Unpacked = [u8; REGISTERS];
