//! Merging of stores.

mod bits;
mod conflict;
mod database;
mod rule;
mod split;

use std::time::UNIX_EPOCH;

use store::{Error, ExpireTime, Store};

pub use conflict::{Conflict, MergeError};
pub use rule::{MergeRule, Merged};

/// A prefix of locations, and the number of bytes per user.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    prefix: Vec<u8>,
    width: usize,
}

/// Merges one store into another, to add up what several processes, machines or days have counted.
///
/// # Rules
///
/// A key that only one store has is kept or copied, with its expiry. For a key that both have:
///
/// | value | result |
/// |---|---|
/// | a bucket of [`Visitors`](crate::Visitors), with all its keys | the visitors of both, in the form and the shards of the earlier store; the count is their number |
/// | a set that [splits](crate::ShardedSet::splitting), with all its keys | shard by shard, if both have the same number of shards |
/// | a HyperLogLog, including those of [`UvWindows`](crate::UvWindows) | the union, as PFMERGE computes it |
/// | locations ([`locations`](Self::locations)) | the later user's bytes, if any of them is set; the largest id |
/// | a bitmap of [`Cohorts`](crate::Cohorts), with their default prefix | the bits of both |
/// | a set | the members of both |
/// | a sorted set | the members of both; for a member of both, the score by [`scores`](Self::scores) |
/// | a Bloom filter | the items of both, if both have the same settings |
/// | a hash | the fields of both, if fields of both are equal; each expires at the later of its times, or never |
/// | an integer | by [`counters`](Self::counters) |
/// | any other | unchanged if equal, otherwise a conflict |
///
/// The expiry is the later of the two, and none if one has none. If there is no rule for the values, or their types
/// differ, the key is a [`Conflict`]: then nothing is changed, and the error lists all of them; with
/// [`prefer_later`](Self::prefer_later) the later value or field replaces the earlier.
///
/// # Limits
///
/// The purpose of a value is not stored. A string of digits is merged as a counter, even if it is a time or a setting;
/// sharded sets and hashes with a fixed number of shards must have the same number in both; and limits
/// ([`SlidingWindow`](crate::SlidingWindow), [`Funnel`](crate::Funnel)) of two stores cannot be merged.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Bucket, Merge, MergeError, Store, Visitors};
///
/// let [monday, tuesday] = [1..=600, 400..=1000].map(|users| {
///     let store = Store::new();
///     let visitors = Visitors::new(store.clone());
///     users.for_each(|user| drop(visitors.count_id(user, Bucket::All)));
///     store
/// });
/// monday.set("hits", 800)?;
/// tuesday.set("hits", 700)?;
/// let merged = Merge::new().add(&monday, &tuesday)?;
/// assert_eq!((merged.buckets, merged.counters), (1, 1));
/// assert_eq!(Visitors::new(monday.clone()).count(Bucket::All)?, 1000);
/// assert_eq!(monday.get_int("hits")?, Some(1500));
///
/// monday.set("hits", "none")?;
/// let Err(MergeError::Conflicts(conflicts)) = Merge::new().add(&monday, &tuesday) else { panic!() };
/// assert_eq!(conflicts[0].to_string(), "key 'hits' (string): the values differ");
/// # Ok::<(), MergeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Merge {
    counters: MergeRule,
    scores: MergeRule,
    later: bool,
    places: Vec<Places>,
}

impl Default for Merge {
    fn default() -> Self {
        Self::new()
    }
}

impl Merge {
    /// Creates a merge that sums counters, keeps the higher of two scores, and expects [`Locations`](crate::Locations)
    /// with the default prefix and precision: two bytes per user at `location`.
    pub fn new() -> Self {
        Self {
            counters: MergeRule::Sum,
            scores: MergeRule::Max,
            later: false,
            places: vec![Places { prefix: b"location".to_vec(), width: 2 }],
        }
    }

    /// Sets the rule for two integers at a key. Default: [`MergeRule::Sum`].
    pub const fn counters(mut self, rule: MergeRule) -> Self {
        self.counters = rule;
        self
    }

    /// Sets the rule for two scores of a member. Default: [`MergeRule::Max`].
    pub const fn scores(mut self, rule: MergeRule) -> Self {
        self.scores = rule;
        self
    }

    /// Sets whether the later value, or the later field of a hash, replaces the earlier if the two cannot be merged.
    /// Default: no.
    pub const fn prefer_later(mut self, later: bool) -> Self {
        self.later = later;
        self
    }

    /// Declares that the keys `PREFIX:0`, `PREFIX:1` and so on are [`Locations`](crate::Locations) with this number of
    /// bytes per user, at least one: 1 for countries, 2 for regions, 3 for cities.
    pub fn locations(mut self, prefix: impl AsRef<[u8]>, bytes: usize) -> Self {
        let places = Places { prefix: prefix.as_ref().to_vec(), width: bytes.max(1) };
        self.places.retain(|other| other.prefix != places.prefix);
        self.places.push(places);
        self
    }

    /// Merges all of `from`, the later store, into `into`, in every database. O(size of `from`, and of the values that
    /// both have).
    ///
    /// All keys are checked before any is changed. The two must not be the same store, and neither may be written to
    /// meanwhile, because each key is a separate step.
    ///
    /// # Errors
    ///
    /// [`MergeError::Conflicts`] lists each key that cannot be merged; then `into` is unchanged. [`MergeError::Store`]
    /// if the store refuses a change, for example because of a limit; then the keys before have been merged.
    pub fn add(&self, into: &Store, from: &Store) -> Result<Merged, MergeError> {
        let databases = from.databases()?;
        let mut conflicts = Vec::new();
        let mut plans = Vec::new();
        for number in databases.iter().map(|db| db.number) {
            let pair = database::Pair {
                merge: self,
                number,
                into: into.db(number),
                from: from.db(number),
            };
            let plan = pair.plan(&mut conflicts)?;
            plans.push((pair, plan));
        }
        if !conflicts.is_empty() {
            return Err(MergeError::Conflicts(conflicts));
        }
        let mut merged = Merged::default();
        for (pair, plan) in plans {
            pair.apply(plan, &mut merged)?;
        }
        Ok(merged)
    }
}

impl From<Error> for MergeError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// Returns when a key expires, in milliseconds since the epoch.
pub(crate) fn expiry(store: &Store, key: &[u8]) -> Result<Option<i64>, Error> {
    Ok(match store.expire_time(key)? {
        ExpireTime::NoKey | ExpireTime::Never => None,
        ExpireTime::At(time) => {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            Some(i64::try_from(since).unwrap_or(i64::MAX))
        }
    })
}

/// Sets the expiry of a key to the later of two times; without one of them, removes it.
pub(crate) fn set_later_expiry(
    store: &Store,
    key: &[u8],
    earlier: Option<i64>,
    later: Option<i64>,
) -> Result<(), Error> {
    match earlier.zip(later) {
        Some((earlier, later)) => store.pexpire_at(key, earlier.max(later)),
        None => store.persist(key),
    }
    .map(drop)
}
