//! The kernels for AVX2 (Haswell, Zen and later).
//!
//! # Unpacking
//!
//! 24 bytes hold 32 registers. A shuffle gives each 32-bit lane three of them, four registers, and shifts move those to
//! bytes of their own.
//!
//! # The power sum
//!
//! A shuffle looks up 16 entries only, so values are taken in windows of 16, each of which has terms of 16 bits: two
//! tables of bytes. A value outside a window gets an index with the top bit set, for which the shuffle returns 0.
//! Values above 32 are rare, and blocks without them skip their windows.
#![expect(unsafe_code, reason = "vector loads, stores and intrinsics")]

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_adds_epu8, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_permutevar8x32_epi32, _mm256_sad_epu8, _mm256_set_m128i,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_storeu_si256,
    _mm256_sub_epi8,
};

use super::opcodes::{approach, total};
use super::{Kernels, TOGETHER};
use crate::dense::{self, Dense};
use crate::estimate::{MAX_SUMMED, PowerSum};
use crate::layout::{Packed, Unpacked};

/// Registers of a vector, and the bytes that hold them packed.
pub(super) const LANES: usize = 32;
const PACKED_LANES: usize = LANES * 6 / 8;

/// Values of a window.
const WINDOW: usize = 16;
/// Windows that hold the values from 1 on.
const WINDOWS: usize = 4;
/// Windows that are always processed.
const COMMON: usize = 2;
/// Vectors that share one test for larger values.
const SHARED: usize = 8;

/// The high and the low byte of 2^(15 - i), in both halves of a vector.
static TERMS: [[u8; LANES]; 2] = {
    let mut terms = [[0; LANES]; 2];
    let mut i = 0;
    while i < LANES {
        terms[i % WINDOW / 8][i] = 0x80 >> (i % 8);
        i += 1;
    }
    terms
};

/// Three bytes for each 32-bit lane. The high half is loaded from 8 bytes on, 4 before its own.
#[expect(clippy::cast_possible_truncation, reason = "below 16")]
static SPREAD: [u8; LANES] = {
    let mut from = [0x80; LANES];
    let mut to = 0;
    while to < LANES {
        if to % 4 < 3 {
            from[to] = (to % WINDOW / 4 * 3 + to % 4 + to / WINDOW * 4) as u8;
        }
        to += 1;
    }
    from
};

/// The three low bytes of each 32-bit lane, closed up in each half.
#[expect(clippy::cast_possible_truncation, reason = "below 16")]
static GATHER: [u8; LANES] = {
    let mut from = [0x80; LANES];
    let mut to = 0;
    while to < LANES {
        if to % WINDOW < 12 {
            from[to] = (to % WINDOW / 3 * 4 + to % WINDOW % 3) as u8;
        }
        to += 1;
    }
    from
};

/// These kernels, if the processor has what they need.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static AVX2: Kernels = Kernels {
        name: "avx2",
        // SAFETY: `AVX2` is handed out only where the feature was found.
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
    processor_has!("avx2").then_some(&AVX2)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(bytes: &[u8; LANES]) -> __m256i {
    // SAFETY: the array is 32 readable bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8; LANES], vector: __m256i) {
    // SAFETY: the array is 32 writable bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

/// 32 registers, each in a byte.
#[inline]
#[target_feature(enable = "avx2")]
fn unpack(packed: &[u8; PACKED_LANES]) -> __m256i {
    let start = packed.as_ptr();
    // SAFETY: 16 of the 24 bytes of the array, and the load needs no alignment.
    let low = unsafe { _mm_loadu_si128(start.cast()) };
    // SAFETY: 8 bytes on lies in the array.
    let middle = unsafe { start.add(PACKED_LANES - 16) };
    // SAFETY: the last 16 bytes of the array, and the load needs no alignment.
    let high = unsafe { _mm_loadu_si128(middle.cast()) };
    let fours = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), load(&SPREAD));
    let field = |vector, mask| _mm256_and_si256(vector, _mm256_set1_epi32(mask));
    let even =
        _mm256_or_si256(field(fours, 0x3f), field(_mm256_slli_epi32::<4>(fours), 0x003f_0000));
    let odd = _mm256_or_si256(
        field(_mm256_slli_epi32::<2>(fours), 0x3f00),
        field(_mm256_slli_epi32::<6>(fours), 0x3f00_0000),
    );
    _mm256_or_si256(even, odd)
}

#[target_feature(enable = "avx2")]
fn sum_packed(packed: &Packed) -> PowerSum {
    let (vectors, _) = packed.as_chunks::<PACKED_LANES>();
    sum(vectors, |vector| unpack(vector))
}

#[target_feature(enable = "avx2")]
fn sum_unpacked(registers: &Unpacked) -> PowerSum {
    let (vectors, _) = registers.as_chunks::<LANES>();
    sum(vectors, |vector| load(vector))
}

