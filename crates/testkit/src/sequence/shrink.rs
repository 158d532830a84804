//! Shrinking a failing sequence.

use std::mem;

use arbitrary::{Arbitrary, Unstructured};

use super::{Failure, Step};
use crate::shrink::{fewer, lower};

/// The maximum length of a sequence whose operations are also simplified in pairs.
const FEW: usize = 12;

/// The number of bytes that operations keep when they are simplified in pairs: those of their kind, and of a small
/// value.
const KEPT: usize = 8;

/// A sequence that fails at its last operation, and why.
pub(super) struct Shrink<Op, F> {
    pub(super) steps: Vec<Step<Op>>,
    pub(super) why: String,
    /// Returns the failure of a sequence; `None` also after too many attempts.
    pub(super) fails: F,
}

impl<Op, F> Shrink<Op, F>
where
    Op: for<'a> Arbitrary<'a> + Clone,
    F: FnMut(&[Step<Op>]) -> Option<Failure>,
{
    /// Shrinks until nothing changes.
    pub(super) fn run(&mut self) {
        loop {
            self.leave_out();
            let before: Vec<_> = self.steps.iter().map(|step| step.bytes.clone()).collect();
            for at in (0..self.steps.len()).rev() {
                self.simplify(at);
            }
            self.simplify_pairs();
            if self.steps.iter().map(|step| &step.bytes).eq(&before) {
                return;
            }
        }
    }

    /// Removes operations.
    fn leave_out(&mut self) {
        let (steps, why) = (mem::take(&mut self.steps), mem::take(&mut self.why));
        (self.steps, self.why) = fewer(steps, why, |mut rest| {
            let failure = (self.fails)(&rest)?;
            rest.truncate(failure.at);
            Some((rest, failure.why))
        });
    }

    /// Reads one operation from fewer and lower bytes.
    fn simplify(&mut self, at: usize) {
        let Some(bytes) = self.steps.get(at).map(|step| step.bytes.clone()) else { return };
        let (mut bytes, ()) = fewer(bytes, (), |bytes| {
            self.replace(&[(at, &bytes)])?;
            Some((bytes, ()))
        });
        for byte in (0..bytes.len()).rev().chain(0..bytes.len()) {
            lower(&mut bytes, byte, |bytes| self.replace(&[(at, bytes)]));
        }
    }

    /// Truncates the bytes of two operations at once.
    fn simplify_pairs(&mut self) {
        let len = self.steps.len();
        if len > FEW {
            return;
        }
        let pairs = (0..len).flat_map(|one| (one + 1..len).map(move |other| (one, other)));
        for (one, other) in pairs {
            let [first, second] = [one, other]
                .map(|at| self.steps.get(at).map(|step| step.bytes.clone()).unwrap_or_default());
            // The kept bytes of both grow from none, so the first failing pair is the shortest.
            let (most, rest) = (first.len().min(KEPT), second.len().min(KEPT));
            let mut kept = (0..most + rest).flat_map(|sum| {
                (sum.saturating_sub(rest)..=sum.min(most)).map(move |of_one| (of_one, sum - of_one))
            });
            kept.find_map(|(a, b)| self.replace(&[(one, &first[..a]), (other, &second[..b])]));
        }
    }

    /// Reads operations from other bytes, and keeps the result if the last operation still fails.
    fn replace(&mut self, others: &[(usize, &[u8])]) -> Option<()> {
        let mut steps = self.steps.clone();
        for &(at, bytes) in others {
            let op = Unstructured::new(bytes).arbitrary().ok()?;
            *steps.get_mut(at)? = Step { op, bytes: bytes.to_vec() };
        }
        let failure = (self.fails)(&steps)?;
        // A failure at an earlier operation is found when operations are removed.
        (failure.at == steps.len()).then(|| (self.steps, self.why) = (steps, failure.why))
    }
}
