//! Adding up what several stores counted.

mod bits;
mod conflict;
mod database;
mod rule;
mod split;

use std::time::UNIX_EPOCH;

use store::{Error, ExpireTime, Store};

pub use conflict::{Conflict, MergeError};
pub use rule::{MergeRule, Merged};

/// Where locations are, and how many bytes a user has there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Places {
    prefix: Vec<u8>,
    width: usize,
}

/// Adds up what several stores counted: what processes, machines or days counted each for itself.
///
/// # Rules
///
/// A key of one store alone is taken as it is, with its expiry. Of a key of both:
///
/// | what it is | what becomes of it |
/// |---|---|
/// | a bucket of [`Visitors`](crate::Visitors), with all its keys | the visitors of both, in the form and the shards that the earlier has; a count is that of the visitors |
/// | a set that [splits](crate::ShardedSet::splitting), with all its keys | shard by shard, if both have as many shards |
/// | a HyperLogLog, so all of [`UvWindows`](crate::UvWindows) | the union, as PFMERGE makes it |
/// | locations ([`locations`](Self::locations)) | the later user's bytes, where any of them is set; the largest id |
/// | a bitmap of [`Cohorts`](crate::Cohorts), of their default prefix | the bits of both |
/// | a set | the members of both |
/// | a sorted set | the members of both; of a member of both, the score by [`scores`](Self::scores) |
/// | a Bloom filter | the items of both, if both were made with the same settings |
/// | a hash | the fields of both, if those of both are equal; each expires at the later of its times, or never |
/// | an integer | by [`counters`](Self::counters) |
/// | anything else | equal, or a conflict |
///
/// The expiry is the later of the two, and none if one has none. Where the rule finds no way, or the two are of
/// different types, the key is a [`Conflict`]: nothing is changed then, and each of them is named; with
/// [`prefer_later`](Self::prefer_later) the later value or field takes the place of the earlier.
///
/// # What is not known
///
/// A value does not say what it is for. A string of digits is a counter, even if it is a time or a setting; sharded
/// sets and hashes of a fixed number of shards are to have the same number in both; and limits
/// ([`SlidingWindow`](crate::SlidingWindow), [`Funnel`](crate::Funnel)) of two stores have no sum.
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
    /// Counters are summed, of two scores the higher stays, and locations are those of
    /// [`Locations`](crate::Locations) by default: two bytes a user at `location`.
    pub fn new() -> Self {
        Self {
            counters: MergeRule::Sum,
            scores: MergeRule::Max,
            later: false,
            places: vec![Places { prefix: b"location".to_vec(), width: 2 }],
        }
    }

    /// What becomes of two integers at a key. Default: [`MergeRule::Sum`].
    pub const fn counters(mut self, rule: MergeRule) -> Self {
        self.counters = rule;
        self
    }

    /// What becomes of two scores of a member. Default: [`MergeRule::Max`].
    pub const fn scores(mut self, rule: MergeRule) -> Self {
        self.scores = rule;
        self
    }

    /// Whether the later value, or the later field of a hash, takes the place of the earlier where the two cannot be
    /// merged. Default: no.
    pub const fn prefer_later(mut self, later: bool) -> Self {
        self.later = later;
        self
    }

    /// Says that the keys `PREFIX:0`, `PREFIX:1` and so on are [`Locations`](crate::Locations) of so many bytes a user,
    /// at least one: 1 of countries, 2 of regions, 3 of cities.
    pub fn locations(mut self, prefix: impl AsRef<[u8]>, bytes: usize) -> Self {
        let places = Places { prefix: prefix.as_ref().to_vec(), width: bytes.max(1) };
        self.places.retain(|other| other.prefix != places.prefix);
        self.places.push(places);
        self
    }

    /// Adds all that `from`, the later store, holds to `into`, in every database. O(what `from` holds, and the values
    /// that both have).
    ///
    /// All keys are looked at before any is changed. The two must not be the same store, and neither may be written to
    /// meanwhile: each key is a step of its own.
    ///
    /// # Errors
    ///
    /// [`MergeError::Conflicts`] names each key that cannot be merged; then `into` is as it was.
    /// [`MergeError::Store`] if the store refuses a change, for want of room as its limits have it: then the keys
    /// before have been merged.
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

/// When a key expires, in milliseconds since the epoch.
pub(crate) fn expiry(store: &Store, key: &[u8]) -> Result<Option<i64>, Error> {
    Ok(match store.expire_time(key)? {
        ExpireTime::NoKey | ExpireTime::Never => None,
        ExpireTime::At(time) => {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            Some(i64::try_from(since).unwrap_or(i64::MAX))
        }
    })
}

/// Lets a key expire at the later of two times; without one of them, never.
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
