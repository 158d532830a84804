//! Exact counts of unique visitors (Redis in Action, section 9.2.2).

mod absorb;
mod begin;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod config;
mod count;
mod form;
mod inspect;
mod keys;
mod looked_up;
mod plan;
mod procedures;
mod recent;
#[cfg(test)]
mod served;
mod steps;

use std::fmt;
use std::sync::Arc;

use store::Store;

use crate::session_id::SessionIds;
pub use form::VisitorsForm;
pub use looked_up::VisitorsIn;
pub(crate) use procedures::SCRIPTS;
use recent::Recent;

/// How many visits one step counts at most.
const BATCH: usize = 256;

/// Returns how many visitors to prepare for after a day of `yesterday`: `2 ^ ceil(log2(1.5 * yesterday))`, which is 1.5
/// times as many, rounded up to a power of two. 1 for 0. Exact for every count.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::forecast;
///
/// assert_eq!(forecast(1000), 2048);
/// assert_eq!(forecast(1_000_000), 2_097_152);
/// assert_eq!(forecast(0), 1);
/// ```
#[must_use]
pub fn forecast(yesterday: u64) -> u128 {
    (u128::from(yesterday) * 3).div_ceil(2).next_power_of_two()
}

/// Counts unique visitors exactly, as sets of integers: six to nine bytes per visitor.
///
/// There are two constructors. [`new`](Self::new) accepts any bytes as a visitor's id, hashes them to 60 bits, and
/// stores these in sets that are split as they fill, without a forecast. [`book`](Self::book) is exactly the algorithm
/// of Redis in Action: it stores the first 15 digits of a random session id, in a number of sets that is fixed by a
/// forecast; the book's Python and this type can work on the same keys. [`SessionIds`] gives the probability that two
/// visitors get the same number.
///
/// The keys of a bucket depend on its [form](VisitorsForm):
///
/// * forecast: `unique:2015-05-17`, the number of visitors; `unique:2015-05-17:expected`, the number expected, written
///   once (see [`forecast`]) from the count of the day before or from 1,000,000; and `unique:2015-05-17:<shard>`, the
///   visitors' numbers, in `2 * expected / 512` intsets;
/// * tagged: the same for a Redis Cluster. `unique:2015-05-17:{<shard>}` has the numbers of a shard, and
///   `unique:2015-05-17:{<shard>}:count`, in the same slot, how many there are. A visit writes only these two keys, and
///   the count is the sum of the shards' counters. `unique:2015-05-17:tagged` has the number of visitors expected;
/// * splitting: `unique:2015-05-17:shards`, the number of shards, written with the first visit; and
///   `unique:2015-05-17:<shard>` (see [`ShardedSet::splitting`](super::ShardedSet::splitting)). A visit is one SADD,
///   and the count is the sum of the shards' SCARD. No key is written by all visits, so threads rarely contend for a
///   lock;
/// * compact: the same, but the ids of a shard share their high bits (see
///   [`ShardedSet::compact`](super::ShardedSet::compact)); `unique:2015-05-17:bits` has the number of bits of an id,
///   written with the first visit;
/// * bitmap: `unique:2015-05-17`, the number of visitors, and `unique:2015-05-17:bitmap`, in which the bit of each
///   visitor's number is set.
///
/// A bucket keeps the form that its first visit gave it. The form of a handle applies to new buckets only.
///
/// A visit is one atomic step, with any number of concurrent callers; a visit that fails changes nothing. A handle and
/// its clones cache the forms and forecasts of the buckets that they used last: create a new handle after keys were
/// deleted.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::{Store, Visitors};
///
/// let visitors = Visitors::new(Store::new());
/// let today = date(2015, 5, 17);
/// assert!(visitors.count_visit("alice@example.org", today)?);
/// assert!(!visitors.count_visit("alice@example.org", today)?);
/// assert_eq!(visitors.count(today)?, 1);
///
/// let visitors = Visitors::book(Store::new());
/// assert!(visitors.count_visit("b9e9b9c8-2d2e-4f4b-9a2b-1f6f2d1f0a77", today)?);
/// assert!(visitors.count_visit("alice@example.org", today).is_err());
/// # Ok::<(), tallis::Error>(())
/// ```
///
/// # Asynchronous calls
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # On a server
///
/// [`on`](Self::on) accepts a `Server` too, with the features `redis` and `redis2`. The keys are the same, in the forms
/// forecast (the default there), tagged and bitmap. The other forms are refused with
/// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument), because splitting a shard takes several steps.
///
/// A visit is a script. Programs in other languages can run the same script; its first lines document its keys and
/// arguments. The key of a shard is [`shard_key`](crate::shard_key) of `x` and the id.
///
#[doc = concat!("```lua\n", include_str!("add_and_count.lua"), "```")]
///
/// The script of the form bitmap:
///
#[doc = concat!("```lua\n", include_str!("mark_and_count.lua"), "```")]
///
/// Many visits are one pipeline, sorted by shard, with one script for up to 256 of them; in the form tagged, for those
/// of one shard:
///
#[doc = concat!("```lua\n", include_str!("add_all_and_count.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("mark_all_and_count.lua"), "```")]
///
/// The first visit of a bucket sets its form:
///
#[doc = concat!("```lua\n", include_str!("begin.lua"), "```")]
///
/// These functions precede each script:
///
#[doc = concat!("```lua\n", include_str!("../kept.lua"), include_str!("../counted.lua"), "```")]
///
/// On a cluster all keys of a step must be in one slot. In the form tagged a visit is such a step. In the forms
/// forecast and bitmap the counter is in another slot: the id is added first, by SADD or SETBIT, or by the first of
/// these scripts if buckets expire; then the number of new ids is added to the counter. These are **two steps**: a
/// client that fails between them leaves visitors that are in the set and not in the count. The form of the bucket is
/// set by SETNX, or by the last of these scripts; handles that count into one bucket at the same time must have the
/// same form.
///
#[doc = concat!("```lua\n", include_str!("add.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("mark.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("set.lua"), "```")]
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether a visit was counted. Counting it again is safe,
/// because a visitor counts once, but it may then return `false` for a first visit.
#[derive(Clone)]
pub struct Visitors<B = Store> {
    backend: B,
    ids: SessionIds,
    form: VisitorsForm,
    default_yesterday: u64,
    /// How long a bucket is kept after its end, in milliseconds.
    kept_ms: Option<i64>,
    recent: Arc<Recent>,
}

