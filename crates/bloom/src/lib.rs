//! RedisBloom's scalable Bloom filter, bit for bit.

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
mod settings;

pub use dump::{CHUNK, Chunk, Loader};
pub use error::{AddError, DecodeError, Fault, LoadError, MergeError, SettingsError, SizeError};
pub use fields::{ENCODING_VERSION, Field};
pub use filter::BloomFilter;
pub use hash::ItemHash;
pub use header::{HEADER_LEN, LINK_HEADER_LEN};
pub use link::Link;
pub use settings::{MAX_CAPACITY, MAX_ERROR_RATE, MAX_EXPANSION, Settings};
