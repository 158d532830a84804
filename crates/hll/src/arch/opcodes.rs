//! The scan over opcodes for AVX2.
//!
//! # Which bytes are opcodes
//!
//! The second byte of an XZERO may look like any opcode. After a byte that does not look like the start of an XZERO
//! there is always an opcode, whether that byte is one or a second byte. So what a byte is depends on the series of
//! such bytes before it alone, and where none is longer than two, on two bytes: it is a second byte if the one before
//! looks like an XZERO and the one before that does not. Three vectors from three offsets show that for 32 bytes at
//! once.
//!
//! An XZERO stands between other opcodes in all that PFADD writes, so longer series are not worth an exact count: the
//! scan stops before them, and the plain one goes on.
//!
//! # Registers covered
//!
//! The start of an opcode adds 1; a ZERO and a VAL add their count, an XZERO 256 times its six bits, and its second
//! byte adds itself. `vpsadbw` sums that over groups of eight bytes, and the groups over a block. In the block that
//! reaches the register, a prefix sum over its bytes, of 16 bits that stay at their maximum when they pass it, shows
//! the byte.
#![expect(unsafe_code, reason = "vector stores")]

use core::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_add_epi8,
    _mm256_add_epi64, _mm256_adds_epu16, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cmpgt_epi8, _mm256_extracti128_si256,
    _mm256_min_epu32, _mm256_movemask_epi8, _mm256_packs_epi16, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi64,
    _mm256_slli_si256, _mm256_storeu_si256, _mm256_subs_epu16, _mm256_testz_si256,
    _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
};

use super::avx2::{LANES, load};
use crate::layout::HEADER_LEN;
use crate::sparse::{Spot, WORTH_A_KERNEL};

/// Bytes before a block that say what its first ones are.
const BEFORE: usize = 2;
const _: () = assert!(BEFORE < HEADER_LEN && BEFORE + LANES <= WORTH_A_KERNEL);

/// What the bytes of a block add to the registers covered: once, and 256 times.
type Adds = [__m256i; 2];

/// The opcode that covers the register; one before it where a series of three bytes that look like an XZERO is near.
#[target_feature(enable = "avx2")]
pub(super) fn approach(bytes: &[u8], register: u16) -> Spot {
    // Of the header, whose last bytes are those of a count, though not of one that there can be.
    if bytes.len() < HEADER_LEN || looks_like_xzero(bytes[HEADER_LEN - 1]) {
        return Spot::START;
    }
    let mut covered = 0;
    let mut rest = &bytes[HEADER_LEN - BEFORE..];
    loop {
        let next = bytes.len() - rest.len() + BEFORE;
        let (window, block) = match rest.first_chunk() {
            Some(window) => (window, next),
            None => match bytes.last_chunk() {
                Some(window) if rest.len() > BEFORE => (window, bytes.len() - LANES),
                _ => return Spot::START,
            },
        };
        let Some(mut adds) = adds(window) else { return spot_of(bytes, next, covered) };
        if block < next {
            adds = without(adds, next - block);
        }
        let sums = group_sums(adds);
        let more = covered + total(sums);
        if more > u64::from(register) {
            let (place, before) = place_in_block(adds, sums, u64::from(register) - covered);
            return spot_of(bytes, block + place, covered + before);
        }
        covered = more;
        rest = rest.get(LANES..).unwrap_or_default();
    }
}

/// What the bytes of a block add; `None` if there may be a longer series of bytes that look like an XZERO.
#[inline]
#[target_feature(enable = "avx2")]
fn adds(window: &[u8; BEFORE + LANES]) -> Option<Adds> {
    let block = load(window[BEFORE..].first_chunk()?);
    let one_back = load(window[BEFORE - 1..].first_chunk()?);
    let two_back = load(window[BEFORE - 2..].first_chunk()?);

    // As signed numbers they are the only ones above 63.
    let xzero_like = |bytes| _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(0x3f));
    let like = [xzero_like(block), xzero_like(one_back), xzero_like(two_back)];
    if _mm256_testz_si256(like[0], _mm256_and_si256(like[1], like[2])) == 0 {
        return None;
    }
    let seconds = _mm256_andnot_si256(like[2], like[1]);

    // A VAL is negative.
    let mask = _mm256_blendv_epi8(_mm256_set1_epi8(0x3f), _mm256_set1_epi8(0x03), block);
    let count = _mm256_and_si256(block, mask);
    let low = _mm256_blendv_epi8(_mm256_andnot_si256(like[0], count), block, seconds);
    // 1 for a start, and 1 - 1 for a second byte.
    let low = _mm256_add_epi8(low, _mm256_add_epi8(seconds, _mm256_set1_epi8(1)));
    let high = _mm256_andnot_si256(seconds, _mm256_and_si256(like[0], count));
    Some([low, high])
}

