//! ZADD and ZINCRBY.

use std::borrow::Borrow;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::commands::ExistenceCheck;
use crate::commands::{check, checked};
use crate::error::{Error, Result};
use crate::member::Member;
use crate::to_member::ToMember;
use crate::to_score::ToScore;

/// The direction in which a score may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateCheck {
    /// Only to a greater score.
    GT,
    /// Only to a lesser score.
    LT,
}

/// What ZADD adds and changes. Default: it does both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SortedSetAddOptions {
    pub(super) existence: Option<ExistenceCheck>,
    update: Option<UpdateCheck>,
    pub(super) changed: bool,
    increment: bool,
}

impl SortedSetAddOptions {
    /// NX: adds members and does not change scores.
    pub const fn add_only() -> Self {
        Self { existence: Some(ExistenceCheck::NX), update: None, changed: false, increment: false }
    }

    /// XX, with GT or LT: changes scores and does not add members.
    pub const fn update_only(update: Option<UpdateCheck>) -> Self {
        Self { existence: Some(ExistenceCheck::XX), update, changed: false, increment: false }
    }

    /// GT or LT: adds members, and changes scores in one direction.
    pub const fn add_or_update(update: Option<UpdateCheck>) -> Self {
        Self { existence: None, update, changed: false, increment: false }
    }

    /// CH: counts members with a changed score in addition to the new ones.
    pub const fn include_changed_count(mut self) -> Self {
        self.changed = true;
        self
    }

    /// INCR: adds to the current score.
    pub(crate) const fn increment_score(mut self) -> Self {
        self.increment = true;
        self
    }

    /// The new score of a member; `None` if it does not change.
    #[inline]
    pub(super) fn choose(self, old: Option<f64>, score: f64) -> Option<f64> {
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

    /// The words of the options.
    pub(super) fn words(self) -> impl Iterator<Item = Bytes> {
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

/// A member with its score.
pub(crate) type Pair<'a> = (f64, Member<'a>);

/// Passes on the pair of a call.
#[inline]
pub(super) fn with_pair<R>(
    score: f64,
    member: impl ToMember,
    take: impl FnOnce(&[Pair<'_>]) -> Result<R>,
) -> Result<R> {
    if score.is_nan() {
        return Err(Error::not_a_number());
    }
    member.with_member(|member| take(&[(score, checked(member)?)]))
}

/// Passes on the pairs of a call, collected before any lock is taken.
pub(super) fn with_pairs<S: ToScore, M: ToMember, I: Borrow<(S, M)>, R>(
    items: impl IntoIterator<Item = I>,
    take: impl FnOnce(&[Pair<'_>]) -> Result<R>,
) -> Result<R> {
    let items: SmallVec<[I; 8]> = items.into_iter().collect();
    let scores = items.iter().map(|item| item.borrow().0.to_score());
    if scores.clone().any(f64::is_nan) {
        return Err(Error::not_a_number());
    }
    M::with_each(items.iter().map(|item| &item.borrow().1), |members| {
        check(members)?;
        take(&scores.zip(members.iter().copied()).collect::<SmallVec<[_; 8]>>())
    })
}
