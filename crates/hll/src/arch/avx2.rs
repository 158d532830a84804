//! The kernels for AVX2 (Haswell, Zen and later).
//!
//! # Unpacking
//!
//! 24 bytes hold 32 registers. A shuffle gives each 32-bit lane three of them, four registers, and shifts move those to
//! bytes of their own.
//!
//! # The power sum
//!
//! A shuffle looks up 16 entries only, so values are taken in windows of 16, each of which has terms of 16 bits: two tables of
//! bytes. What lies outside of a window is given an index with the top bit set, for which the shuffle answers 0. Values above
//! 32 are rare, and their windows are left out for the blocks that have none.
#![expect(unsafe_code, reason = "loads, stores and calls of vector instructions")]

use core::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_adds_epu16, _mm_cmpeq_epi16, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi16, _mm_setzero_si128, _mm_slli_si128,
    _mm_storeu_si128, _mm_subs_epu16, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm256_add_epi8,
    _mm256_add_epi64, _mm256_adds_epu8, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epu8,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_permutevar8x32_epi32, _mm256_sad_epu8,
    _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_slli_epi64,
    _mm256_srli_epi16, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_xor_si256,
};

use super::opcodes::{BLOCK, GROUP, Seconds, opcode_of};
use super::{Kernels, TOGETHER};
use crate::dense::{self, Dense};
use crate::estimate::{MAX_SUMMED, PowerSum};
use crate::layout::{HEADER_LEN, Packed, Unpacked};
use crate::sparse::Spot;

/// Registers of a vector, and the bytes that hold them packed.
const LANES: usize = 32;
const PACKED_LANES: usize = LANES * 6 / 8;

/// Values of a window.
const WINDOW: usize = 16;
/// Windows that hold the values from 1 on.
const WINDOWS: usize = 4;
/// Windows that are always looked at.
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
fn load(bytes: &[u8; LANES]) -> __m256i {
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
    #[expect(clippy::cast_possible_truncation, reason = "up to 49")]
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

/// The sum of the four lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn total(lanes: __m256i) -> u64 {
    let pairs = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let sum = _mm_add_epi64(pairs, _mm_unpackhi_epi64(pairs, pairs));
    _mm_cvtsi128_si64(sum).cast_unsigned()
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

/// [`raise`] for so many sketches, in one pass.
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

/// The opcode that covers the register.
///
/// Each byte adds to the registers covered: the start of an opcode 1, a ZERO and a VAL their count besides, an XZERO
/// 256 times its six bits, and its second byte itself. `vpsadbw` sums that over groups of eight bytes, and
/// [`place_in_group`] finds the byte in a group.
#[target_feature(enable = "avx2")]
fn approach(bytes: &[u8], register: u16) -> Spot {
    let register = u64::from(register);
    let mut covered = 0;
    let mut before = Seconds::default();
    let mut at = HEADER_LEN;
    while let Some(rest) = bytes.get(at..)
        && !rest.is_empty()
    {
        let mut tail = [0; BLOCK];
        let block = if let Some(block) = rest.first_chunk::<BLOCK>() {
            block
        } else {
            tail[..rest.len()].copy_from_slice(rest);
            &tail
        };
        let (halves, _) = block.as_chunks::<LANES>();
        let halves = [load(&halves[0]), load(&halves[1])];
        let vals = top_bits(halves);
        let xzero_like = top_bits(halves.map(|half| _mm256_add_epi8(half, half))) & !vals;
        let here = Seconds::new(xzero_like, before);
        let valid = u64::MAX >> (BLOCK - rest.len().min(BLOCK));
        let starts = valid & !here.mask;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of it")]
        let parts = [adds(halves[0], starts as u32), adds(halves[1], (starts >> LANES) as u32)];
        let sums = [group_sums(parts[0]), group_sums(parts[1])];
        let whole = total(_mm256_add_epi64(sums[0], sums[1]));
        if covered + whole > register {
            let [mut counts, mut highs] = [[0; BLOCK]; 2];
            let mut groups = [0; BLOCK / GROUP];
            for (half, (part, sums)) in parts.into_iter().zip(sums).enumerate() {
                store(&mut counts.as_chunks_mut().0[half], part[0]);
                store(&mut highs.as_chunks_mut().0[half], part[1]);
                let groups: &mut [u64; 4] = &mut groups.as_chunks_mut().0[half];
                // SAFETY: the array is 32 writable bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(groups.as_mut_ptr().cast(), sums) }
            }
            let mut group = 0;
            while group < groups.len() - 1 && covered + groups[group] <= register {
                covered += groups[group];
                group += 1;
            }
            let places = (&counts.as_chunks().0[group], &highs.as_chunks().0[group]);
            let (place, more) = place_in_group(places, register - covered);
            let place = GROUP * group + place;
            return opcode_of(bytes, (at, place), covered + more, here, before);
        }
        covered += whole;
        before = here;
        at += BLOCK;
    }
    Spot::START
}

/// The top bit of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn top_bits([low, high]: [__m256i; 2]) -> u64 {
    let low = _mm256_movemask_epi8(low).cast_unsigned();
    let high = _mm256_movemask_epi8(high).cast_unsigned();
    u64::from(low) | u64::from(high) << LANES
}