impl<B: fmt::Debug> fmt::Debug for Visitors<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitors")
            .field("backend", &self.backend)
            .field("ids", &self.ids)
            .field("form", &self.form)
            .field("default_yesterday", &self.default_yesterday)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::Bucket;

    #[test]
    fn a_bucket_is_begun_once_whatever_happens_between_the_check_and_the_step() {
        for &first in VisitorsForm::ALL {
            for &second in VisitorsForm::ALL {
                let store = Store::new();
                let [first, second] =
                    [first, second].map(|form| Visitors::new(store.clone()).form(form));
                assert!(first.begin(Bucket::All, Some(1)).unwrap());
                assert!(!second.begin(Bucket::All, None).unwrap(), "{first:?} and {second:?}");
                assert!(second.count_id(1, Bucket::All).unwrap());
                assert!(!first.count_id(1, Bucket::All).unwrap());
            }
        }
    }

    #[cfg(feature = "calendar")]
    #[test]
    fn a_handle_remembers_a_few_buckets_and_counts_in_all() {
        let visitors = Visitors::new(Store::new()).default_yesterday(1);
        let days = || jiff::civil::date(2015, 1, 1).series(jiff::ToSpan::days(1)).take(100);
        for id in 0..3 {
            for day in days() {
                assert!(visitors.count_id(id, day).unwrap());
            }
        }
        // Each day has another count than its neighbours, cached or not.
        for (more, day) in (0..7).cycle().zip(days()) {
            assert_eq!(visitors.count_ids(100..100 + more, day).unwrap(), more.unsigned_abs());
        }
        assert_eq!(visitors.recent.len(), 16);
        let clone = visitors.clone();
        for (more, day) in (0..7).cycle().zip(days()) {
            assert_eq!(clone.count(day).unwrap(), 3 + more);
        }
        assert!(!clone.count_id(1, jiff::civil::date(2015, 1, 1)).unwrap());
    }
}
