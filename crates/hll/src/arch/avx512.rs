//! The kernels for AVX-512 with VBMI and VNNI (Ice Lake, Zen 4 and later).
//!
//! # Unpacking
//!
//! 48 bytes hold 64 registers. `vpermb` puts 6 bytes, eight registers, into each 64-bit lane, and `vpmultishiftqb`
//! gives each register a byte of its own, with two bits of its neighbour above it.
//!
//! # The power sum
//!
//! 2^(50 - value) is a 56-bit number with one bit set: seven *limbs* of 8 bits. A `vpermb` looks a limb of 64 registers
//! up in a table, by the low six bits alone, and `vpdpbusd` adds them up in 32-bit lanes. Values above 26 are rare, and
//! blocks without them skip the three limbs that they need.
#![expect(unsafe_code, reason = "vector loads, stores and intrinsics")]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_and_si512, _mm512_cmpgt_epu8_mask, _mm512_dpbusd_epi32,
    _mm512_loadu_epi8, _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_max_epu8, _mm512_min_epu8, _mm512_multishift_epi64_epi8,
    _mm512_permutexvar_epi8, _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srli_epi16,
    _mm512_storeu_epi8,
};

use super::opcodes::approach;
use super::{Kernels, TOGETHER};
use crate::dense::Dense;
use crate::estimate::{MAX_SUMMED, PowerSum};
use crate::layout::{COVERED, HEADER_LEN, Packed, Unpacked};

/// Registers of a vector, and the bytes that hold them packed.
const LANES: usize = 64;
const PACKED_LANES: usize = LANES * 6 / 8;
const PACKED_MASK: u64 = (1 << PACKED_LANES) - 1;

/// Limbs of a term of the power sum.
const LIMBS: usize = 7;
/// Limbs that only values above [`SMALL_MAX`] set.
const RARE_LIMBS: usize = 3;
/// Largest value whose term lies in the other limbs.
#[expect(clippy::cast_possible_truncation, reason = "26")]
const SMALL_MAX: u8 = MAX_SUMMED - 8 * RARE_LIMBS as u8;
/// Vectors that share one test for larger values.
const SHARED: usize = 4;

const _: () = assert!(LIMBS * 8 >= MAX_SUMMED as usize);
const _: () = assert!(SMALL_MAX == 26);

/// For each limb, the byte of 2^(50 - value) by value. Values outside 1 to 50 have none.
static TERMS: [[u8; LANES]; LIMBS] = {
    let mut terms = [[0; LANES]; LIMBS];
    let mut value = 1;
    while value <= MAX_SUMMED as usize {
        let bit = MAX_SUMMED as usize - value;
        terms[bit / 8][value] = 1 << (bit % 8);
        value += 1;
    }
    terms
};

/// Where the bytes of each 64-bit lane come from, in the packed bytes.
#[expect(clippy::cast_possible_truncation, reason = "below 48")]
static SPREAD: [u8; LANES] = {
    let mut from = [0; LANES];
    let mut to = 0;
    while to < LANES {
        let byte = if to % 8 < 6 { to % 8 } else { 0 };
        from[to] = (to / 8 * 6 + byte) as u8;
        to += 1;
    }
    from
};

/// The bits of a 64-bit lane at which its registers start.
const STARTS: u64 = 0x2a24_1e18_120c_0600;

/// The bits at which bytes start that end with those registers: two before.
const UPPER_STARTS: u64 = 0x2822_1c16_100a_043e;

/// Bytes that are loaded before those of 64 registers; before the first of all is the header.
const BEFORE: i8 = 16;
const _: () = assert!(BEFORE as usize == LANES - PACKED_LANES);
const _: () = assert!(BEFORE as usize == HEADER_LEN);

/// Where the packed bytes come from, in 32-bit lanes of 24 bits.
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
static GATHER: [u8; LANES] = {
    let mut from = [0; LANES];
    let mut to = 0;
    while to < PACKED_LANES {
        from[to] = (to / 3 * 4 + to % 3) as u8;
        to += 1;
    }
    from
};

/// These kernels, if the processor has what they need.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static AVX512: Kernels = Kernels {
        name: "avx512",
        // SAFETY: `AVX512` is handed out only where the features were found.
        sum_packed: |packed| unsafe { sum_packed(packed) },
        // SAFETY: as above.
        sum_unpacked: |registers| unsafe { sum_unpacked(registers) },
        // SAFETY: as above.
        raise: |registers, packed| unsafe { raise(registers, packed) },
        // SAFETY: as above.
        pack: |registers, packed| unsafe { pack(registers, packed) },
        // SAFETY: as above.
        approach: |bytes, register| unsafe { approach(bytes, register) },
    };
    let found = processor_has!("avx2", "avx512f", "avx512bw", "avx512vbmi", "avx512vnni");
    found.then_some(&AVX512)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(bytes: &[u8; LANES]) -> __m512i {
    // SAFETY: the array is 64 readable bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(bytes: &mut [u8; LANES], vector: __m512i) {
    // SAFETY: the array is 64 writable bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_epi8(bytes.as_mut_ptr().cast(), vector) }
}

