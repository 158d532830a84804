//! The kernels for AVX-512 with BW and VPOPCNTDQ (Ice Lake, Zen 4 and later).
//!
//! A partial vector is loaded and stored under a mask, so no loop has a scalar tail. Stores are aligned to a cache line
//! first: a store that crosses two lines costs twice as much.
#![expect(unsafe_code, reason = "vector loads, stores and intrinsics")]

use core::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm_sfence, _mm512_add_epi64, _mm512_and_si512,
    _mm512_andnot_si512, _mm512_cmpneq_epi8_mask, _mm512_loadu_epi8, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_or_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64,
    _mm512_set1_epi8, _mm512_setzero_si512, _mm512_storeu_epi8, _mm512_stream_si512,
    _mm512_test_epi8_mask, _mm512_xor_si512,
};

use super::{AHEAD, Fold, Kernels, is_large};

/// Bytes of a vector.
const LANES: usize = 64;
/// Vectors per block, which are processed in parallel.
const VECTORS: usize = 4;
const BLOCK: usize = LANES * VECTORS;
/// Bytes of a cache line.
const LINE: usize = 64;

/// These kernels, if the processor has what they need.
pub(super) fn kernels() -> Option<&'static Kernels> {
    static AVX512: Kernels = Kernels {
        name: "avx512",
        // SAFETY: `AVX512` is handed out only where the features were found.
        count: |bytes| unsafe { count(bytes) },
        // SAFETY: as above.
        skip: |bytes, byte| unsafe { skip(bytes, byte) },
        // SAFETY: as above.
        combine: |out, fold, first, others| unsafe { combine(out, fold, first, others) },
    };
    let found = processor_has!("avx512f", "avx512bw", "avx512vpopcntdq");
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

/// Stores with a non-temporal store.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn stream(bytes: &mut [u8; LANES], vector: __m512i) {
    assert!(bytes.as_ptr().addr().is_multiple_of(LANES), "aligned by the head");
    // SAFETY: the array is 64 writable bytes, aligned as the store needs it.
    unsafe { _mm512_stream_si512(bytes.as_mut_ptr().cast(), vector) }
}

/// Stores with or without a non-temporal store.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn put<const STREAM: bool>(bytes: &mut [u8; LANES], vector: __m512i) {
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

/// A bit for each of the first bytes, at most 64.
#[inline]
fn mask(len: usize) -> u64 {
    debug_assert!(len <= LANES);
    if len < LANES { (1 << len) - 1 } else { u64::MAX }
}

/// Up to 64 bytes, and zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_some(bytes: &[u8]) -> __m512i {
    let mask = mask(bytes.len().min(LANES));
    // SAFETY: the mask admits no byte beyond the slice, and bytes that it leaves out are not touched.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// The first bytes of the vector to a slice of up to 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_some(bytes: &mut [u8], vector: __m512i) {
    let mask = mask(bytes.len().min(LANES));
    // SAFETY: the mask admits no byte beyond the slice, and bytes that it leaves out are not touched.
    unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask, vector) }
}

/// The bytes before the first cache line, at most all.
#[inline]
fn head_len(bytes: &[u8]) -> usize {
    bytes.as_ptr().align_offset(LANES).min(bytes.len())
}

#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq")]
fn count(bytes: &[u8]) -> u64 {
    let (head, rest) = bytes.split_at(head_len(bytes));
    let mut sums = [_mm512_setzero_si512(); VECTORS];
    sums[0] = _mm512_popcnt_epi64(load_some(head));
    let (blocks, rest) = rest.as_chunks::<BLOCK>();
    for block in blocks {
        for (sum, lanes) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(load(lanes)));
        }
    }
    for (sum, lanes) in sums.iter_mut().zip(rest.chunks(LANES)) {
        *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(load_some(lanes)));
    }
    let [a, b, c, d] = sums;
    let sum = _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d));
    _mm512_reduce_add_epi64(sum).cast_unsigned()
}