/// What each byte adds to the registers covered, and what it adds 256 times; `starts` has a bit for each that starts an
/// opcode.
#[inline]
#[target_feature(enable = "avx2")]
fn adds(bytes: __m256i, starts: u32) -> [__m256i; 2] {
    let ones = _mm256_shuffle_epi8(_mm256_set1_epi32(starts.cast_signed()), load(&BIT_BYTES));
    let starts = _mm256_cmpeq_epi8(_mm256_and_si256(ones, load(&BITS)), load(&BITS));
    let kinds = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(0x0f));

    // Of a start what its kind counts in this byte, and 1; of a second byte everything.
    let counted = _mm256_shuffle_epi8(load(&COUNTED), kinds);
    let counted = _mm256_or_si256(counted, _mm256_xor_si256(starts, _mm256_set1_epi8(-1)));
    let counts = _mm256_sub_epi8(_mm256_and_si256(bytes, counted), starts);

    let high = _mm256_and_si256(_mm256_shuffle_epi8(load(&COUNTED_HIGH), kinds), starts);
    [counts, _mm256_and_si256(bytes, high)]
}

/// What groups of eight bytes add to the registers covered.
#[inline]
#[target_feature(enable = "avx2")]
fn group_sums([counts, highs]: [__m256i; 2]) -> __m256i {
    let zero = _mm256_setzero_si256();
    let high = _mm256_slli_epi64::<8>(_mm256_sad_epu8(highs, zero));
    _mm256_add_epi64(_mm256_sad_epu8(counts, zero), high)
}

/// The byte of a group that reaches the register, as [`adds`] has them, and the registers that the bytes before it
/// cover.
///
/// A prefix sum again, of 16 bits that stay at their maximum when they pass it: the register wanted lies far below.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn place_in_group(
    (counts, highs): (&[u8; GROUP], &[u8; GROUP]),
    register: u64,
) -> (usize, u64) {
    let counts = _mm_cvtsi64_si128(i64::from_le_bytes(*counts));
    let highs = _mm_cvtsi64_si128(i64::from_le_bytes(*highs));
    let sums = _mm_unpacklo_epi8(counts, highs);
    let sums = _mm_adds_epu16(sums, _mm_slli_si128::<2>(sums));
    let sums = _mm_adds_epu16(sums, _mm_slli_si128::<4>(sums));
    let sums = _mm_adds_epu16(sums, _mm_slli_si128::<8>(sums));
    #[expect(clippy::cast_possible_truncation, reason = "below 2^14")]
    let wanted = _mm_set1_epi16((register as u16).cast_signed());
    let passed = _mm_cmpeq_epi16(_mm_subs_epu16(sums, wanted), _mm_setzero_si128());
    let place = (_mm_movemask_epi8(passed).trailing_ones() as usize / 2).min(GROUP - 1);
    let before = _mm_slli_si128::<2>(sums);
    let mut covered = [0u16; GROUP];
    // SAFETY: the array is 16 writable bytes, and the store needs no alignment.
    unsafe { _mm_storeu_si128(covered.as_mut_ptr().cast(), before) }
    (place, covered[place].into())
}

/// By the high four bits of an opcode, the bits of it that count registers.
static COUNTED: [u8; LANES] = by_kind(0x3f, 0, 3);
/// By the high four bits of an opcode, the bits of it that count 256 registers.
static COUNTED_HIGH: [u8; LANES] = by_kind(0, 0x3f, 0);
/// For each byte, the byte of a 32-bit mask that has its bit.
#[expect(clippy::cast_possible_truncation, reason = "below 4")]
static BIT_BYTES: [u8; LANES] = {
    let mut from = [0; LANES];
    let mut to = 0;
    while to < LANES {
        from[to] = (to / 8) as u8;
        to += 1;
    }
    from
};
/// For each byte, its bit in that byte.
static BITS: [u8; LANES] = {
    let mut bits = [0; LANES];
    let mut to = 0;
    while to < LANES {
        bits[to] = 1 << (to % 8);
        to += 1;
    }
    bits
};

const fn by_kind(zero: u8, xzero: u8, val: u8) -> [u8; LANES] {
    let mut table = [0; LANES];
    let mut to = 0;
    while to < LANES {
        table[to] = match to % 16 {
            0..4 => zero,
            4..8 => xzero,
            _ => val,
        };
        to += 1;
    }
    table
}
