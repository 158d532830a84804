//! ZADD and ZINCRBY.

use bytes::Bytes;
use skiplist_zset::{Change, Refused, ScoreText};
use smallvec::SmallVec;

use super::checked;
use crate::commands::ExistenceCheck;
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::rules::Rules;
use crate::store::door::Scope;
use crate::value::{Value, ZSet};

/// Which way a score may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateCheck {
    /// Only up.
    GT,
    /// Only down.
    LT,
}

/// What ZADD adds and changes: by default it does both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SortedSetAddOptions {
    existence: Option<ExistenceCheck>,
    update: Option<UpdateCheck>,
    changed: bool,
    increment: bool,
}

impl SortedSetAddOptions {
    /// NX: adds members and changes none.
    pub const fn add_only() -> Self {
        Self { existence: Some(ExistenceCheck::NX), update: None, changed: false, increment: false }
    }

    /// XX, with GT or LT: changes members and adds none.
    pub const fn update_only(update: Option<UpdateCheck>) -> Self {
        Self { existence: Some(ExistenceCheck::XX), update, changed: false, increment: false }
    }

    /// GT or LT, which add members all the same.
    pub const fn add_or_update(update: Option<UpdateCheck>) -> Self {
        Self { existence: None, update, changed: false, increment: false }
    }

    /// CH: counts the members that were changed too, not only the new ones.
    pub const fn include_changed_count(mut self) -> Self {
        self.changed = true;
        self
    }

    /// INCR: adds the score to the one that is there.
    pub(crate) const fn increment_score(mut self) -> Self {
        self.increment = true;
        self
    }

    /// The score that a member gets; `None` if it stays as it is.
    #[inline]
    fn choose(self, old: Option<f64>, score: f64) -> Option<f64> {
        match (old, self.existence) {
            (Some(_), Some(ExistenceCheck::NX)) | (None, Some(ExistenceCheck::XX)) => None,
            (None, None | Some(ExistenceCheck::NX)) => Some(score),
            (Some(old), None | Some(ExistenceCheck::XX)) => {
                let new = if self.increment { old + score } else { score };
                let against = match self.update {
                    None => false,
                    Some(UpdateCheck::GT) => new <= old,
                    Some(UpdateCheck::LT) => new >= old,
                };
                (!against).then_some(new)
            }
        }
    }

    /// The words of the command.
    fn words(self) -> impl Iterator<Item = Bytes> {
        let existence = self.existence.map(|check| match check {
            ExistenceCheck::NX => "NX",
            ExistenceCheck::XX => "XX",
        });
        let update = self.update.map(|check| match check {
            UpdateCheck::GT => "GT",
            UpdateCheck::LT => "LT",
        });
        let words = [existence, update, self.increment.then_some("INCR")];
        words.into_iter().flatten().map(|word| Bytes::from_static(word.as_bytes()))
    }
}

/// What ZADD did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Added {
    new: usize,
    updated: usize,
    /// The score of the last member that the options were not against.
    pub(super) score: Option<f64>,
}

impl Added {
    /// The number that ZADD answers.
    pub(crate) const fn counted(self, options: SortedSetAddOptions) -> usize {
        if options.changed { self.new + self.updated } else { self.new }
    }
}

/// A member with its score.
pub(crate) type Pair<'a> = (f64, Member<'a>);

/// The pairs of a call, gathered before any lock is taken.
pub(super) fn pairs<'a, M: Into<Member<'a>>>(
    items: impl IntoIterator<Item = (f64, M)>,
) -> Result<SmallVec<[Pair<'a>; 8]>, Error> {
    let pair = |(score, member): (f64, M)| {
        if score.is_nan() {
            return Err(not_a_number());
        }
        Ok((score, checked(member.into())?))
    };
    items.into_iter().map(pair).collect()
}

/// Adds members to the sorted set at a key.
pub(crate) fn add_scores(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    pairs: &[Pair<'_>],
    options: SortedSetAddOptions,
) -> Result<Added, Error> {
    if pairs.is_empty() {
        return Ok(Added::default());
    }
    let rules = scope.rules();
    scope.change(key, |slot| {
        let adds = options.existence != Some(ExistenceCheck::XX);
        if adds && slot.value().is_none() {
            slot.put(Value::ZSet(ZSet::new()));
        }
        let Some(value) = slot.value_mut() else { return Ok(Added::default()) };
        let set = value.as_zset_mut().ok_or_else(Error::wrong_type)?;
        rules.expect_in_zset(set, pairs.len());
        let mut done = Added::default();
        let result = pairs.iter().try_for_each(|pair| done.add(set, pair, options, &rules));
        if set.is_empty() {
            slot.remove();
        }
        if done.new + done.updated > 0 {
            slot.changed("ZADD", || effect(pairs, options));
        }
        result.map(|()| done)
    })
}

impl Added {
    #[inline]
    fn add(
        &mut self,
        set: &mut ZSet,
        &(score, member): &Pair<'_>,
        options: SortedSetAddOptions,
        rules: &Rules<'_>,
    ) -> Result<(), Error> {
        let mut chosen = None;
        let change = member.with_bytes(|bytes| {
            set.update_with_hasher(bytes, &rules.zset_limits(), rules.hasher, |old| {
                chosen = options.choose(old, score);
                chosen
            })
        });
        match change {
            Ok(Change::Added) => self.new += 1,
            Ok(Change::Updated) => self.updated += 1,
            Ok(Change::Unchanged) => {}
            Err(refused) => return Err(refusal(refused)),
        }
        if chosen.is_some() {
            self.score = chosen;
        }
        Ok(())
    }
}

fn effect(pairs: &[Pair<'_>], options: SortedSetAddOptions) -> Vec<Bytes> {
    let mut words: Vec<Bytes> = options.words().collect();
    for (score, member) in pairs {
        let mut text = Vec::new();
        ScoreText::Shortest.push(*score, &mut text);
        words.extend([text.into(), member.to_bytes()]);
    }
    words
}

/// What a sorted set that does not take a member makes its command say.
#[cold]
pub(crate) fn refusal(refused: Refused) -> Error {
    match refused {
        Refused::NotANumber => not_a_number(),
        Refused::Full | _ => Error::new(ErrorKind::InvalidArgument, format!("ERR {refused}")),
    }
}

#[cold]
pub(crate) fn not_a_number() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR resulting score is not a number (NaN)")
}
