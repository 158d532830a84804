//! ZUNION, ZINTER, ZDIFF, their STORE forms, and ZINTERCARD.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use bytes::Bytes;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Place;
use smallvec::SmallVec;

use super::put::{put, score_word};
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::{OneAndMany, ToKeys};
use crate::value::{ScoreIndex, SetIndex, SetRef, Value, ZSet};

/// How the scores of a member that is in several sets are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Aggregate {
    /// The sum; the sum of opposite infinities is 0.
    #[default]
    Sum,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
}

/// A combination of several sorted sets.
#[derive(Clone, Debug)]
pub(crate) struct Combination<'w> {
    pub(crate) operation: Operation,
    /// The factors for the scores of each set; 1 for all if there are none.
    pub(crate) weights: &'w [f64],
    pub(crate) aggregate: Aggregate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Union,
    Inter,
    Diff,
}

/// Commands that combine several sorted sets. Sets count as sorted sets whose scores are all 1.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Aggregate, Store};
///
/// let store = Store::new();
/// store.zadd_multiple("week1", [(10.0, "ann"), (7.0, "bob")])?;
/// store.zadd_multiple("week2", [(5.0, "ann"), (9.0, "cleo")])?;
/// assert_eq!(store.zunionstore("best", ["week1", "week2"], &[], Aggregate::Max)?, 3);
/// assert_eq!(store.zrevrange_withscores("best", 0, 0)?, [("ann".into(), 10.0)]);
/// assert_eq!(store.zinter(["week1", "week2"], &[2.0, 1.0], Aggregate::Sum)?, [("ann".into(), 25.0)]);
/// assert_eq!(store.zdiff(["week1", "week2"])?, [("bob".into(), 7.0)]);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    /// ZUNION: returns the members that any of the sets has, lowest score first. `weights` has one for each key, or is
    /// empty. O(n log n) for n members of all sets.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds neither a sorted set nor a set;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the number of weights is not the number of keys;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if a weight is NaN.
    pub fn zunion(
        &self,
        keys: impl ToKeys,
        weights: &[f64],
        aggregate: Aggregate,
    ) -> Result<Vec<(Bytes, f64)>> {
        let made = Combination { operation: Operation::Union, weights, aggregate };
        made.read(self, keys)
    }

    /// ZINTER: returns the members that all of the sets have, lowest score first. O(n s + k log k) for n members in the
    /// smallest of s sets and k in the result.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zinter(
        &self,
        keys: impl ToKeys,
        weights: &[f64],
        aggregate: Aggregate,
    ) -> Result<Vec<(Bytes, f64)>> {
        let made = Combination { operation: Operation::Inter, weights, aggregate };
        made.read(self, keys)
    }

    /// ZDIFF: returns the members of the first set that none of the others has, lowest score first. O(n s) for n
    /// members in the first of s sets.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zdiff(&self, keys: impl ToKeys) -> Result<Vec<(Bytes, f64)>> {
        Combination::DIFF.read(self, keys)
    }

    /// ZUNIONSTORE: stores the result of [`zunion`](Self::zunion) at `destination`, replacing a value of any type;
    /// returns its number of members. An empty result removes the key.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zunionstore(
        &self,
        destination: impl ToKey,
        keys: impl ToKeys,
        weights: &[f64],
        aggregate: Aggregate,
    ) -> Result<usize> {
        let made = Combination { operation: Operation::Union, weights, aggregate };
        made.store(self, destination, keys)
    }

    /// ZINTERSTORE: stores the result of [`zinter`](Self::zinter) at `destination`, replacing a value of any type;
    /// returns its number of members. An empty result removes the key.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zinterstore(
        &self,
        destination: impl ToKey,
        keys: impl ToKeys,
        weights: &[f64],
        aggregate: Aggregate,
    ) -> Result<usize> {
        let made = Combination { operation: Operation::Inter, weights, aggregate };
        made.store(self, destination, keys)
    }

    /// ZDIFFSTORE: stores the result of [`zdiff`](Self::zdiff) at `destination`, replacing a value of any type; returns
    /// its number of members. An empty result removes the key.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zdiffstore(&self, destination: impl ToKey, keys: impl ToKeys) -> Result<usize> {
        Combination::DIFF.store(self, destination, keys)
    }

    /// ZINTERCARD: returns the number of members that all of the sets have; stops at `limit` if that is not 0. O(n s)
    /// for n members in the smallest of s sets.
    ///
    /// # Errors
    ///
    /// As [`zunion`](Self::zunion).
    pub fn zintercard(&self, keys: impl ToKeys, limit: usize) -> Result<usize> {
        self.read(keys, |view, keys| {
            let mut count = 0;
            let _ = common(&sources(view, keys, &[])?, Aggregate::Sum, &view.policy(), |_, _| {
                count += 1;
                if count == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            Ok(count)
        })
    }
}

/// Members with scores, before they are stored as a set.
type Entries = Vec<(SmallVec<[u8; 24]>, f64)>;

impl Combination<'_> {
    pub(crate) const DIFF: Combination<'static> =
        Combination { operation: Operation::Diff, weights: &[], aggregate: Aggregate::Sum };

    /// Checks the weights.
    fn check(&self, keys: usize) -> Result<()> {
        if self.weights.iter().any(|weight| weight.is_nan()) {
            return Err(Error::not_a_number());
        }
        if self.weights.is_empty() || self.weights.len() == keys {
            return Ok(());
        }
        Err(Error::syntax())
    }

    /// The result, lowest score first.
    pub(super) fn read(
        &self,
        store: &Store<impl Locks>,
        keys: impl ToKeys,
    ) -> Result<Vec<(Bytes, f64)>> {
        let mut entries = store.read(keys, |view, keys| {
            self.check(keys.len())?;
            self.entries(view, keys)
        })?;
        entries.sort_unstable_by(|(a, low), (b, high)| {
            low.partial_cmp(high).unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.cmp(b))
        });
        Ok(entries.into_iter().map(|(member, score)| (member.into_vec().into(), score)).collect())
    }

    /// Stores the result at a key.
    pub(super) fn store(
        &self,
        store: &Store<impl Locks>,
        destination: impl ToKey,
        sources: impl ToKeys,
    ) -> Result<usize> {
        store.write(OneAndMany(destination, sources), |scope, keys| {
            let (destination, sources) = (keys[0], &keys[1..]);
            self.check(sources.len())?;
            // Accessed through the store, so that sinks receive the drop of an expired source too.
            for &key in sources {
                scope.drop_expired(key);
            }
            let entries = self.entries(scope, sources)?;
            put(scope, destination, entries, || self.words(destination, sources))
        })
    }

    fn entries(&self, view: &View<'_>, keys: &[HashedKey<'_>]) -> Result<Entries> {
        let policy = view.policy();
        let sources = sources(view, keys, self.weights)?;
        let mut entries = Entries::new();
        match self.operation {
            Operation::Union => entries = united(sources, self.aggregate, &policy),
            Operation::Inter => {
                let _: ControlFlow<()> =
                    common(&sources, self.aggregate, &policy, |member, score| {
                        entries.push((owned(member), score));
                        ControlFlow::Continue(())
                    });
            }
            Operation::Diff => {
                let Some((first, others)) = sources.split_first() else { return Ok(entries) };
                if others.iter().any(|other| other.scores.is(first.scores)) {
                    return Ok(entries);
                }
                let mut others: SmallVec<[_; 4]> =
                    others.iter().map(|other| other.scores).collect();
                // The largest first, since it is the most likely to have a member.
                others.sort_by_key(|other| Reverse(other.len()));
                let count = first.scores.len();
                let others: SmallVec<[_; 4]> =
                    others.into_iter().map(|other| other.index(count)).collect();
                let _: ControlFlow<()> = first.scores.try_for_each(|member, score| {
                    if !others.iter().any(|other| other.score(member, &policy).is_some()) {
                        entries.push((owned(member), score));
                    }
                    ControlFlow::Continue(())
                });
            }
        }
        Ok(entries)
    }

    /// The words of the command.
    fn words(&self, destination: HashedKey<'_>, sources: &[HashedKey<'_>]) -> Vec<Bytes> {
        let name = match self.operation {
            Operation::Union => "ZUNIONSTORE",
            Operation::Inter => "ZINTERSTORE",
            Operation::Diff => "ZDIFFSTORE",
        };
        let mut words = vec![Bytes::from_static(name.as_bytes())];
        words.push(Bytes::copy_from_slice(destination.bytes));
        words.push(sources.len().to_string().into());
        words.extend(sources.iter().map(|key| Bytes::copy_from_slice(key.bytes)));
        if !self.weights.is_empty() {
            words.push(Bytes::from_static(b"WEIGHTS"));
            words.extend(self.weights.iter().map(|&weight| score_word(weight)));
        }
        let aggregate = match self.aggregate {
            Aggregate::Sum => return words,
            Aggregate::Min => "MIN",
            Aggregate::Max => "MAX",
        };
        words.extend(["AGGREGATE", aggregate].map(|word| Bytes::from_static(word.as_bytes())));
        words
    }
}

