//! Test tools for data structures: plain oracles, operations from bytes, one shrinker, live Redis servers.
//!
//! # Fuzz a structure of yours in ten lines
//!
//! A set of integers of yours, beside the oracle of Redis's integer set: a [`Sequence`](sequence::Sequence) reads
//! operations from random bytes and applies each to both, and the first difference is shrunk.
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
//! It prints what is left of some tens of operations:
//!
//! ```text
//! a difference at the last of 2 operations (of 8 before shrinking):
//!   InsertRun(Member(0), 3, 1)
//!   Remove(Member(0))
//! panicked at src/oracle/int_set.rs:255:9:
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
//! testkit = { package = "tallis-testkit", version = "0.1", default-features = false }
//! ```
//!
//! For a structure that has no oracle here, write one: an enumeration of operations with `#[derive(Arbitrary)]`, and a
//! function that applies one to both and asserts. [`sequence`] has an example.
//!
//! # What there is
//!
//! | module | what it gives |
//! |---|---|
//! | [`sequence`] | operations from bytes or a seed, run on two sides; the first difference, shrunk |
//! | [`oracle`] | plain, slow and right: an integer set, a listpack, a HyperLogLog, with operations that reach their edges |
//! | [`shrink`] | the shrinker: elements are left out while what remains still fails |
//! | [`rng`] | a small seeded generator, the same on every machine, so that each test can be run again as it was |
//! | [`alloc`] | an allocator that counts what the system's allocator really holds |
//! | [`kept`] | values and files of RDB, read whole and written again |
//! | `live` (the feature `server`; `live` for clusters and the `redis` crate, on by default) | a `redis-server` or a cluster of the test's own, on a socket in a temporary folder |
//! | `differential` (with `live`) | the same random commands on a server and on a subject: the same replies, the same bytes |
//! | [`servers`] | where the servers lie that tests ask for by name |
//!
//! # What is stable
//!
//! [`sequence`], [`oracle`], [`shrink`], [`rng`], [`alloc`] and `live` change as other crates do: what breaks a caller
//! waits for the next 0.x. `differential`, [`kept`] and [`servers`] serve the tests of Tallis first, and may change with
//! any release. The operations that bytes or a seed spell may be others in any release too: keep a case that was found
//! as its operations.
//!
//! # Limits
//!
//! Functions here panic where a test should fail. Live servers are for Unix.

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

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
