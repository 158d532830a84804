//! One compressor for all strings of a thread.

use std::cell::RefCell;
use std::thread_local;
use std::vec::Vec;

use crate::Compressor;

thread_local! {
    static COMPRESSOR: RefCell<Compressor> = RefCell::default();
}

/// [`Compressor::compress`] with a compressor that the thread keeps: creating a table takes longer than compressing a
/// short string. O(length of `plain`); allocates 256 KiB at the first call of a thread.
///
/// # Examples
///
/// ```
/// let mut stream = Vec::new();
/// assert!(lzf::compress(b"aaaaaaaaaaaa", 12, &mut stream));
/// assert_eq!(lzf::decompress(&stream, 12).unwrap(), b"aaaaaaaaaaaa");
/// ```
pub fn compress(plain: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
    COMPRESSOR
        .try_with(|compressor| compressor.borrow_mut().compress(plain, limit, out))
        // A thread that is ending has none.
        .unwrap_or_else(|_| Compressor::new().compress(plain, limit, out))
}
