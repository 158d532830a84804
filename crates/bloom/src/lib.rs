#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! Adding an item sets some bits of an array, at positions that follow from its hash. An item with a bit that is not
//! set was never added. An item whose bits are all set was added, or all of its bits were set by other items: with ten
//! bits per item, this happens for one in a hundred items that were not added. The items are not stored, so their
//! length does not matter.
//!
//! An array cannot grow, because the positions depend on its size and the items are not stored. So when it is full, a
//! larger array with half of its error rate is added, and a lookup probes all arrays.
//!
//! ## Representation
//!
//! A [`BloomFilter`] is a chain of [`Link`]s. Bit x of a link is `1 << (x % 8)` of byte `x / 8`. Probe i of an item is
//! at bit x:
//!
//! ```text
//! h1 = MurmurHash64A(item, seed 0xc6a4a7935bd1e995)
//! h2 = MurmurHash64A(item, seed h1)
//! x  = ((h1 + i * h2) mod 2^64) mod bits          i = 0 .. hashes - 1
//! ```
//!
//! The sizes follow from capacity n and error rate p by [`plan::bits_for`] and [`plan::hashes`]:
//!
//! ```text
//! link 0                     link 1                          link 2
//! +------------------------+ +-----------------------------+ +-----------------------------------
//! | n items, p / 2         | | n * expansion items, p / 4  | | n * expansion^2 items, p / 8        ...
//! +------------------------+ +-----------------------------+ +-----------------------------------
//!
//! one link alone, if it does not scale
//! +------------------------+
//! | n items, p             |
//! +------------------------+
//! ```
//!
//! A saved filter is a [header](BloomFilter::header) of [`HEADER_LEN`] bytes and [`LINK_HEADER_LEN`] per link, and the
//! bit arrays in [chunks](BloomFilter::chunks), as BF.SCANDUMP returns them; or the same data as the
//! [fields](BloomFilter::fields) of an RDB file.
//!
//! ## Transitions
//!
//! An item that no link has is added to the newest link. If that is full, a new link is created first; if the filter
//! does not scale, the item is refused with [`AddError::Full`]. An item that sets no bit is not counted.
//!
//! ## Worked example
//!
//! ```
//! use bloom::{ItemHash, Settings};
//!
//! // 2 items at 10 %, so a link at 5 %: 2 * 6.235 = 12 bits, which are a word of 64; ln 2 * 6.235 = 4.3, so 5 hashes.
//! let mut filter = Settings::new(2, 0.1).build()?;
//! let link = filter.links().next().unwrap();
//! assert_eq!((link.bits(), link.hashes()), (64, 5));
//!
//! let (first, second) = ItemHash::of(b"a").parts();
//! assert_eq!((first, second), (0x4292_cee2_27b9_150a, 0x7e9b_5270_31f5_0c11));
//! let places = [0, 1, 2, 3, 4].map(|i| first.wrapping_add(second.wrapping_mul(i)) % 64);
//! assert_eq!(places, [10, 27, 44, 61, 14]);
//!
//! filter.add(b"a")?;
//! let array = filter.links().next().unwrap().as_bytes();
//! assert_eq!(array, [0, 68, 0, 8, 0, 16, 0, 32]);
//!
//! // The third item finds the link full.
//! filter.add(b"b")?;
//! filter.add(b"c")?;
//! let links: Vec<_> = filter.links().map(|link| (link.capacity(), link.error_rate(), link.len())).collect();
//! assert_eq!(links, [(2, 0.05, 2), (4, 0.025, 1)]);
//!
//! let header = filter.header();
//! assert_eq!(header[..20], [3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0]);
//! assert_eq!(header.len(), 20 + 2 * 53);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Which call
//!
//! | for | call |
//! |---|---|
//! | one item | [`BloomFilter::add`], [`BloomFilter::contains`] |
//! | many items at once, with overlapping cache misses | [`BloomFilter::add_many`], [`BloomFilter::contains_many`] |
//! | an item that was hashed before, outside of a lock | [`BloomFilter::add_hash`], [`BloomFilter::contains_hash`] |
//! | one array that never grows and never refuses | [`Link`] |
//! | sizes and error rates without a filter | [`plan`] |
//! | untrusted bytes | [`Loader`], [`BloomFilter::from_fields`] |
//!
//! ## Complexity
//!
//! | operation | time |
//! |---|---|
//! | hash an item | O(its length) |
//! | add, contains | O(links * hashes); an item that was not added needs about two probes per link |
//! | add that grows | O(bits of the new link) |
//! | capacity, memory, expected error by items | O(links) |
//! | saturation, expected error by bits, merge, save | O(bits) |
//!
//! A probe is a dozen instructions, with one multiplication and no division, and one cache line. Operations on many
//! items prefetch the lines.
//!
//! ## References
//!
//! * B. H. Bloom: Space/time trade-offs in hash coding with allowable errors, Communications of the ACM 13(7), 1970.
//! * A. Kirsch, M. Mitzenmacher: Less hashing, same performance: building a better Bloom filter, ESA 2006 (two hashes).
//! * P. S. Almeida, C. Baquero, N. Preguica, D. Hutchison: Scalable Bloom filters, Information Processing Letters
//!   101(6), 2007.
//! * D. Lemire, O. Kaser, N. Kurz: Faster remainder by direct computation, Software: Practice and Experience 49(6),
//!   2019.
//! * A. Appleby: `MurmurHash2`, 2008, the version of 64 bits for machines of 64 bits, in the public domain.
//! * The commands: <https://redis.io/docs/latest/develop/data-types/probabilistic/bloom-filter/>

mod arch;
mod batch;
mod divisor;
mod dump;
mod error;
mod fields;
mod filter;
mod hash;
mod header;
mod link;
pub mod plan;
#[cfg(feature = "serde")]
mod serde;
mod settings;

pub use dump::{CHUNK, Chunk, Loader};
pub use error::{AddError, DecodeError, Fault, LoadError, MergeError, SettingsError, SizeError};
pub use fields::{ENCODING_VERSION, Field};
pub use filter::BloomFilter;
pub use hash::ItemHash;
pub use header::{HEADER_LEN, LINK_HEADER_LEN};
pub use link::Link;
pub use settings::{MAX_CAPACITY, MAX_ERROR_RATE, MAX_EXPANSION, Settings};