/// Returns an error if one of the keys holds neither a sorted set nor a set. Redis checks this before the options.
pub(crate) fn check_sources(store: &Store<impl Locks>, keys: impl ToKeys) -> Result<()> {
    store.read(keys, |view, keys| sources(view, keys, &[]).map(|_| ()))
}

/// A sorted set, or a set whose members all have score 1.
#[derive(Clone, Copy, Debug)]
enum Scores<'v> {
    None,
    Set(SetRef<'v>),
    ZSet(&'v ZSet),
}

/// The scores of one key, and their factor.
#[derive(Clone, Copy, Debug)]
struct Source<'v> {
    scores: Scores<'v>,
    weight: f64,
}

/// The values of the keys. All types are checked before anything is done.
fn sources<'v>(
    view: &'v View<'_>,
    keys: &[HashedKey<'_>],
    weights: &[f64],
) -> Result<SmallVec<[Source<'v>; 4]>> {
    view.prefetch(keys);
    let weights = weights.iter().copied().chain(std::iter::repeat(1.0));
    let source = |(&key, weight)| {
        let scores = match view.get(key) {
            None => Scores::None,
            Some(Value::ZSet(set)) => Scores::ZSet(set),
            Some(value) => Scores::Set(value.as_set().ok_or_else(Error::wrong_type)?),
        };
        Ok(Source { scores, weight })
    };
    keys.iter().zip(weights).map(source).collect()
}

