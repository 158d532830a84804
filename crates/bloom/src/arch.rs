//! Advice to the system that an array should be in large pages, which needs a system call.
//!
//! It changes no value and cannot fault, so the function is safe on every system; where there is no such call it does
//! nothing, and lookups are a little slower.
#![expect(unsafe_code, reason = "the functions that advise on pages take raw pointers")]

/// Arrays from this size on are worth large pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Asks for large pages under an array that was not touched yet.
///
/// Probes go anywhere, so with pages of 4 KiB most of them also miss the cache of page addresses, and on a virtual
/// machine that is looked up in two steps. At 100 million items, large pages save about an eighth of the time. An array
/// is then in memory as a whole after its first few thousand items, where it would have been after some ten thousand.
pub(crate) fn prefer_large_pages(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if bytes.len() >= LARGE {
        use rustix::mm::{Advice, madvise};
        // Advice is for whole pages: those that lie inside.
        let page = rustix::param::page_size();
        let skip = bytes.as_ptr().align_offset(page);
        if let Some(inner) = bytes.get_mut(skip..) {
            let length = inner.len() / page * page;
            // SAFETY: the range is a part of the slice, and this advice changes none of its bytes.
            let _ = unsafe { madvise(inner.as_mut_ptr().cast(), length, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pages_hold_what_was_there() {
        for len in [0, 1, LARGE - 1, LARGE, LARGE + 5000] {
            let mut bytes = vec![3; len + 1];
            prefer_large_pages(&mut bytes);
            prefer_large_pages(&mut bytes[1..]);
            assert!(bytes.iter().all(|&byte| byte == 3));
        }
    }
}
