//! Returning members with their scores, and storing those that a command has computed.

use bytes::Bytes;
use skiplist_zset::{Entry, ScoreText};
use smallvec::SmallVec;

use crate::commands::byte_strings::ByteStrings;
use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::store::scope::Scope;
use crate::store::slot::{BY_COMMAND, Expires};
use crate::value::{Value, ZSet};

/// Collects members with their scores for the caller.
pub(super) fn gather<'a>(entries: impl IntoIterator<Item = (Entry<'a>, f64)>) -> Vec<(Bytes, f64)> {
    let entries = entries.into_iter();
    let mut scores = SmallVec::<[f64; 16]>::with_capacity(entries.size_hint().0);
    let mut members = ByteStrings::with_capacity(entries.size_hint().0);
    for (member, score) in entries {
        members.push(member.into());
        scores.push(score);
    }
    members.finish_with(scores)
}

/// Formats a score for the command of an effect.
pub(crate) fn score_word(score: f64) -> Bytes {
    let mut text = Vec::new();
    ScoreText::Shortest.push(score, &mut text);
    text.into()
}

/// Stores members at a key, replacing a value of any type, in the encoding that they require; returns their number.
/// Without members the key is removed.
pub(crate) fn put<M: AsRef<[u8]>>(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    entries: Vec<(M, f64)>,
    effect: impl FnOnce() -> Vec<Bytes>,
) -> Result<usize> {
    let policy = scope.policy();
    let count = entries.len();
    let built = ZSet::skip_list(entries, policy.hasher.clone());
    let mut set =
        built.map_err(|error| Error::new(ErrorKind::InvalidArgument, format!("ERR {error}")))?;
    policy.fit_zset(&mut set);
    let mut slot = scope.slot(key);
    if count == 0 {
        slot.delete();
        return Ok(0);
    }
    slot.put(Value::ZSet(set), Expires::Never, BY_COMMAND);
    drop(slot);
    scope.effect(effect);
    Ok(count)
}
