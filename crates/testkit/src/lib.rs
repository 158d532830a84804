#![doc = include_str!("../README.md")]
//!
//! # Guide
//!
//! ## Fuzz a structure of yours in ten lines
//!
//! The example compares a set of integers with the oracle of Redis's integer set: a [`Sequence`](sequence::Sequence)
//! reads operations from random bytes and applies each to both, and the first difference is shrunk.
//!
//! ```
//! use testkit::oracle::int_set::{IntSetOp, IntSetOracle, IntegerSet};
//! use testkit::sequence::Sequence;
//!
//! #[derive(Default)]
//! struct Mine(Vec<i64>); // sorted, but for a mistake in `remove`
//!
//! impl IntegerSet for Mine {
//!     fn insert(&mut self, value: i64) -> bool {
//!         self.0.binary_search(&value).map_err(|at| self.0.insert(at, value)).is_err()
//!     }
//!     fn remove(&mut self, value: i64) -> bool {
//!         self.0.binary_search(&value).map(|at| self.0.swap_remove(at)).is_ok()
//!     }
//!     fn contains(&self, value: i64) -> bool {
//!         self.0.binary_search(&value).is_ok()
//!     }
//!     fn members(&self) -> Vec<i64> {
//!         self.0.clone()
//!     }
//! }
//!
//! // The ten lines.
//! type Pair = (Mine, IntSetOracle);
//!
//! fn check(sequence: &Sequence<IntSetOp>) -> Result<Pair, testkit::sequence::Difference<IntSetOp>> {
//!     sequence.run(Pair::default, |(mine, oracle), op| oracle.step(mine, op))
//! }
//!
//! let difference = (0..100).find_map(|seed| check(&Sequence::from_seed(seed, 1000)).err());
//! let difference = difference.expect("a fault");
//! println!("{difference}");
//! # assert!(difference.ops().len() <= 2 && difference.why().contains("not in order"));
//! ```
//!
//! It prints the operations that remain of some tens:
//!
//! ```text
//! a difference at the last of 2 operations (of 8 before shrinking):
//!   InsertRun(Member(0), 3, 1)
//!   Remove(Member(0))
//! panicked at src/oracle/int_set.rs:258:9:
//! 2 members for 2: [] missing, [] too many, not in order
//! ```
//!
//! As a target of [cargo-fuzz](https://docs.rs/cargo-fuzz), `fuzz/fuzz_targets/mine.rs`:
//!
//! ```ignore
//! #![no_main]
//!
//! use mine::Mine;
//! use testkit::oracle::int_set::IntSetOracle;
//! use testkit::sequence::Sequence;
//!
//! libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
//!     let start = || (Mine::default(), IntSetOracle::new());
//!     let run = Sequence::from_bytes(bytes).run(start, |(mine, oracle), op| oracle.step(mine, op));
//!     run.unwrap(); // panics with the shortest sequence
//! });
//! ```
//!
//! with, in `fuzz/Cargo.toml`,
//!
//! ```toml
//! testkit = { package = "tallis-testkit", version = "0.2", default-features = false }
//! ```
//!
//! For a structure that has no oracle here, write one: an enumeration of operations with `#[derive(Arbitrary)]`, and a
//! function that applies one to both and asserts. [`sequence`] has an example.
//!
//! ## Modules
//!
//! | module | content |
//! |---|---|
//! | [`sequence`] | operations from bytes or a seed, run on a structure and its model; the first difference, shrunk |
//! | [`oracle`] | simple models of an integer set, a listpack and a HyperLogLog, with operations that reach their edge cases |
//! | [`shrink`] | the shrinker: removes elements while the rest still fails |
//! | [`rng`] | a small seeded RNG, the same on every machine, so that tests are reproducible |
//! | [`alloc`] | an allocator that counts the memory that the system's allocator holds |
//! | [`kept`] | RDB values and files, read completely and written again |
//! | `live` (the feature `server`; `live` for clusters and the `redis` crate, on by default) | a `redis-server` or a cluster for a test, on a socket in a temporary directory |
//! | `differential` (with `live`) | the same random commands on a server and on a subject: the same replies, the same bytes |
//! | [`servers`] | the paths of the servers that tests refer to by name |
//!
//! ## Stability
//!
//! [`sequence`], [`oracle`], [`shrink`], [`rng`], [`alloc`] and `live` follow semantic versioning: a breaking change
//! comes only with the next 0.x. `differential`, [`kept`] and [`servers`] serve the tests of Tallis first, and may
//! change with any release. The operations that bytes or a seed decode to may also change with any release: store a
//! case that was found as its operations.

pub mod alloc;
mod caught;
#[cfg(feature = "live")]
pub mod differential;
pub mod kept;
#[cfg(feature = "server")]
pub mod live;
pub mod oracle;
pub mod rng;
pub mod sequence;
pub mod servers;
pub mod shrink;