/// Adds the terms of a window to its sums of high and low bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn add_window(sums: &mut [__m256i; 2], registers: __m256i, window: usize) {
    #[expect(clippy::cast_possible_truncation, reason = "at most 49")]
    let start = _mm256_set1_epi8((WINDOW * window + 1) as i8);
    // 0 to 15 in the window becomes 0x70 to 0x7f; larger passes 0x80, and smaller wraps around and saturates.
    let places = _mm256_sub_epi8(registers, start);
    let places = _mm256_adds_epu8(places, _mm256_set1_epi8(0x70));
    for (sum, table) in sums.iter_mut().zip(&TERMS) {
        let terms = _mm256_shuffle_epi8(load(table), places);
        *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(terms, _mm256_setzero_si256()));
    }
}

/// The power sum of vectors of registers, as `unpack` gives them.
#[inline]
#[target_feature(enable = "avx2")]
fn sum<const N: usize>(vectors: &[[u8; N]], unpack: impl Fn(&[u8; N]) -> __m256i) -> PowerSum {
    let zero = _mm256_setzero_si256();
    let mut windows = [[zero; 2]; WINDOWS];
    let mut zeros = zero;
    let mut max = zero;
    for block in vectors.chunks(SHARED) {
        let mut block_zeros = zero;
        let mut block_max = zero;
        for vector in block {
            let registers = unpack(vector);
            block_zeros = _mm256_sub_epi8(block_zeros, _mm256_cmpeq_epi8(registers, zero));
            block_max = _mm256_max_epu8(block_max, registers);
            for (window, sums) in windows[..COMMON].iter_mut().enumerate() {
                add_window(sums, registers, window);
            }
        }
        zeros = _mm256_add_epi64(zeros, _mm256_sad_epu8(block_zeros, zero));
        max = _mm256_max_epu8(max, block_max);
        #[expect(clippy::cast_possible_truncation, reason = "32")]
        let common = _mm256_set1_epi8((WINDOW * COMMON) as i8);
        if _mm256_movemask_epi8(_mm256_cmpgt_epi8(block_max, common)) != 0 {
            for vector in block {
                let registers = unpack(vector);
                // Values above the largest term must not reach the last window.
                let rare = _mm256_cmpgt_epi8(registers, _mm256_set1_epi8(MAX_SUMMED.cast_signed()));
                let registers = _mm256_andnot_si256(rare, registers);
                for (window, sums) in windows.iter_mut().enumerate().skip(COMMON) {
                    add_window(sums, registers, window);
                }
            }
        }
    }
    let mut sum = 0;
    // The first value of a window has bit 15 of the window's sum, and 2^49 is what 1 stands for.
    let mut place = u32::from(MAX_SUMMED);
    for [high, low] in windows {
        let terms = (total(high) << 8) + total(low);
        sum += if place >= u16::BITS {
            terms << (place - u16::BITS)
        } else {
            terms >> (u16::BITS - place)
        };
        place = place.saturating_sub(u16::BITS);
    }
    let mut values = [0; LANES];
    store(&mut values, max);
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of registers")]
    let zeros = total(zeros) as u32;
    PowerSum { zeros, sum, max: values.into_iter().fold(0, u8::max) }
}

#[target_feature(enable = "avx2")]
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
#[inline]
#[target_feature(enable = "avx2")]
fn raise_to<const N: usize>(registers: &mut Unpacked, all: &[&Dense; N]) {
    let (targets, _) = registers.as_chunks_mut::<LANES>();
    let vectors = all.map(|dense| dense::packed(dense).as_chunks::<PACKED_LANES>().0);
    for (at, target) in targets.iter_mut().enumerate() {
        let mut higher = load(target);
        for vectors in vectors {
            higher = _mm256_max_epu8(higher, unpack(&vectors[at]));
        }
        store(target, higher);
    }
}

#[target_feature(enable = "avx2")]
fn pack(registers: &Unpacked, packed: &mut Packed) {
    let (vectors, _) = registers.as_chunks::<LANES>();
    let (targets, _) = packed.as_chunks_mut::<PACKED_LANES>();
    for (target, vector) in targets.iter_mut().zip(vectors) {
        // Two registers become 12 bits of 16, and two of those 24 bits of 32.
        let pairs = _mm256_maddubs_epi16(load(vector), _mm256_set1_epi16(0x4001));
        let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x1000_0001));
        let halves = _mm256_shuffle_epi8(fours, load(&GATHER));
        let closed = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
        let mut bytes = [0; LANES];
        store(&mut bytes, _mm256_permutevar8x32_epi32(halves, closed));
        target.copy_from_slice(&bytes[..PACKED_LANES]);
    }
}
