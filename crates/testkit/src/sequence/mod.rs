//! Operations from bytes, run on a structure and on a model of it; the first difference is shrunk.
//!
//! # Idea
//!
//! A fuzzer provides bytes, and a test has a seed, from which [`Rng`] generates bytes. A [`Sequence`] reads operations
//! from them by [`Arbitrary`], which can be derived. [`Sequence::run`] applies each to a state, such as a structure and
//! its oracle, by a function that panics if they differ: `assert_eq!` is enough. A panic of the structure itself counts
//! as well.
//!
//! # How a difference is shrunk
//!
//! Each operation keeps the bytes that it was read from, and is read again from fewer or lower ones:
//!
//! 1. operations are removed, many at once at first ([`fewer`](crate::shrink::fewer));
//! 2. of each remaining operation, bytes are removed, and the others lowered, each to the least value for which the
//!    sides still differ. Removed bytes read as zeros;
//! 3. of each two remaining operations, all but the first bytes are removed at once, so that two with the same value
//!    get the same simple one;
//! 4. all of this is repeated, until nothing changes or 20,000 sequences were tried.
//!
//! So simple values should be read from low bytes, as numbers and the first variants of an enumeration are. The
//! shrinker needs no knowledge of the operations, and each one that it tries can be read from bytes. The final
//! difference may be another one than the first, if the shortest sequence shows another error.
//!
//! # Worked example
//!
//! A stack that loses the elements below the 300th:
//!
//! ```
//! use arbitrary::Arbitrary;
//! use testkit::sequence::Sequence;
//!
//! #[derive(Arbitrary, Clone, Debug, PartialEq)]
//! enum Op {
//!     Pop,
//!     Push(u8),
//!     PushMany(u8, u16),
//! }
//!
//! /// The structure, and a plain one.
//! type Pair = (Vec<u8>, Vec<u8>);
//!
//! fn step((ours, plain): &mut Pair, op: &Op) {
//!     let mut push = |value: u8, count: u16| {
//!         plain.extend((0..count).map(|_| value));
//!         ours.extend((0..count).map(|_| value));
//!         ours.drain(..ours.len().saturating_sub(300));
//!     };
//!     match *op {
//!         Op::Pop => assert_eq!(ours.pop(), plain.pop()),
//!         Op::Push(value) => push(value, 1),
//!         Op::PushMany(value, count) => push(value, count % 1000),
//!     }
//!     assert_eq!(ours.len(), plain.len());
//! }
//!
//! let difference = (0..).find_map(|seed| Sequence::from_seed(seed, 400).run(Pair::default, step).err());
//! assert_eq!(difference.expect("a fault").ops(), [Op::PushMany(0, 301)]);
//! ```
//!
//! # Limits
//!
//! Panics must unwind: with `panic = "abort"` they cannot be caught. Failures that end the process, such as a stack
//! overflow or a sanitizer's report, are not shrunk either: libFuzzer keeps their input. There is no timeout.

mod difference;
mod shrink;

use std::cell::Cell;
use std::fmt;

use arbitrary::{Arbitrary, Unstructured};

use crate::caught::caught;
use crate::rng::Rng;

pub use difference::Difference;
use shrink::Shrink;

/// Sequences that are tried to make one shorter.
const ATTEMPTS: u32 = 20_000;

/// An operation, and the bytes that it was read from.
#[derive(Clone)]
struct Step<Op> {
    op: Op,
    bytes: Vec<u8>,
}

/// A sequence of operations, to be run on a structure and on a model of it.
#[derive(Clone)]
pub struct Sequence<Op> {
    steps: Vec<Step<Op>>,
}

/// Where a run ended, and why.
struct Failure {
    at: usize,
    why: String,
}

impl<Op: for<'a> Arbitrary<'a>> Sequence<Op> {
    /// Reads operations from `bytes`, until no more can be read.
    ///
    /// # Examples
    ///
    /// ```
    /// # use testkit::sequence::Sequence;
    /// let sequence = Sequence::<u16>::from_bytes(&[1, 0, 2]);
    /// assert!(sequence.ops().eq(&[1, 2]));
    /// ```
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut left = Unstructured::new(bytes);
        let mut steps = Vec::new();
        while !left.is_empty() {
            let start = bytes.len() - left.len();
            let Ok(op) = left.arbitrary() else { break };
            // An operation of no bytes would be read for ever.
            let end = bytes.len() - left.len();
            if start == end {
                break;
            }
            steps.push(Step { op, bytes: bytes[start..end].to_vec() });
        }
        Self { steps }
    }

    /// Reads operations from the first `len` random bytes of a seed. An operation takes about ten bytes.
    #[must_use]
    pub fn from_seed(seed: u64, len: usize) -> Self {
        Self::from_bytes(&Rng::new(seed).bytes(len))
    }
}

impl<Op> Sequence<Op> {
    /// Iterates over the operations, in order.
    #[must_use]
    pub fn ops(&self) -> impl ExactSizeIterator<Item = &Op> {
        self.steps.iter().map(|step| &step.op)
    }

    /// Keeps only the first `len` operations, for a structure with slow operations.
    pub fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }
}

impl<Op: fmt::Debug> fmt::Debug for Sequence<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ops()).finish()
    }
}

impl<Op: for<'a> Arbitrary<'a> + Clone> Sequence<Op> {
    /// Applies each operation by `step` to the state that `start` creates, and returns the final state.
    ///
    /// `step` panics if the sides differ. Both are called again for each sequence that is tried, so `start` must create
    /// the same state each time, and `step` must not depend on anything else.
    ///
    /// # Errors
    ///
    /// The first panic, shrunk: the shortest sequence that was found for which `step` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use testkit::sequence::Sequence;
    ///
    /// let sum = |sum: &mut u8, add: &u8| *sum += add;
    /// let difference = Sequence::from_bytes(&[9, 200, 17, 77]).run(|| 0, sum).unwrap_err();
    /// // Neither can be less with the other as it is.
    /// assert_eq!(difference.ops(), [200, 56]);
    /// assert!(difference.why().contains("overflow"));
    /// ```
    pub fn run<S>(
        &self,
        mut start: impl FnMut() -> S,
        mut step: impl FnMut(&mut S, &Op),
    ) -> Result<S, Difference<Op>> {
        let mut attempt = |steps: &[Step<Op>]| -> Result<S, Failure> {
            let at = Cell::new(0);
            let all = || {
                let mut state = start();
                for Step { op, .. } in steps {
                    at.set(at.get() + 1);
                    step(&mut state, op);
                }
                state
            };
            caught(all).map_err(|why| Failure { at: at.get(), why })
        };
        attempt(&self.steps).map_err(|failure| {
            let before = failure.at;
            let mut left = ATTEMPTS;
            let fails = |steps: &[Step<Op>]| {
                left = left.checked_sub(1)?;
                attempt(steps).err()
            };
            let mut shrink =
                Shrink { steps: self.steps[..before].to_vec(), why: failure.why, fails };
            shrink.run();
            let ops = shrink.steps.into_iter().map(|step| step.op).collect();
            Difference { ops, why: shrink.why, before }
        })
    }
}