impl<'v> Scores<'v> {
    fn len(self) -> usize {
        match self {
            Self::None => 0,
            Self::Set(set) => set.len(),
            Self::ZSet(set) => set.len(),
        }
    }

    /// Prepares about `count` look-ups.
    fn index(self, count: usize) -> Index<'v> {
        match self {
            Self::None => Index::None,
            Self::Set(set) => Index::Set(set.index(count)),
            Self::ZSet(set) => Index::ZSet(ScoreIndex::new(set, count)),
        }
    }

    fn try_for_each<B>(
        self,
        mut visit: impl FnMut(Member<'v>, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::None => ControlFlow::Continue(()),
            Self::Set(set) => set.try_for_each(|member| visit(member, 1.0)),
            Self::ZSet(set) => {
                set.iter().try_for_each(|(member, score)| visit(member.into(), score))
            }
        }
    }

    /// Returns whether both are the same value.
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::ZSet(a), Self::ZSet(b)) => std::ptr::eq(a, b),
            (Self::Set(a), Self::Set(b)) => a.is(b),
            (Self::None | Self::Set(_) | Self::ZSet(_), _) => false,
        }
    }
}

/// The scores of a key, in which many members are looked up.
#[derive(Debug)]
enum Index<'v> {
    None,
    Set(SetIndex<'v>),
    ZSet(ScoreIndex<'v>),
}

impl Index<'_> {
    fn score(&self, member: Member<'_>, policy: &EncodingPolicy<'_>) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Set(set) => set.contains(member, None, policy).then_some(1.0),
            Self::ZSet(set) => set.score(member),
        }
    }
}

impl Source<'_> {
    /// A weighted score of this source. 0 times infinity is 0.
    fn first(self, score: f64) -> f64 {
        let product = self.weight * score;
        if product.is_nan() { 0.0 } else { product }
    }
}

impl Aggregate {
    /// Combines two scores.
    fn of(self, score: f64, other: f64) -> f64 {
        match self {
            Self::Sum => {
                let sum = score + other;
                if sum.is_nan() { 0.0 } else { sum }
            }
            // By comparison, so that NaN changes nothing.
            Self::Min if other < score => other,
            Self::Max if other > score => other,
            Self::Min | Self::Max => score,
        }
    }
}

/// Calls `visit` with the members that all sources have, and their scores.
fn common<B>(
    sources: &[Source<'_>],
    aggregate: Aggregate,
    policy: &EncodingPolicy<'_>,
    mut visit: impl FnMut(Member<'_>, f64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut sorted: SmallVec<[Source<'_>; 4]> = sources.iter().copied().collect();
    sorted.sort_by_key(|source| source.scores.len());
    let Some((smallest, others)) = sorted.split_first() else { return ControlFlow::Continue(()) };
    let count = smallest.scores.len();
    let others: SmallVec<[_; 4]> =
        others.iter().map(|other| (other.scores.index(count), other.weight)).collect();
    smallest.scores.try_for_each(|member, own| {
        let score = others.iter().try_fold(smallest.first(own), |score, (other, weight)| {
            Some(aggregate.of(score, other.score(member, policy)? * weight))
        });
        match score {
            Some(score) => visit(member, score),
            None => ControlFlow::Continue(()),
        }
    })
}

/// The members that any source has, with their scores, in no order.
fn united(
    mut sources: SmallVec<[Source<'_>; 4]>,
    aggregate: Aggregate,
    policy: &EncodingPolicy<'_>,
) -> Entries {
    // In Redis's order: sums of doubles depend on it.
    sources.sort_by_key(|source| source.scores.len());
    let largest = sources.last().map_or(0, |source| source.scores.len());
    let mut entries = Entries::with_capacity(largest);
    let mut places: HashTable<usize> = HashTable::with_capacity(largest);
    for source in sources {
        let _: ControlFlow<()> = source.scores.try_for_each(|member, score| {
            let score = source.first(score);
            member.with_bytes(|bytes| {
                let hash = |place: &usize| policy.hash(&entries[*place].0);
                let is = |place: &usize| *entries[*place].0 == *bytes;
                match places.entry(policy.hash(bytes), is, hash) {
                    Place::Occupied(place) => {
                        let held = &mut entries[*place.get()].1;
                        *held = aggregate.of(*held, score);
                    }
                    Place::Vacant(place) => {
                        place.insert(entries.len());
                        entries.push((SmallVec::from_slice(bytes), score));
                    }
                }
            });
            ControlFlow::Continue(())
        });
    }
    entries
}

fn owned(member: Member<'_>) -> SmallVec<[u8; 24]> {
    member.with_bytes(SmallVec::from_slice)
}
