//! The entry of a sorted set.

use std::ops::{Bound, Range, RangeBounds};

use bytes::Bytes;
use skiplist_zset::{Change, Refused};

use super::add::SortedSetAddOptions;
use super::pop::Side;
use super::put::{gather, score_word};
use super::{Pair, ZRange};
use crate::commands::strings::ExistenceCheck;
use crate::commands::{checked, entry_of};
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::slot::{Entry, Outcome};
use crate::to_member::ToMember;
use crate::to_score::ToScore;
use crate::value::{AT_ONCE, Value, ZSet, prefetch_in_zset, prefetch_updates_in_zset};

/// The sorted set at a key, with one look-up and one type check: see [`Store::with_zset`](crate::Store::with_zset).
///
/// A key that does not exist is an empty sorted set, and the key is removed with the last member.
pub type ZSetEntry<'e> = Entry<'e, ZSetKind>;

entry_of!(ZSetEntry, ZSetKind, with_zset, "sorted set", |value| value.as_zset().is_some());

/// The result of ZADD.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Added {
    new: usize,
    updated: usize,
    /// The score of the last member for which the options allowed a change.
    pub(super) score: Option<f64>,
}

impl Added {
    /// The number that ZADD replies.
    pub(crate) const fn counted(self, options: SortedSetAddOptions) -> usize {
        if options.changed { self.new + self.updated } else { self.new }
    }
}

