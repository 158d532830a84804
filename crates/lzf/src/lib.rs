#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A sequence that occurred within the last 8 KiB is written as its distance and length. A table with the last position
//! of each three bytes finds it. So it is fast in both directions, and a short string without repetitions does not
//! shrink.
//!
//! ## Representation
//!
//! A stream is a series of tokens. The top three bits of the first byte are the kind:
//!
//! ```text
//! 000nnnnn  n + 1 bytes          literal: the next n + 1 (1 to 32) bytes as they are
//! lllddddd  dddddddd             l in 1..=6: copy l + 2 (3 to 8) bytes
//!                                from d + 1 (1 to 8192) bytes back
//! 111ddddd  mmmmmmmm  dddddddd   copy m + 9 (9 to 264) bytes from d + 1 bytes back
//! ```
//!
//! A copy may overlap its own output: distance 1 and length 10 repeat a byte ten times.
//!
//! ## Worked example
//!
//! ```
//! let mut stream = Vec::new();
//! assert!(lzf::Compressor::new().compress(b"aaaaaaaaaaaa", 12, &mut stream));
//! // Two literals, 8 bytes from 1 back, two literals.
//! assert_eq!(stream, [0x01, b'a', b'a', 0xc0, 0x00, 0x01, b'a', b'a']);
//! assert_eq!(lzf::decompress(&stream, 12).unwrap(), b"aaaaaaaaaaaa");
//! ```
//!
//! ## References
//!
//! M. Lehmann: liblzf, whose format this is: <http://oldhome.schmorp.de/marc/liblzf.html>
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod compress;
mod decompress;
#[cfg(test)]
mod tests;
#[cfg(feature = "std")]
mod thread;

pub use compress::{Compressor, push_literals};
pub use decompress::{Error, check, decompress, decompress_into, max_plain_len};
#[cfg(feature = "std")]
pub use thread::compress;

/// The furthest a copy reaches back.
const WINDOW: usize = 1 << 13;
/// The shortest copy.
const MIN_COPY: usize = 3;
/// From this length on a copy takes three bytes.
const LONG_COPY: usize = 9;
/// The longest copy.
const MAX_COPY: usize = LONG_COPY + 255;
/// The longest literal.
const MAX_LITERAL: usize = 32;
