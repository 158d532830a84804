//! Merging one database of two stores.

use std::collections::BTreeSet;

use bloom::BloomFilter;
use bytes::Bytes;
use hll::{Hll, Union};
use store::{Error, ExpireOption, RestoreOptions, SetExpiry, SetOptions, Store};

use super::conflict::Conflict;
use super::rule::{MergeRule, Merged};
use super::split::{self, Splits};
use super::{Merge, bits, expiry, set_later_expiry};
use crate::bucket::Bucket;
use crate::visitors::Visitors;

const DIFFER: &str = "the values differ";

/// One database of two stores.
#[derive(Debug)]
pub(super) struct Pair<'m> {
    pub(super) merge: &'m Merge,
    pub(super) number: u32,
    pub(super) into: Store,
    pub(super) from: Store,
}

/// The action for a key.
#[derive(Clone, Copy, Debug)]
enum Step {
    Take,
    Equal,
    Replace,
    Set,
    Sketch,
    Scores(MergeRule),
    Filter,
    Locations { width: usize },
    Bitmap,
    Counter,
    Hash,
}

impl Step {
    /// Returns the figure in which the action is counted.
    const fn figure(self, merged: &mut Merged) -> &mut u64 {
        match self {
            Self::Take => &mut merged.taken,
            Self::Equal => &mut merged.equal,
            Self::Replace => &mut merged.replaced,
            Self::Set => &mut merged.sets,
            Self::Sketch => &mut merged.sketches,
            Self::Scores(_) => &mut merged.sorted_sets,
            Self::Filter => &mut merged.filters,
            Self::Locations { .. } => &mut merged.locations,
            Self::Bitmap => &mut merged.bitmaps,
            Self::Counter => &mut merged.counters,
            Self::Hash => &mut merged.hashes,
        }
    }
}

/// The actions for all keys.
#[derive(Debug)]
pub(super) struct Plan {
    buckets: Vec<Bucket>,
    splits: Splits,
    keys: Vec<(Bytes, Step)>,
}

/// A step, or the reason of a conflict.
type Chosen = Result<Result<Step, String>, Error>;