impl ZSetEntry<'_> {
    #[inline]
    fn value_ref(&self) -> Option<&ZSet> {
        self.value().and_then(Value::as_zset)
    }

    /// Returns the number of members. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.value_ref().map_or(0, ZSet::len)
    }

    /// Returns the score of the member at a rank, counted from 0 at the lowest score; `None` after the last. O(log
    /// members).
    #[must_use]
    pub fn score_at(&self, rank: usize) -> Option<f64> {
        let (_, score) = self.value_ref()?.get(rank)?;
        Some(score)
    }

    /// Returns whether there are no members. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. O(1) in a skip list, O(members) in a listpack.
    #[must_use]
    pub fn score(&self, member: impl ToMember) -> Option<f64> {
        member.with_member(|member| {
            let set = self.value_ref()?;
            member.with_bytes(|member| set.score(member))
        })
    }

    /// ZCOUNT: returns the number of members with these scores. O(log members), O(members) in a listpack.
    #[must_use]
    pub fn count_scores(&self, scores: impl RangeBounds<f64>) -> usize {
        let Some(set) = self.value_ref() else { return 0 };
        let Some((_, highest)) = set.last() else { return 0 };
        // Scores are often times, and those of the present are counted before there are any.
        if matches!(scores.start_bound(), Bound::Included(&min) if highest < min) {
            return 0;
        }
        set.ranks_by_score(scores).len()
    }

    /// ZADD: adds a member or changes its score; returns whether it is new. O(log members).
    ///
    /// # Errors
    ///
    /// The score is NaN, or the member exceeds 512 MiB.
    pub fn add(&mut self, member: impl ToMember, score: impl ToScore) -> Result<bool> {
        let score = score.to_score();
        member.with_member(|member| {
            if score.is_nan() {
                return Err(Error::not_a_number());
            }
            let pair = (score, checked(member)?);
            Ok(self.add_all(&[pair], SortedSetAddOptions::default())?.new == 1)
        })
    }

    /// ZADD with NX: adds a member; returns `false` if it exists, with any score. O(log members).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_new(&mut self, member: impl ToMember, score: impl ToScore) -> Result<bool> {
        let score = score.to_score();
        member.with_member(|member| {
            if score.is_nan() {
                return Err(Error::not_a_number());
            }
            let policy = self.policy();
            checked(member)?;
            let free = |old: Option<f64>| old.is_none().then_some(score);
            self.announce_members([member]);
            let added = self.edit_or_make(
                || Value::ZSet(ZSet::new()),
                |value| {
                    let Some(set) = value.as_zset_mut() else {
                        return (Err(Error::wrong_type()), Outcome::Same);
                    };
                    let change = member.with_bytes(|member| {
                        set.update_with_hasher(member, &policy.zset_limits(), policy.hasher, free)
                    });
                    let added = change.map(|change| change == Change::Added).map_err(refusal);
                    let outcome = Outcome::changed(matches!(added, Ok(true)));
                    (added, if set.is_empty() { Outcome::Unmade } else { outcome })
                },
                // NX is not needed in the effect: the member is new there too.
                |_| ("ZADD", words(&[(score, member)], SortedSetAddOptions::default())),
            );
            added.unwrap_or(Ok(false))
        })
    }

    /// Adds members.
    pub(crate) fn add_all(
        &mut self,
        pairs: &[Pair<'_>],
        options: SortedSetAddOptions,
    ) -> Result<Added> {
        if pairs.is_empty() || !self.exists() && options.existence == Some(ExistenceCheck::XX) {
            return Ok(Added::default());
        }
        let policy = &self.policy();
        self.announce_members(pairs.iter().map(|&(_, member)| member));
        let done = self.edit_or_make(
            || Value::ZSet(ZSet::new()),
            |value| {
                let Some(set) = value.as_zset_mut() else {
                    return (Err(Error::wrong_type()), Outcome::Same);
                };
                policy.expect_in_zset(set, pairs.len());
                let most = policy.zset_limits().value;
                let too_long = |member: &Member<'_>| member.with_bytes(<[u8]>::len) > most;
                if policy.profile.zadd_looks_ahead()
                    && pairs.iter().any(|(_, member)| too_long(member))
                {
                    policy.make_skip_list(set);
                }
                let mut done = Added::default();
                let result = pairs.chunks(AT_ONCE).try_for_each(|pairs| {
                    prefetch_updates_in_zset(set, pairs);
                    pairs.iter().try_for_each(|pair| done.add(set, pair, options, policy))
                });
                let changed = done.new + done.updated > 0;
                let outcome = if set.is_empty() && !changed {
                    Outcome::Unmade
                } else {
                    outcome(set, changed)
                };
                (result.map(|()| done), outcome)
            },
            |_| ("ZADD", words(pairs, options)),
        );
        done.unwrap_or_else(|| Ok(Added::default()))
    }

    /// ZREM: removes a member; returns whether it existed. O(log members).
    pub fn remove(&mut self, member: impl ToMember) -> bool {
        member.with_member(|member| self.remove_all(&[member]) == 1)
    }

    /// Removes members; returns how many existed.
    pub(crate) fn remove_all(&mut self, members: &[Member<'_>]) -> usize {
        self.announce_members(members.iter().copied());
        let removed = self.edit(
            |value| {
                let Some(set) = value.as_zset_mut() else { return (0, Outcome::Same) };
                let mut removed = 0;
                for members in members.chunks(AT_ONCE) {
                    prefetch_in_zset(set, members.iter().copied());
                    let there = |member: &&Member<'_>| {
                        member.with_bytes(|bytes| set.remove(bytes)).is_some()
                    };
                    removed += members.iter().filter(there).count();
                }
                (removed, outcome(set, removed > 0))
            },
            |_| ("ZREM", members.iter().map(|member| member.to_bytes()).collect()),
        );
        removed.unwrap_or(0)
    }

    /// Removes the members of a range; returns how many there were. O(log members + removed).
    pub fn remove_range(&mut self, range: &ZRange) -> usize {
        let mut ranks = 0..0;
        self.remove_ranks(
            |set| {
                ranks = range.ranks(set);
                ranks.clone()
            },
            // By rank for any range, so that nothing has to be looked up again.
            |ranks| {
                let ends = [ranks.start, ranks.end - 1];
                ("ZREMRANGEBYRANK", ends.map(|rank| rank.to_string().into()).to_vec())
            },
        )
    }

    fn remove_ranks(
        &mut self,
        ranks: impl FnOnce(&ZSet) -> Range<usize>,
        effect: impl FnOnce(&Range<usize>) -> (&'static str, Vec<Bytes>),
    ) -> usize {
        let Some(set) = self.value().and_then(Value::as_zset) else { return 0 };
        let (len, ranks) = (set.len(), ranks(set));
        if ranks.len() == len {
            let (command, args) = effect(&ranks);
            self.remove_key((command, || args));
            return len;
        }
        self.announce_ranks(ranks.clone());
        let removed = self.edit(
            |value| {
                let Some(set) = value.as_zset_mut() else { return (0..0, Outcome::Same) };
                let removed = set.remove_range(ranks.clone());
                (ranks, outcome(set, removed > 0))
            },
            effect,
        );
        removed.map_or(0, |ranks| ranks.len())
    }

    /// Announces that the next edit removes the members at these ranks.
    #[inline]
    fn announce_ranks(&mut self, ranks: Range<usize>) {
        if self.is_in_snapshot()
            && let Some(set) = self.value().and_then(Value::as_zset)
        {
            let members: Vec<Bytes> =
                set.range(ranks).map(|(member, _)| Member::from(member).to_bytes()).collect();
            self.announce_members(members.iter().map(Member::from));
        }
    }

    /// ZREMRANGEBYSCORE from the lowest score to `max`: removes the members; returns how many there were. O(log members
    /// + removed).
    pub fn remove_up_to_score(&mut self, max: f64) -> usize {
        self.remove_ranks(
            // As many steps as members are removed, and a listpack is not searched.
            |set| 0..set.iter().take_while(|&(_, score)| score <= max).count(),
            |_| ("ZREMRANGEBYSCORE", vec!["-inf".into(), score_word(max)]),
        )
    }

    /// Removes and returns `count` members, or all, from an end.
    pub(crate) fn pop(&mut self, side: Side, count: usize) -> Vec<(Bytes, f64)> {
        let Some(set) = self.value().and_then(Value::as_zset) else { return Vec::new() };
        let len = set.len();
        let count = count.min(len);
        let (ranks, popped) = match side {
            Side::Min => (0..count, gather(set.range(0..count))),
            Side::Max => (len - count..len, gather(set.range(len - count..len).rev())),
        };
        self.remove_ranks(
            |_| ranks,
            |_| {
                let command = match side {
                    Side::Min => "ZPOPMIN",
                    Side::Max => "ZPOPMAX",
                };
                (command, vec![count.to_string().into()])
            },
        );
        popped
    }
}

/// The outcome of an edit of a sorted set.
fn outcome(set: &ZSet, changed: bool) -> Outcome {
    if set.is_empty() { Outcome::Emptied } else { Outcome::changed(changed) }
}

impl Added {
    #[inline]
    fn add(
        &mut self,
        set: &mut ZSet,
        &(score, member): &Pair<'_>,
        options: SortedSetAddOptions,
        policy: &EncodingPolicy<'_>,
    ) -> Result<()> {
        let mut chosen = None;
        let change = member.with_bytes(|bytes| {
            set.update_with_hasher(bytes, &policy.zset_limits(), policy.hasher, |old| {
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

fn words(pairs: &[Pair<'_>], options: SortedSetAddOptions) -> Vec<Bytes> {
    let mut words: Vec<Bytes> = options.words().collect();
    for (score, member) in pairs {
        words.extend([score_word(*score), member.to_bytes()]);
    }
    words
}

/// The error of a command whose member a sorted set refuses.
#[cold]
pub(crate) fn refusal(refused: Refused) -> Error {
    match refused {
        Refused::NotANumber => Error::not_a_number(),
        Refused::Full | _ => Error::new(ErrorKind::InvalidArgument, format!("ERR {refused}")),
    }
}