/// The same without the first `skipped` bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn without([low, high]: Adds, skipped: usize) -> Adds {
    /// A vector from `LANES - skipped` on has as many zeros.
    static COUNTED: [u8; 2 * LANES] = {
        let mut counted = [0; 2 * LANES];
        let (_, ones) = counted.split_at_mut(LANES);
        ones.copy_from_slice(&[0xff; LANES]);
        counted
    };
    let Some(counted) = COUNTED[LANES - skipped..].first_chunk() else { return [low, high] };
    let counted = load(counted);
    [_mm256_and_si256(low, counted), _mm256_and_si256(high, counted)]
}

/// What groups of eight bytes add to the registers covered.
#[inline]
#[target_feature(enable = "avx2")]
fn group_sums([low, high]: Adds) -> __m256i {
    let zero = _mm256_setzero_si256();
    let high = _mm256_slli_epi64::<8>(_mm256_sad_epu8(high, zero));
    _mm256_add_epi64(_mm256_sad_epu8(low, zero), high)
}

/// The sum of 64-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn total(lanes: __m256i) -> u64 {
    let pairs = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let sum = _mm_add_epi64(pairs, _mm_unpackhi_epi64(pairs, pairs));
    _mm_cvtsi128_si64(sum).cast_unsigned()
}

/// The byte of a block that reaches the register, and the registers that the bytes before it cover; `sums` are those of
/// the groups.
#[inline]
#[target_feature(enable = "avx2")]
fn place_in_block([low, high]: Adds, sums: __m256i, register: u64) -> (usize, u64) {
    // What the groups before cover: [0, a, 0, c] and the half before, [0, 0, a + b, a + b].
    let in_half = _mm256_slli_si256::<8>(sums);
    let halves = _mm256_add_epi64(sums, in_half);
    let half_before = _mm256_permute4x64_epi64::<0b01_01_01_01>(halves);
    let half_before = _mm256_permute2x128_si256::<0x08>(half_before, half_before);
    let before = _mm256_add_epi64(in_half, half_before);
    let before = _mm256_min_epu32(before, _mm256_set1_epi64x(0xffff));

    let first = _mm256_shuffle_epi8(before, _mm256_set1_epi16(0x0100));
    let second = _mm256_shuffle_epi8(before, _mm256_set1_epi16(0x0908));
    let first = _mm256_adds_epu16(prefix_sums(_mm256_unpacklo_epi8(low, high)), first);
    let second = _mm256_adds_epu16(prefix_sums(_mm256_unpackhi_epi8(low, high)), second);

    #[expect(clippy::cast_possible_truncation, reason = "below 2^14")]
    let wanted = _mm256_set1_epi16((register as u16).cast_signed());
    let zero = _mm256_setzero_si256();
    let passed = |sums| _mm256_cmpeq_epi16(_mm256_subs_epu16(sums, wanted), zero);
    let passed = _mm256_packs_epi16(passed(first), passed(second));
    let place = (_mm256_movemask_epi8(passed).trailing_ones() as usize).min(LANES - 1);

    let mut covered = [0u16; 1 + LANES];
    let (halves, _) = covered[1..].as_chunks_mut::<{ LANES / 2 }>();
    store(&mut halves[0], _mm256_permute2x128_si256::<0x20>(first, second));
    store(&mut halves[1], _mm256_permute2x128_si256::<0x31>(first, second));
    (place, covered[place].into())
}

/// The prefix sums of either half, of 16 bits that stay at their maximum.
#[inline]
#[target_feature(enable = "avx2")]
fn prefix_sums(sums: __m256i) -> __m256i {
    let sums = _mm256_adds_epu16(sums, _mm256_slli_si256::<2>(sums));
    let sums = _mm256_adds_epu16(sums, _mm256_slli_si256::<4>(sums));
    _mm256_adds_epu16(sums, _mm256_slli_si256::<8>(sums))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(sums: &mut [u16; LANES / 2], vector: __m256i) {
    // SAFETY: the array is 32 writable bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), vector) }
}

const fn looks_like_xzero(byte: u8) -> bool {
    byte >> 6 == 1
}

/// Whether the byte at `at` is the second of an XZERO, where no series of bytes that look like one is longer than two.
fn is_second(bytes: &[u8], at: usize) -> bool {
    looks_like_xzero(bytes[at - 1]) & !looks_like_xzero(bytes[at - 2])
}

/// The opcode that the byte at `at` belongs to, where the bytes before it cover so many registers.
#[inline]
fn spot_of(bytes: &[u8], at: usize, covered: u64) -> Spot {
    let second = usize::from(is_second(bytes, at));
    let at = at - second;
    // What the first byte of an XZERO adds.
    let first = covered - (u64::from(bytes[at] & 0x3f) << 8 | 1) * second as u64;
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of registers")]
    let first = first as u32;
    let prev = at - 1 - usize::from(is_second(bytes, at - 1));
    // Before the first opcode there is none.
    Spot { at, first, prev: prev.max(HEADER_LEN) }
}
