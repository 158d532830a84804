//! The one thing that plain Rust cannot say: that a line of memory will be wanted soon.
//!
//! A prefetch changes no value and cannot fault, whatever the address, so the function is safe on every processor; where
//! there is no kernel it does nothing, and the same answers come a little later.
#![expect(
    unsafe_code,
    reason = "the prefetch instruction is an intrinsic that takes a raw pointer"
)]

/// Asks for the cache line of a byte, without waiting for it. A place past the end is no error.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = bytes.as_ptr().wrapping_add(at).cast::<i8>();
        // SAFETY: SSE is part of x86-64, and the instruction neither reads the address nor faults on any.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_may_be_asked_for() {
        let bytes = vec![7; 100];
        for at in [0, 63, 99, 100, 1 << 40, usize::MAX] {
            prefetch(&bytes, at);
            prefetch(&[], at);
        }
        assert_eq!(bytes, [7; 100]);
    }
}
