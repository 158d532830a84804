//! The largest user id: the score of the member `max` of the sorted set `location:max`.

use crate::commands::{Pair, SortedSetAddOptions, UpdateCheck, add_scores, zset_at};
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Scope, View};

/// The member.
const MEMBER: &str = "max";

/// The score of the member, if there is one.
///
/// # Errors
///
/// A value that is no sorted set.
#[inline]
pub(super) fn score(view: &View<'_>, key: HashedKey<'_>) -> Result<Option<f64>, Error> {
    Ok(zset_at(view, key)?.and_then(|set| set.score(MEMBER)))
}

/// Whether the score is at least `user`: the question that each change of a user asks.
#[inline]
pub(super) fn covers(view: &View<'_>, key: HashedKey<'_>, user: u64) -> bool {
    score(view, key).is_ok_and(|score| score.is_some_and(|score| score >= to_score(user)))
}

/// Raises the score to `user`, if it is lower.
///
/// # Errors
///
/// A value that is no sorted set.
pub(super) fn raise(scope: &mut Scope<'_>, key: HashedKey<'_>, user: u64) -> Result<(), Error> {
    let pair: Pair<'_> = (to_score(user), Member::from(MEMBER));
    let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
    add_scores(scope, key, &[pair], higher).map(|_| ())
}

fn to_score(user: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
    let score = user as f64;
    score
}
