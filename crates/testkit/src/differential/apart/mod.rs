//! Replies that differ from Redis intentionally: see docs/decisions/0006.

mod cut;
mod errno;
mod older;
mod rim;
mod shared;

use super::Reply;
use super::run::Run;
use super::subject::Subject;

pub(super) use cut::is_met;
pub(super) use errno::sorts;
pub use older::{LATER_COMMANDS, older_differences};
pub(super) use older::{as_known_in, is_older, key_of_same_bits, known_in, replies_otherwise};
pub(super) use rim::{finds_no_key, is_near, writes};

/// A command whose replies differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference<'d> {
    pub(super) session: usize,
    pub(super) words: &'d [Vec<u8>],
    /// The commands that have already run after it: the rest of its transaction.
    pub(super) behind: &'d [Vec<Vec<u8>>],
    pub(super) ours: &'d Reply,
    pub(super) theirs: &'d Reply,
}

/// Whether a difference is intended. Outside of a transaction, both sides are in the same state at that point.
pub(super) fn explains<S: Subject>(run: &mut Run<'_, S>, found: Difference<'_>) -> bool {
    rim::explains(run, found) || shared::explains(run, found) || errno::explains(run, found)
}