#[target_feature(enable = "avx512f,avx512bw")]
fn skip(bytes: &[u8], byte: u8) -> usize {
    let same = _mm512_set1_epi8(byte.cast_signed());
    // Within a slice of up to 64.
    let some = |bytes: &[u8]| {
        let other = _mm512_cmpneq_epi8_mask(load_some(bytes), same) & mask(bytes.len());
        (other.trailing_zeros() as usize).min(bytes.len())
    };
    let head = head_len(bytes);
    let skipped = some(&bytes[..head]);
    if skipped < head {
        return skipped;
    }
    let (blocks, _) = bytes[head..].as_chunks::<BLOCK>();
    let alike = |block: &[u8; BLOCK]| {
        let (lanes, _) = block.as_chunks();
        let [a, b, c, d] = [0, 1, 2, 3].map(|at: usize| _mm512_xor_si512(load(&lanes[at]), same));
        let other = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
        _mm512_test_epi8_mask(other, other) == 0
    };
    let mut at = head;
    for block in blocks {
        if !alike(block) {
            break;
        }
        at += BLOCK;
    }
    for lanes in bytes[at..].chunks(LANES) {
        let skipped = some(lanes);
        at += skipped;
        if skipped < lanes.len() {
            break;
        }
    }
    at
}

/// The state after some sources: bits of any of them (or of all, or of an odd number), and bits of two.
type State = (__m512i, __m512i);

#[target_feature(enable = "avx512f,avx512bw")]
fn combine(out: &mut [u8], fold: Fold, first: &[u8], others: &[&[u8]]) {
    if is_large(out, others) {
        combine_by::<true>(out, fold, first, others);
        _mm_sfence();
    } else {
        combine_by::<false>(out, fold, first, others);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn combine_by<const STREAM: bool>(out: &mut [u8], fold: Fold, first: &[u8], others: &[&[u8]]) {
    let zero = _mm512_setzero_si512();
    let ones = _mm512_set1_epi8(-1);
    let or = |(any, twice): State, y| (_mm512_or_si512(any, y), twice);
    match fold {
        Fold::And => {
            let and = |(any, twice): State, y| (_mm512_and_si512(any, y), twice);
            blocks::<STREAM>(out, first, others, ones, and, |x, (any, _)| _mm512_and_si512(x, any));
        }
        Fold::Or => {
            blocks::<STREAM>(out, first, others, zero, or, |x, (any, _)| _mm512_or_si512(x, any));
        }
        Fold::Xor => {
            let xor = |(any, twice): State, y| (_mm512_xor_si512(any, y), twice);
            blocks::<STREAM>(out, first, others, zero, xor, |x, (any, _)| _mm512_xor_si512(x, any));
        }
        Fold::Not => blocks::<STREAM>(out, first, &[], zero, or, |x, _| _mm512_xor_si512(x, ones)),
        Fold::Diff => {
            blocks::<STREAM>(out, first, others, zero, or, |x, (any, _)| {
                _mm512_andnot_si512(any, x)
            });
        }
        Fold::Diff1 => {
            blocks::<STREAM>(out, first, others, zero, or, |x, (any, _)| {
                _mm512_andnot_si512(x, any)
            });
        }
        Fold::AndOr => {
            blocks::<STREAM>(out, first, others, zero, or, |x, (any, _)| _mm512_and_si512(x, any));
        }
        Fold::One => {
            let one = |(any, twice): State, y| {
                let both = _mm512_and_si512(any, y);
                (_mm512_or_si512(any, y), _mm512_or_si512(twice, both))
            };
            blocks::<STREAM>(out, first, others, zero, one, |x, (any, twice)| {
                _mm512_andnot_si512(twice, _mm512_xor_si512(x, any))
            });
        }
    }
}

/// Runs `step` over the vectors of the other sources and `finish` over what comes of it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn blocks<const STREAM: bool>(
    out: &mut [u8],
    first: &[u8],
    others: &[&[u8]],
    start: __m512i,
    step: impl Fn(State, __m512i) -> State,
    finish: impl Fn(__m512i, State) -> __m512i,
) {
    let len = out.len();
    let first = &first[..len];
    let fresh = (start, _mm512_setzero_si512());
    // Up to 64 bytes from `at` on.
    let some = |target: &mut [u8], at: usize| {
        let to = at + target.len();
        let mut state = fresh;
        for y in others {
            state = step(state, load_some(&y[at..to]));
        }
        store_some(target, finish(load_some(&first[at..to]), state));
    };

    let (head, rest) = out.split_at_mut(head_len(out));
    some(head, 0);
    let start = head.len();
    let (targets, tail) = rest.as_chunks_mut::<BLOCK>();
    let (firsts, _) = first[start..].as_chunks::<BLOCK>();
    if let [other] = others {
        let (chunks, _) = other[start..len].as_chunks::<BLOCK>();
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
    let mut at = len - tail.len();
    for target in tail.chunks_mut(LANES) {
        some(target, at);
        at += target.len();
    }
}
