//! RedisBloom's scalable Bloom filter, bit for bit.
//!
//! # Idea
//!
//! To remember that an item was seen, set some bits of an array, at places that follow from its hash. An item whose
//! bits are not all set was certainly never added. One whose bits are all set was added, or all its bits happen to
//! belong to others: with ten bits for each item that happens to one item in a hundred that were not added, whatever
//! the length of the items, which are not kept.
//!
//! An array cannot grow, because the places depend on its size and the items are gone. So when it holds what it was
//! made for, a larger one is put beside it, of half the error rate, and a question asks them all.
//!
//! # Representation
//!
//! A [`BloomFilter`] is a chain of [`Link`]s. Bit x of a link is `1 << (x % 8)` of byte `x / 8`; hash i of an item is
//!
//! ```text
//! h1 = MurmurHash64A(item, seed 0xc6a4a7935bd1e995)
//! h2 = MurmurHash64A(item, seed h1)
//! x  = ((h1 + i * h2) mod 2^64) mod bits          i = 0 .. hashes - 1
//! ```
//!
//! and the sizes follow from capacity n and error rate p by [`plan::bits_for`] and [`plan::hashes`]:
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
//! What is saved is a [header](BloomFilter::header) of [`HEADER_LEN`] bytes and [`LINK_HEADER_LEN`] for each link, and
//! the bit arrays in [chunks](BloomFilter::chunks), as BF.SCANDUMP gives them; or the same as the
//! [fields](BloomFilter::fields) of an RDB file.
//!
//! # Transitions
//!
//! An item that no link has goes into the newest. If that is full, a new one is made first, or, where the filter does
//! not scale, the item is refused with [`AddError::Full`]. An item that sets no bit is not counted.
//!
//! # Worked example
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
//! # Which call
//!
//! | for | call |
//! |---|---|
//! | one item | [`BloomFilter::add`], [`BloomFilter::contains`] |
//! | many at once, whose cache misses overlap | [`BloomFilter::add_many`], [`BloomFilter::contains_many`] |
//! | an item hashed before, outside of a lock | [`BloomFilter::add_hash`], [`BloomFilter::contains_hash`] |
//! | one array that never grows and never refuses | [`Link`] |
//! | sizes before there is a filter | [`plan`] |
//! | bytes from another source | [`Loader`], [`BloomFilter::from_fields`] |
//!
//! # Complexity
//!
//! | operation | time |
//! |---|---|
//! | hash an item | O(its length) |
//! | add, contains | O(links * hashes); an item that was not added needs about two probes of a link |
//! | add that grows | O(bits of the new link) |
//! | length, capacity, memory, expected error by items | O(links) |
//! | saturation, expected error by bits, merge, save | O(bits) |
//!
//! A probe costs a dozen instructions, among them one multiplication and no division, and a line of memory: the place
//! moves on from one probe to the next, and many items at once ask for their lines before they use them.
//!
//! # Limits
//!
//! * Items cannot be taken out or listed.
//! * The hash is not keyed: a client that chooses the items can choose ones that collide.
//! * All probes of an item follow from two hashes, so small links err more than the formulas say: a link for 400 items
//!   at 0.005 % reaches about twice that, one for 100 at 0.5 % about 0.46 % where its bits say 0.40 %. From some ten
//!   thousand items on the difference is below a tenth.
//! * Hashes are rounded up to whole ones, which costs up to 3 % of the rate: 10 % comes out as 10.26 %.
//! * A filter that grows asks every link, so one made for what it will hold is faster and smaller.
//! * Filters saved before version 2 of the encoding have other hashes, and others have sizes that are powers of two:
//!   both are refused, by [`Fault::Version`], [`Fault::Options`] and [`Fault::PowerOfTwo`].
//! * The union of two filters is this crate's own; servers have none.
//!
//! # References
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