impl Pair<'_> {
    /// Chooses the action for each key; keys that cannot be merged are added to the conflicts.
    pub(super) fn plan(&self, conflicts: &mut Vec<Conflict>) -> Result<Plan, Error> {
        let mut names = self.from.keys("*")?;
        names.sort_unstable();

        let buckets = self.buckets(&names, conflicts);
        let in_bucket = |key: &[u8]| {
            Visitors::bucket_of(key).is_some_and(|it| buckets.binary_search(&it).is_ok())
        };
        names.retain(|key| !in_bucket(key));

        let mut splits = split::find(&names, &self.into, &self.from)?;
        splits.retain(|name, _| !in_bucket(name));
        names.retain(|key| !split::has(&splits, key));
        for (name, [earlier, later]) in &splits {
            if earlier != later {
                let why = format!("the numbers of shards differ: {earlier} and {later}");
                conflicts.push(self.conflict(name, "set that splits", why));
            }
        }

        let mut keys = Vec::new();
        for key in names {
            let Some(later) = self.from.key_type(&key)? else { continue };
            let Some(earlier) = self.into.key_type(&key)? else {
                keys.push((key, Step::Take));
                continue;
            };
            let chosen = if earlier == later {
                self.step(&key, &later)?
            } else {
                Err("the types differ".to_owned())
            };
            match chosen {
                Ok(step) => keys.push((key, step)),
                Err(_) if self.merge.later => keys.push((key, Step::Replace)),
                Err(why) if earlier == later => conflicts.push(self.conflict(&key, &later, why)),
                Err(why) => {
                    let both = format!("{earlier} and {later}");
                    conflicts.push(self.conflict(&key, &both, why));
                }
            }
        }
        Ok(Plan { buckets, splits, keys })
    }

    /// Returns the buckets of visitors that both have, in order, including those that cannot be merged, which are added
    /// to the conflicts.
    fn buckets(&self, names: &[Bytes], conflicts: &mut Vec<Conflict>) -> Vec<Bucket> {
        let [earlier, later] = self.visitors();
        let found: BTreeSet<Bucket> =
            names.iter().filter_map(|key| Visitors::bucket_of(key)).collect();
        let check = |bucket| {
            let both = later.has(bucket)? && earlier.has(bucket)?;
            if both {
                earlier.check_absorb(&later, bucket)?;
            }
            Ok::<_, Error>(both)
        };
        let is_of_both = |&bucket: &Bucket| -> bool {
            check(bucket).unwrap_or_else(|error| {
                let key = format!("unique:{bucket}");
                conflicts.push(self.conflict(key.as_bytes(), "visitors", error.to_string()));
                true
            })
        };
        found.into_iter().filter(is_of_both).collect()
    }

    fn conflict(&self, key: &[u8], kind: &str, why: String) -> Conflict {
        Conflict { db: self.number, key: key.into(), kind: kind.into(), why: why.into() }
    }

    fn visitors(&self) -> [Visitors; 2] {
        [&self.into, &self.from].map(|store| Visitors::new(store.clone()))
    }

    /// Chooses the action for two values of one type.
    fn step(&self, key: &Bytes, kind: &str) -> Chosen {
        let Self { into, from, .. } = self;
        match kind {
            "string" => self.string_step(key),
            "set" => Ok(Ok(Step::Set)),
            "zset" => self.scores_step(key),
            "hash" => self.hash_step(key),
            "list" => Ok(if into.lrange(key, 0, -1)? == from.lrange(key, 0, -1)? {
                Ok(Step::Equal)
            } else {
                Err(DIFFER.to_owned())
            }),
            _ => match (filter(into, key), filter(from, key)) {
                (Some(earlier), Some(later)) => Ok(earlier
                    .check_merge(&later)
                    .map(|()| Step::Filter)
                    .map_err(|why| why.to_string())),
                _ if into.dump(key)? == from.dump(key)? => Ok(Ok(Step::Equal)),
                _ => Ok(Err(DIFFER.to_owned())),
            },
        }
    }

    fn string_step(&self, key: &Bytes) -> Chosen {
        let Self { into, from, merge, .. } = self;
        if let Some(width) = merge.width_of(key) {
            return Ok(Ok(Step::Locations { width }));
        }
        if is_cohort(key) {
            return Ok(Ok(Step::Bitmap));
        }
        let earlier = into.get(key)?.unwrap_or_default();
        let later = from.get(key)?.unwrap_or_default();
        if is_sketch(&earlier) && is_sketch(&later) {
            return Ok(Ok(Step::Sketch));
        }
        if let (Ok(Some(earlier)), Ok(Some(later))) = (into.get_int(key), from.get_int(key)) {
            let result = merge.counters.of_ints(earlier, later).map(|_| Step::Counter);
            return Ok(result.ok_or_else(|| "the sum is out of range".to_owned()));
        }
        Ok(if earlier == later { Ok(Step::Equal) } else { Err(DIFFER.to_owned()) })
    }

    fn scores_step(&self, key: &Bytes) -> Chosen {
        let rule = if self.merge.is_largest(key) { MergeRule::Max } else { self.merge.scores };
        for (member, later) in self.from.zrange_withscores(key, 0, -1)? {
            if let Some(earlier) = self.into.zscore(key, &member)?
                && rule.of_scores(earlier, later).is_none()
            {
                let member = member.escape_ascii();
                return Ok(Err(format!("the sum of the scores of '{member}' is not a number")));
            }
        }
        Ok(Ok(Step::Scores(rule)))
    }

    fn hash_step(&self, key: &Bytes) -> Chosen {
        if !self.merge.later {
            for (field, later) in self.from.hgetall(key)? {
                if self.into.hget(key, &field)?.is_some_and(|earlier| earlier != later) {
                    return Ok(Err(format!(
                        "the values of field '{}' differ",
                        field.escape_ascii()
                    )));
                }
            }
        }
        Ok(Ok(Step::Hash))
    }

    /// Applies the plan.
    pub(super) fn apply(&self, plan: Plan, merged: &mut Merged) -> Result<(), Error> {
        let [earlier, later] = self.visitors();
        for bucket in plan.buckets {
            earlier.absorb(&later, bucket)?;
            merged.buckets += 1;
        }
        for (name, [shards, _]) in plan.splits {
            split::merge(&self.into, &self.from, &name, shards)?;
            merged.sets += 1;
        }
        for (key, step) in plan.keys {
            *step.figure(merged) += 1;
            self.apply_to(&key, step)?;
        }
        Ok(())
    }

    fn apply_to(&self, key: &Bytes, step: Step) -> Result<(), Error> {
        let Self { into, from, merge, .. } = self;
        let (earlier, later) = (expiry(into, key)?, expiry(from, key)?);
        match step {
            Step::Take | Step::Replace => return self.copy(key, later),
            Step::Equal => {}
            Step::Set => {
                into.sadd(key, from.smembers(key)?)?;
            }
            Step::Scores(rule) => {
                let scores = from.zrange_withscores(key, 0, -1)?;
                into.with_zset(key, |set| {
                    for (member, later) in &scores {
                        let score = set
                            .score(member)
                            .map_or(Some(*later), |earlier| rule.of_scores(earlier, *later));
                        if let Some(score) = score {
                            set.add(member, score)?;
                        }
                    }
                    Ok(())
                })?;
            }
            Step::Filter => {
                if let Some(later) = filter(from, key) {
                    into.with_bloom(key, |filter| filter.merge(&later))?;
                }
            }
            Step::Counter => {
                let numbers = into.get_int(key)?.zip(from.get_int(key)?);
                if let Some(number) = numbers.and_then(|(a, b)| merge.counters.of_ints(a, b)) {
                    self.set(key, number.to_string().as_bytes())?;
                }
            }
            Step::Sketch => self.change(key, |earlier, later| {
                let mut union = Union::new();
                let max = into.limits().hll_sparse_max_bytes;
                // Both were validated.
                let union = Hll::new(later)
                    .and_then(|later| union.merge(&later))
                    .and_then(|()| union.merge_into(earlier, max));
                debug_assert!(union.is_ok());
            })?,
            Step::Locations { width } => {
                self.change(key, |earlier, later| bits::overlay(earlier, later, width))?;
            }
            Step::Bitmap => self.change(key, bits::unite)?,
            Step::Hash => {
                for (field, value) in from.hgetall(key)? {
                    let expires_at = self.field_expiry(key, &field)?;
                    into.hset(key, &field, value)?;
                    if let Some(at_ms) = expires_at {
                        into.hpexpire_at(key, at_ms, ExpireOption::Always, &field)?;
                    }
                }
            }
        }
        set_later_expiry(into, key, earlier, later)
    }

    /// Returns when a field of the later hash is to expire: at the later of the two times; never, if one of them has
    /// none.
    fn field_expiry(&self, key: &Bytes, field: &Bytes) -> Result<Option<i64>, Error> {
        let millis = |store: &Store| {
            let times = store.hexpire_time(key, field)?;
            Ok(times.first().map_or(-2, |time| time.millis()))
        };
        let (earlier, later) = (millis(&self.into)?, millis(&self.from)?);
        Ok(match earlier {
            -2 => Some(later),
            -1 => None,
            earlier => (later >= 0).then(|| earlier.max(later)),
        }
        .filter(|&at_ms| at_ms >= 0))
    }

    /// Changes the bytes of a string, given those of the later store.
    fn change(&self, key: &Bytes, change: impl FnOnce(&mut Vec<u8>, &[u8])) -> Result<(), Error> {
        let mut earlier = self.into.get(key)?.map(Vec::from).unwrap_or_default();
        let later = self.from.get(key)?.unwrap_or_default();
        change(&mut earlier, &later);
        self.set(key, &earlier)
    }

    fn set(&self, key: &Bytes, value: &[u8]) -> Result<(), Error> {
        let options = SetOptions::default().with_expiration(SetExpiry::KEEPTTL);
        self.into.set_options(key, value, options).map(drop)
    }

    /// Copies a key, replacing any value.
    fn copy(&self, key: &Bytes, expires_at: Option<i64>) -> Result<(), Error> {
        let Some(payload) = self.from.dump(key)? else { return Ok(()) };
        let expires_at = expires_at.map_or(0, |at| u64::try_from(at).unwrap_or(0).max(1));
        let options = RestoreOptions::default().expire_at_ms(expires_at);
        self.into.restore(key, payload, options.replace(true).any_version(true))
    }
}

impl Merge {
    /// Returns the number of bytes per user of the string at a key, if it has locations.
    fn width_of(&self, key: &[u8]) -> Option<usize> {
        self.places.iter().find_map(|places| {
            let number = key.strip_prefix(&*places.prefix)?.strip_prefix(b":")?;
            let digits = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
            digits.then_some(places.width)
        })
    }

    /// Returns whether a key is that of the largest user id of locations.
    fn is_largest(&self, key: &[u8]) -> bool {
        self.places.iter().any(|places| key.strip_prefix(&*places.prefix) == Some(b":max"))
    }
}

/// Returns the Bloom filter at a key.
fn filter(store: &Store, key: &Bytes) -> Option<BloomFilter> {
    store.with_bloom(key, |entry| Ok(entry.filter().cloned())).ok().flatten()
}

fn is_sketch(bytes: &[u8]) -> bool {
    Hll::new(bytes).is_ok_and(|hll| hll.validate().is_ok())
}

#[cfg(feature = "calendar")]
fn is_cohort(key: &[u8]) -> bool {
    crate::cohorts::is_key(key)
}

#[cfg(not(feature = "calendar"))]
const fn is_cohort(_: &[u8]) -> bool {
    false
}
