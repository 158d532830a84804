//! The kernels for AVX2 (Haswell, Zen and later).
//!
//! # Counting
//!
//! AVX2 has no instruction that counts bits. A shuffle counts those of each half byte by a table of 16, but takes some
//! eight instructions per vector. So most of the bits are added up first, by adders made of logic instructions: three
//! vectors of one weight become one of that weight and one of twice the weight. Of 16 vectors only one, of weight 16,
//! is left to count.
#![expect(unsafe_code, reason = "vector loads, stores and intrinsics")]

use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_add_epi64, _mm_cvtsi128_si64, _mm_prefetch, _mm_sfence,
    _mm_unpackhi_epi64, _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_sad_epu8, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi64, _mm256_srli_epi16, _mm256_storeu_si256, _mm256_stream_si256,
    _mm256_testz_si256, _mm256_xor_si256,
};

use super::{AHEAD, Fold, Kernels, is_large, portable};

/// Bytes of a vector.
const LANES: usize = 32;
/// Vectors per block, which are processed in parallel.
const VECTORS: usize = 4;
const BLOCK: usize = LANES * VECTORS;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Vectors that are added up before any is counted.
const ADDED: usize = 16;

/// These kernels, if the processor has what they need.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static AVX2: Kernels = Kernels {
        name: "avx2",
        // SAFETY: `AVX2` is handed out only where the feature was found.
        count: |bytes| unsafe { count(bytes) },
        // SAFETY: as above.
        skip: |bytes, byte| unsafe { skip(bytes, byte) },
        // SAFETY: as above.
        combine: |out, fold, first, others| unsafe { combine(out, fold, first, others) },
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

/// Stores with a non-temporal store.
#[inline]
#[target_feature(enable = "avx2")]
fn stream(bytes: &mut [u8; LANES], vector: __m256i) {
    assert!(bytes.as_ptr().addr().is_multiple_of(LANES), "aligned by the head");
    // SAFETY: the array is 32 writable bytes, aligned as the store needs it.
    unsafe { _mm256_stream_si256(bytes.as_mut_ptr().cast(), vector) }
}

/// Stores with or without a non-temporal store.
#[inline]
#[target_feature(enable = "avx2")]
fn put<const STREAM: bool>(bytes: &mut [u8; LANES], vector: __m256i) {
    if STREAM { stream(bytes, vector) } else { store(bytes, vector) }
}

/// Prefetches bytes some distance after these.
#[inline]
fn fetch_ahead(block: &[u8; BLOCK]) {
    for line in block.chunks(LINE) {
        let ahead = line.as_ptr().wrapping_add(AHEAD);
        // SAFETY: a hint: it reads nothing that the program could see, and no address is wrong.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) }
    }
}

/// The bytes before the first that is aligned to a vector, at most all.
#[inline]
fn head_len(bytes: &[u8]) -> usize {
    bytes.as_ptr().align_offset(LANES).min(bytes.len())
}

/// The set bits of each 64-bit lane.
#[inline]
#[target_feature(enable = "avx2")]
fn count_lanes(vector: __m256i) -> __m256i {
    #[rustfmt::skip]
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low = _mm256_set1_epi8(0x0f);
    let lows = _mm256_shuffle_epi8(table, _mm256_and_si256(vector, low));
    let highs = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(vector), low));
    _mm256_sad_epu8(_mm256_add_epi8(lows, highs), _mm256_setzero_si256())
}

