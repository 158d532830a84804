//! Operations from bytes, on a structure and on what it is compared with; the first difference is shrunk.
//!
//! # Idea
//!
//! A fuzzer gives bytes, and a test has a seed, from which [`Rng`] makes bytes. A [`Sequence`] reads operations from them
//! by [`Arbitrary`], which can be derived. [`Sequence::run`] applies each to a state of yours, such as a structure and
//! its oracle, by a function that panics where they differ: `assert_eq!` is all that it needs. A panic of the structure
//! itself counts as well.
//!
//! # How a difference is shrunk
//!
//! Each operation keeps the bytes that it was read from, and is read again from fewer or lower ones:
//!
//! 1. operations are left out, many at once at first ([`fewer`](crate::shrink::fewer));
//! 2. of each that is left, bytes are left out, and the others lowered, each to the least at which the sides still
//!    differ. What was left out reads as zeros;
//! 3. of each two that are left, all but the first bytes are left out at once: so two that have the same value in them
//!    get the same simple one;
//! 4. all of this once more, until nothing changes or 20,000 sequences were tried.
//!
//! So what is simple should be read from low bytes: numbers are, and of an enumeration the variants that come first.
//! Nothing need be known of the operations, and each one that is tried is one that bytes can spell. The last
//! difference may be another one than the first, if the shortest sequence shows another fault.
//!
//! # Worked example
//!
//! A stack that forgets what is below the 300th element:
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
//! Unwinding has to be possible: with `panic = "abort"` there is nothing to catch. What ends the process, such as a
//! stack overflow or a finding of a sanitizer, is not shrunk either: libFuzzer keeps its input. A run that does not end
//! is not noticed here.

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

/// Operations, to be run on a structure and on what it is compared with.
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
    /// The operations that `bytes` spell, up to where they spell none.
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

    /// The operations that the first `len` random bytes of a seed spell. Some ten bytes make an operation.
    #[must_use]
    pub fn from_seed(seed: u64, len: usize) -> Self {
        Self::from_bytes(&Rng::new(seed).bytes(len))
    }
}

impl<Op> Sequence<Op> {
    /// The operations in order.
    #[must_use]
    pub fn ops(&self) -> impl ExactSizeIterator<Item = &Op> {
        self.steps.iter().map(|step| &step.op)
    }

    /// Keeps the first `len` operations: for a structure on which each takes long.
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
    /// Applies each operation by `step` to the state that `start` makes, and gives the state at the end.
    ///
    /// `step` panics where the sides differ. It is called again for each sequence that is tried, so `start` has to make
    /// the same state each time, and `step` must not depend on anything else.
    ///
    /// # Errors
    ///
    /// The first panic, shrunk: the shortest sequence that was found on which `step` panics.
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
