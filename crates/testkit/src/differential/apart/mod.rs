//! Replies that differ where Redis is not followed on purpose: see docs/decisions/0006.

mod cut;
mod rim;
mod shared;

use super::Reply;
use super::run::Run;
use super::subject::Subject;

pub(super) use rim::writes;

/// A command whose replies differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference<'d> {
    pub(super) session: usize,
    pub(super) words: &'d [Vec<u8>],
    pub(super) ours: &'d Reply,
    pub(super) theirs: &'d Reply,
}

/// What follows from a difference that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// Both sides are in the same state.
    GoOn,
    /// They are not, so that there is nothing more to compare.
    End,
}

/// Whether a difference is meant, and what follows from it.
pub(super) fn meant<S: Subject>(run: &mut Run<'_, S>, found: Difference<'_>) -> Option<Meant> {
    if rim::explains(run, found) || shared::explains(run, found) {
        return Some(Meant::GoOn);
    }
    cut::explains(run, found).then_some(Meant::End)
}