/// 64 registers, each in the low six bits of a byte; the high two bits are of no meaning.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unpack(packed: &[u8; PACKED_LANES]) -> __m512i {
    // SAFETY: the mask admits the 48 bytes of the array, and bytes that it leaves out are not touched.
    let bytes = unsafe { _mm512_maskz_loadu_epi8(PACKED_MASK, packed.as_ptr().cast()) };
    let lanes = _mm512_permutexvar_epi8(load(&SPREAD), bytes);
    _mm512_multishift_epi64_epi8(_mm512_set1_epi64(STARTS.cast_signed()), lanes)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mask(registers: __m512i) -> __m512i {
    _mm512_and_si512(registers, _mm512_set1_epi8(0x3f))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn sum_packed(packed: &Packed) -> PowerSum {
    let (vectors, _) = packed.as_chunks::<PACKED_LANES>();
    sum(vectors, |vector| unpack(vector))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn sum_unpacked(registers: &Unpacked) -> PowerSum {
    let (vectors, _) = registers.as_chunks::<LANES>();
    sum(vectors, |vector| load(vector))
}

/// The power sum of vectors of registers, as `unpack` gives them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn sum<const N: usize>(vectors: &[[u8; N]], unpack: impl Fn(&[u8; N]) -> __m512i) -> PowerSum {
    let ones = _mm512_set1_epi8(1);
    let mut limbs = [_mm512_setzero_si512(); LIMBS];
    let mut set = _mm512_setzero_si512();
    let mut max = _mm512_setzero_si512();
    for block in vectors.chunks(SHARED) {
        let mut block_max = _mm512_setzero_si512();
        for vector in block {
            let registers = unpack(vector);
            for limb in RARE_LIMBS..LIMBS {
                let term = _mm512_permutexvar_epi8(registers, load(&TERMS[limb]));
                limbs[limb] = _mm512_dpbusd_epi32(limbs[limb], term, ones);
            }
            let registers = mask(registers);
            set = _mm512_dpbusd_epi32(set, _mm512_min_epu8(registers, ones), ones);
            block_max = _mm512_max_epu8(block_max, registers);
        }
        max = _mm512_max_epu8(max, block_max);
        if _mm512_cmpgt_epu8_mask(block_max, _mm512_set1_epi8(SMALL_MAX.cast_signed())) != 0 {
            for vector in block {
                let registers = unpack(vector);
                for limb in 0..RARE_LIMBS {
                    let term = _mm512_permutexvar_epi8(registers, load(&TERMS[limb]));
                    limbs[limb] = _mm512_dpbusd_epi32(limbs[limb], term, ones);
                }
            }
        }
    }
    let total = |lanes| u64::from(_mm512_reduce_add_epi32(lanes).cast_unsigned());
    let mut sum = 0;
    for (limb, &lanes) in limbs.iter().enumerate() {
        sum += total(lanes) << (8 * limb);
    }
    let mut values = [0; LANES];
    store(&mut values, max);
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of registers")]
    let set = total(set) as u32;
    PowerSum { zeros: COVERED - set, sum, max: values.into_iter().fold(0, u8::max) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn raise(registers: &mut Unpacked, all: &[&Dense]) {
    let (together, rest) = all.as_chunks::<TOGETHER>();
    for some in together {
        raise_to(registers, some);
    }
    for one in rest {
        raise_to(registers, &[one]);
    }
}

/// [`raise`] for `N` sketches, in one pass.
///
/// Here a register takes the *upper* six bits of its byte. The highest such byte has the highest register whatever the
/// two bits below it are, so they are cleared once for all sketches. Whole vectors are loaded, without a mask: the
/// bytes that end with those of 64 registers begin with the header or with registers before.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn raise_to<const N: usize>(registers: &mut Unpacked, all: &[&Dense; N]) {
    let spread = _mm512_add_epi8(load(&SPREAD), _mm512_set1_epi8(BEFORE));
    let starts = _mm512_set1_epi64(UPPER_STARTS.cast_signed());
    let (targets, _) = registers.as_chunks_mut::<LANES>();
    for (at, target) in targets.iter_mut().enumerate() {
        let mut higher = _mm512_setzero_si512();
        for dense in all {
            let Some(bytes) = dense[at * PACKED_LANES..].first_chunk() else { return };
            let lanes = _mm512_permutexvar_epi8(spread, load(bytes));
            higher = _mm512_max_epu8(higher, _mm512_multishift_epi64_epi8(starts, lanes));
        }
        let higher = mask(_mm512_srli_epi16::<2>(higher));
        store(target, _mm512_max_epu8(load(target), higher));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pack(registers: &Unpacked, packed: &mut Packed) {
    let (vectors, _) = registers.as_chunks::<LANES>();
    let (targets, _) = packed.as_chunks_mut::<PACKED_LANES>();
    for (target, vector) in targets.iter_mut().zip(vectors) {
        // Two registers become 12 bits of 16, and two of those 24 bits of 32.
        let pairs = _mm512_maddubs_epi16(load(vector), _mm512_set1_epi16(0x4001));
        let fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x1000_0001));
        let bytes = _mm512_permutexvar_epi8(load(&GATHER), fours);
        // SAFETY: the mask admits the 48 bytes of the array, and bytes that it leaves out are not touched.
        unsafe { _mm512_mask_storeu_epi8(target.as_mut_ptr().cast(), PACKED_MASK, bytes) }
    }
}