/// Adds two vectors to a sum of the same weight; returns the carries, of twice the weight.
#[inline]
#[target_feature(enable = "avx2")]
fn add(sum: &mut __m256i, a: __m256i, b: __m256i) -> __m256i {
    let half = _mm256_xor_si256(*sum, a);
    let carry = _mm256_or_si256(_mm256_and_si256(*sum, a), _mm256_and_si256(half, b));
    *sum = _mm256_xor_si256(half, b);
    carry
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
fn count(bytes: &[u8]) -> u64 {
    let (head, rest) = bytes.split_at(head_len(bytes));
    let (vectors, tail) = rest.as_chunks::<LANES>();
    let (groups, rest) = vectors.as_chunks::<ADDED>();
    let zero = _mm256_setzero_si256();
    let [mut ones, mut twos, mut fours, mut eights] = [zero; 4];
    let mut counted = zero;
    for group in groups {
        let mut pair = |at: usize| add(&mut ones, load(&group[at]), load(&group[at + 1]));
        let pairs: [__m256i; ADDED / 2] = core::array::from_fn(|i| pair(2 * i));
        let mut four = |at: usize| add(&mut twos, pairs[at], pairs[at + 1]);
        let quads: [__m256i; ADDED / 4] = core::array::from_fn(|i| four(2 * i));
        let low = add(&mut fours, quads[0], quads[1]);
        let high = add(&mut fours, quads[2], quads[3]);
        let sixteens = add(&mut eights, low, high);
        counted = _mm256_add_epi64(counted, count_lanes(sixteens));
    }
    for sum in [eights, fours, twos, ones] {
        counted = _mm256_add_epi64(_mm256_slli_epi64::<1>(counted), count_lanes(sum));
    }
    for vector in rest {
        counted = _mm256_add_epi64(counted, count_lanes(load(vector)));
    }
    total(counted) + portable::count(head) + portable::count(tail)
}

#[target_feature(enable = "avx2")]
fn skip(bytes: &[u8], byte: u8) -> usize {
    let same = _mm256_set1_epi8(byte.cast_signed());
    let head = head_len(bytes);
    let skipped = portable::skip(&bytes[..head], byte);
    if skipped < head {
        return skipped;
    }
    let (blocks, _) = bytes[head..].as_chunks::<BLOCK>();
    let alike = |block: &[u8; BLOCK]| {
        let (lanes, _) = block.as_chunks();
        let [a, b, c, d] = [0, 1, 2, 3].map(|at: usize| _mm256_xor_si256(load(&lanes[at]), same));
        let other = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
        _mm256_testz_si256(other, other) != 0
    };
    let mut at = head;
    for block in blocks {
        if !alike(block) {
            break;
        }
        at += BLOCK;
    }
    let rest = &bytes[at..];
    // A different byte can only be in the next block, so the plain loop is short.
    at + portable::skip(rest, byte)
}

/// The state after some sources: bits of any of them (or of all, or of an odd number), and bits of two.
type State = (__m256i, __m256i);

#[target_feature(enable = "avx2")]
fn combine(out: &mut [u8], fold: Fold, first: &[u8], others: &[&[u8]]) {
    // The bytes before and after the vectors are left to the plain loop.
    let len = out.len();
    let head = head_len(out);
    let end = head + (len - head) / BLOCK * BLOCK;
    if head > 0 {
        portable::combine(&mut out[..head], fold, first, others);
    }
    if end < len {
        portable::combine_from(&mut out[end..], fold, first, others, end);
    }
    let (out, first) = (&mut out[head..end], &first[head..end]);
    if is_large(out, others) {
        vectors::<true>(out, fold, first, others, head);
        _mm_sfence();
    } else {
        vectors::<false>(out, fold, first, others, head);
    }
}

/// The part of [`combine`] that is whole blocks; they start at `start` in the other sources.
#[target_feature(enable = "avx2")]
fn vectors<const STREAM: bool>(
    out: &mut [u8],
    fold: Fold,
    first: &[u8],
    others: &[&[u8]],
    start: usize,
) {
    let zero = _mm256_setzero_si256();
    let ones = _mm256_set1_epi8(-1);
    let or = |(any, twice): State, y| (_mm256_or_si256(any, y), twice);
    let sources = (first, others, start);
    match fold {
        Fold::And => {
            let and = |(any, twice): State, y| (_mm256_and_si256(any, y), twice);
            blocks::<STREAM>(out, sources, ones, and, |x, (any, _)| _mm256_and_si256(x, any));
        }
        Fold::Or => blocks::<STREAM>(out, sources, zero, or, |x, (any, _)| _mm256_or_si256(x, any)),
        Fold::Xor => {
            let xor = |(any, twice): State, y| (_mm256_xor_si256(any, y), twice);
            blocks::<STREAM>(out, sources, zero, xor, |x, (any, _)| _mm256_xor_si256(x, any));
        }
        Fold::Not => {
            blocks::<STREAM>(out, (first, &[], start), zero, or, |x, _| _mm256_xor_si256(x, ones));
        }
        Fold::Diff => {
            blocks::<STREAM>(out, sources, zero, or, |x, (any, _)| _mm256_andnot_si256(any, x));
        }
        Fold::Diff1 => {
            blocks::<STREAM>(out, sources, zero, or, |x, (any, _)| _mm256_andnot_si256(x, any));
        }
        Fold::AndOr => {
            blocks::<STREAM>(out, sources, zero, or, |x, (any, _)| _mm256_and_si256(x, any));
        }
        Fold::One => {
            let one = |(any, twice): State, y| {
                let both = _mm256_and_si256(any, y);
                (_mm256_or_si256(any, y), _mm256_or_si256(twice, both))
            };
            blocks::<STREAM>(out, sources, zero, one, |x, (any, twice)| {
                _mm256_andnot_si256(twice, _mm256_xor_si256(x, any))
            });
        }
    }
}

/// Runs `step` over the vectors of the other sources and `finish` over what comes of it.
#[inline]
#[target_feature(enable = "avx2")]
fn blocks<const STREAM: bool>(
    out: &mut [u8],
    (first, others, start): (&[u8], &[&[u8]], usize),
    fresh: __m256i,
    step: impl Fn(State, __m256i) -> State,
    finish: impl Fn(__m256i, State) -> __m256i,
) {
    let fresh = (fresh, _mm256_setzero_si256());
    let end = start + out.len();
    let (targets, _) = out.as_chunks_mut::<BLOCK>();
    let (firsts, _) = first.as_chunks::<BLOCK>();
    if let [other] = others {
        let (chunks, _) = other[start..end].as_chunks::<BLOCK>();
        for ((target, x), y) in targets.iter_mut().zip(firsts).zip(chunks) {
            if STREAM {
                fetch_ahead(x);
                fetch_ahead(y);
            }
            let lanes = x.as_chunks().0.iter().zip(y.as_chunks().0);
            for (target, (x, y)) in target.as_chunks_mut().0.iter_mut().zip(lanes) {
                put::<STREAM>(target, finish(load(x), step(fresh, load(y))));
            }
        }
    } else {
        let mut at = start;
        for (target, x) in targets.iter_mut().zip(firsts) {
            let mut states = [fresh; VECTORS];
            if STREAM {
                fetch_ahead(x);
            }
            for y in others {
                let y = &y[at..at + BLOCK].as_chunks().0[0];
                if STREAM {
                    fetch_ahead(y);
                }
                for (state, y) in states.iter_mut().zip(y.as_chunks().0) {
                    *state = step(*state, load(y));
                }
            }
            let lanes = x.as_chunks().0.iter().zip(states);
            for (target, (x, state)) in target.as_chunks_mut().0.iter_mut().zip(lanes) {
                put::<STREAM>(target, finish(load(x), state));
            }
            at += BLOCK;
        }
    }
}
